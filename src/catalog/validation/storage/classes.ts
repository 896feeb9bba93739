/** Checks of StorageClasses and VolumeAttributesClasses. Follows k8s.io/kubernetes/pkg/apis/storage/validation. */

import { utf8Length } from '../../../go/text.ts'
import {
  duplicate,
  enumValue,
  type FieldError,
  forbiddenValue,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { validateLabelKey } from '../../../meta/object-meta-validation.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import { checkImmutable, checkQualifiedName, type Errors, isSame } from '../checks.ts'

type Parameters = Readonly<Record<string, string>>

interface TopologyRequirement {
  key: string
  values: string[] | null
}

interface Topology {
  matchLabelExpressions?: TopologyRequirement[]
}

interface StorageClass extends KubernetesObject {
  provisioner: string
  parameters?: Parameters
  reclaimPolicy?: string
  volumeBindingMode?: string
  allowedTopologies?: Topology[]
}

interface VolumeAttributesClass extends KubernetesObject {
  driverName: string
  parameters?: Parameters
}

const mostParameters = 512
const parametersSize = 256 * 1024
const reclaimPolicies = ['Delete', 'Retain']
const bindingModes = ['Immediate', 'WaitForFirstConsumer']

function checkProvisioner(name: string, field: string, errors: Errors): void {
  if (name === '') errors.push(required(field))
  else checkQualifiedName(name.toLowerCase(), field, errors)
}

function checkParameters(parameters: Parameters, mayBeEmpty: boolean, errors: Errors): void {
  const field = 'parameters'
  const entries = Object.entries(parameters)
  if (entries.length > mostParameters) {
    errors.push(tooLong(field, mostParameters))
    return
  }
  let size = 0
  for (const [key, value] of entries) {
    if (key === '') errors.push(invalidValue(field, key, 'field can not be empty.'))
    size += utf8Length(key) + utf8Length(value)
  }
  if (size > parametersSize) errors.push(tooLong(field, parametersSize))
  if (!mayBeEmpty && entries.length === 0) errors.push(required(field, 'must contain at least one key/value pair'))
}

/** What a topology asks for, as text by which two of them are compared. */
function checkTopology({ matchLabelExpressions = [] }: Topology, field: string, errors: Errors): string {
  const asked = new Map<string, readonly string[]>()
  for (const [index, { key, values: given }] of matchLabelExpressions.entries()) {
    const at = `${field}.matchLabelExpressions[${index}]`
    const values = given ?? []
    if (values.length === 0) errors.push(required(`${at}.values`))
    const seen = new Set<string>()
    for (const [position, value] of values.entries()) {
      if (seen.has(value)) errors.push(duplicate(`${at}.values[${position}]`, value))
      seen.add(value)
    }
    errors.push(...validateLabelKey(key, `${at}.key`))
    if (asked.has(key)) errors.push(duplicate(`${at}.key`, key))
    asked.set(key, [...seen].sort())
  }
  return JSON.stringify([...asked].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** No two topologies ask for the same. An empty one is like those that are not there yet. */
function checkTopologies(topologies: readonly Topology[], errors: Errors): void {
  const nothing = '[]'
  const asked: string[] = topologies.map(() => nothing)
  for (const [index, topology] of topologies.entries()) {
    const field = `allowedTopologies[${index}]`
    const text = checkTopology(topology, field, errors)
    for (const other of asked) if (other === text) errors.push(duplicate(`${field}.matchLabelExpressions`, ''))
    asked.push(text)
  }
}

/** What is wrong with a StorageClass, its metadata left out. */
export function validateStorageClass(object: StorageClass): FieldError[] {
  const errors: Errors = []
  const { provisioner, parameters = {}, reclaimPolicy = '', volumeBindingMode: mode, allowedTopologies = [] } = object
  checkProvisioner(provisioner, 'provisioner', errors)
  checkParameters(parameters, true, errors)
  if (reclaimPolicy !== '' && !reclaimPolicies.includes(reclaimPolicy)) {
    errors.push(notSupported('reclaimPolicy', enumValue(reclaimPolicy), reclaimPolicies))
  }
  if (mode === undefined) errors.push(required('volumeBindingMode'))
  else if (!bindingModes.includes(mode)) errors.push(notSupported('volumeBindingMode', enumValue(mode), bindingModes))
  checkTopologies(allowedTopologies, errors)
  return errors
}

/** What is wrong with how a StorageClass has changed. */
export function validateStorageClassChange(object: StorageClass, old: StorageClass): FieldError[] {
  const errors: Errors = []
  if (!isSame(object.parameters, old.parameters)) {
    const given = object.parameters ?? explicitEmpty(object, 'parameters') ?? null
    errors.push(invalidValue('parameters', given, 'field is immutable'))
  }
  checkImmutable(object.provisioner, old.provisioner, 'provisioner', errors)
  for (const name of ['reclaimPolicy', 'volumeBindingMode'] as const) {
    if (object[name] !== old[name]) errors.push(invalidValue(name, enumValue(object[name] ?? ''), 'field is immutable'))
  }
  return errors
}

/** What is wrong with a VolumeAttributesClass, its metadata left out. */
export function validateVolumeAttributesClass({ driverName, parameters = {} }: VolumeAttributesClass): FieldError[] {
  const errors: Errors = []
  checkProvisioner(driverName, 'driverName', errors)
  checkParameters(parameters, false, errors)
  return errors
}

/** What is wrong with how a VolumeAttributesClass has changed: it says what it said. */
export function validateVolumeAttributesClassChange(object: VolumeAttributesClass, old: VolumeAttributesClass): FieldError[] {
  const errors: Errors = []
  for (const name of ['driverName', 'parameters'] as const) {
    if (!isSame(object[name], old[name])) errors.push(forbiddenValue(name, `updates to ${name} are forbidden.`))
  }
  return errors
}
