/** Checks of PersistentVolumeClaims. Follows ValidatePersistentVolumeClaimSpec of k8s.io/kubernetes/pkg/apis/core/validation. */
import { type FieldError, forbiddenValue, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { type LabelSelectorObject, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import { checkDnsLabel, checkDnsSubdomain, checkSupported, type Errors, isSame } from '../checks.ts'

interface DataSource {
  apiGroup?: string | null
  kind: string
  name: string
  namespace?: string
}

/** What a claim asks for. */
export interface ClaimSpec {
  accessModes?: string[]
  selector?: LabelSelectorObject
  resources: { requests?: Record<string, string>; limits?: Record<string, string> }
  volumeName?: string
  storageClassName?: string
  volumeMode?: string
  dataSource?: DataSource
  dataSourceRef?: DataSource
  volumeAttributesClassName?: string
}

interface Claim extends KubernetesObject {
  spec: ClaimSpec
  status?: { phase?: string }
}

const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

function checkModes(accessModes: readonly string[], field: string, errors: Errors): void {
  for (const mode of accessModes) if (!modes.includes(mode)) errors.push(notSupported(field, mode, modes))
  const isAlone = (mode: string): boolean => mode === 'ReadWriteOncePod'
  if (accessModes.some(isAlone) && accessModes.some((mode) => !isAlone(mode) && modes.includes(mode))) {
    errors.push(forbiddenValue(field, 'may not use ReadWriteOncePod with other access modes'))
  }
}

function checkStorage(storage: string | undefined, field: string, errors: Errors): void {
  if (storage === undefined) errors.push(required(field))
  else if (compareQuantities(storage, '0') <= 0) errors.push(invalidValue(field, storage, 'must be greater than zero'))
}

function checkDataSource(source: DataSource, field: string, errors: Errors): void {
  const { kind, name } = source
  const apiGroup = source.apiGroup ?? ''
  const namespace = source.namespace ?? ''
  if (name === '') errors.push(required(`${field}.name`))
  if (kind === '') errors.push(required(`${field}.kind`))
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalidValue(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  }
  if (apiGroup !== '') checkDnsSubdomain(apiGroup, `${field}.apiGroup`, errors)
  if (namespace !== '') checkDnsLabel(namespace, `${field}.namespace`, errors)
}

/** A path is shown by the field of its Go struct, of which JSON sees none. */
const shownPath = {}

function checkDataSources({ dataSource, dataSourceRef }: ClaimSpec, field: string, errors: Errors): void {
  if (dataSource !== undefined) checkDataSource(dataSource, `${field}.dataSource`, errors)
  if (dataSourceRef !== undefined) checkDataSource(dataSourceRef, `${field}.dataSourceRef`, errors)
  if (dataSource === undefined || dataSourceRef === undefined) return
  if ((dataSourceRef.namespace ?? '') !== '') {
    errors.push(invalidValue(field, shownPath, 'may not be specified when dataSourceRef.namespace is specified'))
  } else if ((['apiGroup', 'kind', 'name'] as const).some((name) => dataSource[name] !== dataSourceRef[name])) {
    errors.push(invalidValue(field, shownPath, 'must match dataSourceRef'))
  }
}

/** The spec of a claim, or of a template of one (ValidatePersistentVolumeClaimSpec). */
export function checkClaimSpec(spec: ClaimSpec, field: string, errors: Errors): void {
  const { accessModes = [], storageClassName = '', volumeMode, volumeAttributesClassName = '' } = spec
  if (accessModes.length === 0) errors.push(required(`${field}.accessModes`, 'at least 1 access mode is required'))
  errors.push(...validateLabelSelector(spec.selector, `${field}.selector`))
  checkModes(accessModes, `${field}.accessModes`, errors)
  checkStorage(spec.resources.requests?.storage, `${field}.resources[storage]`, errors)
  if (storageClassName !== '') checkDnsSubdomain(storageClassName, `${field}.storageClassName`, errors)
  if (volumeMode !== undefined) checkSupported(volumeMode, ['Block', 'Filesystem'], `${field}.volumeMode`, errors)
  checkDataSources(spec, field, errors)
  if (volumeAttributesClassName !== '') checkDnsSubdomain(volumeAttributesClassName, `${field}.volumeAttributesClassName`, errors)
}

/** What is wrong with a claim, its metadata left out. */
export function validatePersistentVolumeClaim({ spec }: Claim): FieldError[] {
  const errors: Errors = []
  checkClaimSpec(spec, 'spec', errors)
  return errors
}

const immutable = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'

/** What is wrong with a change of a claim: a bound one may grow. */
export function validatePersistentVolumeClaimUpdate(claim: Claim, old: Claim): FieldError[] {
  const errors = validatePersistentVolumeClaim(claim)
  const isBound = old.status?.phase === 'Bound'
  const before: ClaimSpec = { ...old.spec }
  if (before.volumeName === undefined && claim.spec.volumeName !== undefined) before.volumeName = claim.spec.volumeName
  if (isBound) before.resources = claim.spec.resources
  const names = Object.keys({ ...before, ...claim.spec }) as (keyof ClaimSpec)[]
  if (names.some((name) => !isSame(before[name], claim.spec[name]))) errors.push(forbiddenValue('spec', immutable))
  const size = claim.spec.resources.requests?.storage
  const oldSize = old.spec.resources.requests?.storage
  if (isBound && size !== undefined && oldSize !== undefined && compareQuantities(size, oldSize) < 0) {
    errors.push(forbiddenValue('spec.resources.requests.storage', 'field can not be less than status.capacity'))
  }
  return errors
}
