/** Checks of StorageClasses and VolumeAttributesClasses. Follows k8s.io/kubernetes/pkg/apis/storage/validation. */
import { utf8Length } from '../../../go/text.ts'
import { asJson } from '../../../meta/field-error.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { TopologySelectorTerm } from '../../generated/types/core.v1.ts'
import { type StorageClass, type VolumeAttributesClass, VolumeBindingMode } from '../../generated/types/storage.v1.ts'
import { type Errors, isSame, itemsOf, validator } from '../checks.ts'

type Parameters = Readonly<Record<string, string>>

const mostParameters = 512
const parametersSize = 256 * 1024
const reclaimPolicies = ['Delete', 'Retain']

function checkProvisioner(name: string, field: string, errors: Errors): void {
  if (name === '') errors.required(field)
  else errors.checkQualifiedName(name.toLowerCase(), field)
}

function checkParameters(parameters: Parameters, mayBeEmpty: boolean, errors: Errors): void {
  const field = 'parameters'
  const entries = Object.entries(parameters)
  if (entries.length > mostParameters) {
    errors.tooLong(field, mostParameters)
    return
  }
  let size = 0
  for (const [key, value] of entries) {
    if (key === '') errors.invalid(field, key, 'field can not be empty.')
    size += utf8Length(key) + utf8Length(value)
  }
  if (size > parametersSize) errors.tooLong(field, parametersSize)
  if (!mayBeEmpty && entries.length === 0) errors.required(field, 'must contain at least one key/value pair')
}

/** Validates a topology. Returns its canonical text, by which topologies are compared. */
function checkTopology({ matchLabelExpressions = [] }: TopologySelectorTerm, field: string, errors: Errors): string {
  const seenKeys = new Map<string, readonly string[]>()
  for (const [at, { key, values: given }] of itemsOf(matchLabelExpressions, `${field}.matchLabelExpressions`)) {
    const values = given ?? []
    if (values.length === 0) errors.required(`${at}.values`)
    const seen = new Set<string>()
    for (const [position, value] of values.entries()) errors.checkUnique(seen, value, `${at}.values[${position}]`)
    errors.push(...validateLabelKey(key, `${at}.key`))
    if (seenKeys.has(key)) errors.duplicate(`${at}.key`, key)
    seenKeys.set(key, [...seen].sort())
  }
  return JSON.stringify([...seenKeys].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Checks that topologies are unique. As upstream, an empty topology counts as a duplicate of entries that have not been compared
 * yet.
 */
function checkTopologies(topologies: readonly TopologySelectorTerm[], errors: Errors): void {
  const nothing = '[]'
  const compared: string[] = topologies.map(() => nothing)
  for (const [field, topology] of itemsOf(topologies, 'allowedTopologies')) {
    const text = checkTopology(topology, field, errors)
    for (const other of compared) if (other === text) errors.duplicate(`${field}.matchLabelExpressions`, '')
    compared.push(text)
  }
}

/** Validates a StorageClass, except its metadata. */
export const validateStorageClass = validator((errors, object: StorageClass) => {
  const { provisioner, parameters = {}, reclaimPolicy = '', volumeBindingMode: mode, allowedTopologies = [] } = object
  checkProvisioner(provisioner, 'provisioner', errors)
  checkParameters(parameters, true, errors)
  if (reclaimPolicy !== '' && !reclaimPolicies.includes(reclaimPolicy)) {
    errors.notSupported('reclaimPolicy', reclaimPolicy, reclaimPolicies)
  }
  if (mode === undefined) errors.required('volumeBindingMode')
  else errors.checkEnum(mode, VolumeBindingMode, 'volumeBindingMode')
  checkTopologies(allowedTopologies, errors)
})

/** Validates the differences between the old and the new StorageClass. */
export const validateStorageClassChange = validator((errors, object: StorageClass, old: StorageClass) => {
  if (!isSame(object.parameters, old.parameters)) {
    const given = object.parameters ?? explicitEmpty(object, 'parameters') ?? null
    errors.invalid('parameters', given, 'field is immutable')
  }
  errors.checkImmutable(object.provisioner, old.provisioner, 'provisioner')
  for (const name of ['reclaimPolicy', 'volumeBindingMode'] as const) {
    if (object[name] !== old[name]) errors.invalid(name, asJson(object[name] ?? ''), 'field is immutable')
  }
})

/** Validates a VolumeAttributesClass, except its metadata. */
export const validateVolumeAttributesClass = validator((errors, { driverName, parameters = {} }: VolumeAttributesClass) => {
  checkProvisioner(driverName, 'driverName', errors)
  checkParameters(parameters, false, errors)
})

/** Validates the differences between the old and the new VolumeAttributesClass: driverName and parameters are immutable. */
export const validateVolumeAttributesClassChange = validator(
  (errors, object: VolumeAttributesClass, old: VolumeAttributesClass) => {
    for (const name of ['driverName', 'parameters'] as const) {
      if (!isSame(object[name], old[name])) errors.forbidden(name, `updates to ${name} are forbidden.`)
    }
  },
)
