/** Checks of PersistentVolumeClaims. Follows ValidatePersistentVolumeClaimSpec of k8s.io/kubernetes/pkg/apis/core/validation. */

import type { JsonValue } from '../../../go/json-value.ts'
import { jsonDifference } from '../../../go/unified-diff.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import * as corev1 from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, isSame, validator } from '../checks.ts'
import { checkAmountOf, checkBasicAmount, isNative } from './resource-names.ts'

/** Validates accessModes. */
export function checkModes(accessModes: readonly string[], field: string, errors: Errors): void {
  for (const mode of accessModes)
    if (!corev1.PersistentVolumeAccessMode.includes(mode)) errors.notSupported(field, mode, corev1.PersistentVolumeAccessMode)
  const isAlone = (mode: string): boolean => mode === 'ReadWriteOncePod'
  if (
    accessModes.some(isAlone) &&
    accessModes.some((mode) => !isAlone(mode) && corev1.PersistentVolumeAccessMode.includes(mode))
  ) {
    errors.forbidden(field, 'may not use ReadWriteOncePod with other access modes')
  }
}

function checkStorage(storage: string | undefined, field: string, errors: Errors): void {
  if (storage === undefined) errors.required(field)
  else if (compareQuantities(storage, '0') <= 0) errors.invalid(field, storage, 'must be greater than zero')
}

function checkDataSource(
  source: corev1.TypedObjectReference,
  field: string,
  groups: 'checked' | 'accepted',
  errors: Errors,
): void {
  const { kind, name } = source
  const apiGroup = source.apiGroup ?? ''
  const namespace = source.namespace ?? ''
  if (name === '') errors.required(`${field}.name`)
  if (kind === '') errors.required(`${field}.kind`)
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    errors.invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
  }
  if (apiGroup !== '' && groups === 'checked') errors.checkDnsSubdomain(apiGroup, `${field}.apiGroup`)
  if (namespace !== '') errors.checkDnsLabel(namespace, `${field}.namespace`)
}

/** Go marshals a field path as a struct without exported fields. */
const internalPath = {}

function checkDataSources(
  spec: corev1.PersistentVolumeClaimSpec,
  field: string,
  old: corev1.PersistentVolumeClaimSpec | undefined,
  errors: Errors,
): void {
  const { dataSource, dataSourceRef } = spec
  const had = [old?.dataSource?.apiGroup, old?.dataSourceRef?.apiGroup].some((group) => group !== undefined && group !== null)
  const groups = had ? 'accepted' : 'checked'
  if (dataSource !== undefined) checkDataSource(dataSource, `${field}.dataSource`, groups, errors)
  if (dataSourceRef !== undefined) checkDataSource(dataSourceRef, `${field}.dataSourceRef`, groups, errors)
  if (dataSource === undefined || dataSourceRef === undefined) return
  if ((dataSourceRef.namespace ?? '') !== '') {
    errors.invalid(field, internalPath, 'may not be specified when dataSourceRef.namespace is specified')
  } else if ((['apiGroup', 'kind', 'name'] as const).some((name) => dataSource[name] !== dataSourceRef[name])) {
    errors.invalid(field, internalPath, 'must match dataSourceRef')
  }
}

/** Validates the spec of a claim or of a claim template (ValidatePersistentVolumeClaimSpec). */
export function checkClaimSpec(
  spec: corev1.PersistentVolumeClaimSpec,
  field: string,
  errors: Errors,
  old?: corev1.PersistentVolumeClaimSpec,
): void {
  const { accessModes = [], storageClassName = '', volumeMode, volumeAttributesClassName = '' } = spec
  if (accessModes.length === 0) errors.required(`${field}.accessModes`, 'at least 1 access mode is required')
  errors.push(...validateLabelSelector(spec.selector, `${field}.selector`))
  checkModes(accessModes, `${field}.accessModes`, errors)
  checkStorage(spec.resources.requests?.storage, `${field}.resources[storage]`, errors)
  if (storageClassName !== '') errors.checkDnsSubdomain(storageClassName, `${field}.storageClassName`)
  if (volumeMode !== undefined) errors.checkSupported(volumeMode, corev1.PersistentVolumeMode, `${field}.volumeMode`)
  checkDataSources(spec, field, old, errors)
  if (volumeAttributesClassName !== '') errors.checkDnsSubdomain(volumeAttributesClassName, `${field}.volumeAttributesClassName`)
}

/** Validates a claim, except its metadata. */
export const validatePersistentVolumeClaim = validator(
  (errors, { spec }: corev1.PersistentVolumeClaim, old?: corev1.PersistentVolumeClaim) => {
    checkClaimSpec(spec, 'spec', errors, old?.spec)
  },
)

const immutable = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
const betaClass = 'volume.beta.kubernetes.io/storage-class'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Whether the storage class moved from the beta annotation to the field. */
const isClassMoved = (claim: corev1.PersistentVolumeClaim, old: corev1.PersistentVolumeClaim): boolean => {
  const { [betaClass]: before } = old.metadata.annotations ?? {}
  const { [betaClass]: now = before } = claim.metadata.annotations ?? {}
  const name = claim.spec.storageClassName
  return before !== undefined && old.spec.storageClassName === undefined && name === before && now === before
}

/** Whether the first storage class was added later, as the admission plugin DefaultStorageClass does. */
const isClassAdded = ({ spec }: corev1.PersistentVolumeClaim, old: corev1.PersistentVolumeClaim): boolean =>
  spec.storageClassName !== undefined &&
  old.spec.storageClassName === undefined &&
  (old.metadata.annotations?.[betaClass] ?? spec.storageClassName) === spec.storageClassName

/** Copies a spec so that it can be modified, also requests that were explicitly empty. */
function copyOf(spec: corev1.PersistentVolumeClaimSpec): Mutable<corev1.PersistentVolumeClaimSpec> {
  const isEmptied = explicitEmpty(spec.resources, 'requests') !== undefined
  const requests = spec.resources.requests ?? (isEmptied ? {} : undefined)
  return { ...spec, resources: { ...spec.resources, ...(requests !== undefined && { requests: { ...requests } }) } }
}

/** Returns both specs with their mutable fields equal, so that any other difference is an error. */
function compared(
  claim: corev1.PersistentVolumeClaim,
  old: corev1.PersistentVolumeClaim,
  errors: Errors,
): { now: corev1.PersistentVolumeClaimSpec; before: corev1.PersistentVolumeClaimSpec } {
  const now = copyOf(claim.spec)
  const before = copyOf(old.spec)
  if ((before.volumeName ?? '') === '' && now.volumeName !== undefined) before.volumeName = now.volumeName
  if (isClassMoved(claim, old)) delete now.storageClassName
  else {
    const annotation = claim.metadata.annotations?.[betaClass] ?? ''
    errors.checkImmutable(annotation, old.metadata.annotations?.[betaClass] ?? '', `metadata.annotations.${betaClass}`)
    if (isClassAdded(claim, old)) delete now.storageClassName
  }
  if (claim.status?.phase !== 'Bound') return { now, before }
  const { requests } = now.resources
  if (requests !== undefined) requests.storage = old.spec.resources.requests?.storage ?? '0'
  delete now.volumeAttributesClassName
  if (before.volumeAttributesClassName !== undefined) now.volumeAttributesClassName = before.volumeAttributesClassName
  return { now, before }
}

const toInternal = (spec: corev1.PersistentVolumeClaimSpec): JsonValue => internalJson('PersistentVolumeClaimSpec', spec)

function checkShrinking(claim: corev1.PersistentVolumeClaim, old: corev1.PersistentVolumeClaim, errors: Errors): void {
  const size = claim.spec.resources.requests?.storage ?? '0'
  const capacity = old.status?.capacity?.storage ?? '0'
  if (compareQuantities(size, old.spec.resources.requests?.storage ?? '0') >= 0) return
  if (compareQuantities(size, capacity) > 0) return
  errors.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')
}

function checkAttributesClass({ spec }: corev1.PersistentVolumeClaim, old: corev1.PersistentVolumeClaim, errors: Errors): void {
  const name = spec.volumeAttributesClassName
  if (name === old.spec.volumeAttributesClassName || old.status?.currentVolumeAttributesClassName === undefined) return
  const what = name === undefined ? 'nil' : 'empty string'
  if (name !== undefined && name !== '') return
  const text = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`
  errors.forbidden('spec.volumeAttributesClassName', text)
}

/** Validates an update of a PersistentVolumeClaim. The storage request of a bound claim may grow. */
export function validatePersistentVolumeClaimUpdate(
  claim: corev1.PersistentVolumeClaim,
  old: corev1.PersistentVolumeClaim,
): FieldError[] {
  const errors = validatePersistentVolumeClaim(claim, old)
  const { now, before } = compared(claim, old, errors)
  const [internalNow, internalBefore] = [toInternal(now), toInternal(before)]
  if (!isSame(internalNow, internalBefore)) {
    errors.forbidden('spec', `${immutable}\n${jsonDifference(internalBefore, internalNow)}`)
  }
  checkShrinking(claim, old, errors)
  errors.checkImmutableChoice(claim.spec.volumeMode ?? null, old.spec.volumeMode ?? null, 'volumeMode')
  checkAttributesClass(claim, old, errors)
  return errors
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort()

/** Checks the name of a resource in the resize status: storage, or a resource that is not one of Kubernetes' own. */
function checkResizedName(name: string, field: string, errors: Errors): boolean {
  const messages = isQualifiedName(name)
  errors.checkMessages(messages, name, field)
  if (messages.length > 0) return false
  if (!isNative(name) || name === 'storage') return true
  errors.notSupported(field, name, ['storage'])
  return false
}

/** Validates an update of a claim's status. */
export const validatePersistentVolumeClaimStatus = validator((errors, { spec, status = {} }: corev1.PersistentVolumeClaim) => {
  const { capacity = {}, allocatedResources = {}, allocatedResourceStatuses = {} } = status
  if ((spec.accessModes ?? []).length === 0) errors.required('Spec.accessModes')
  for (const [name, amount] of Object.entries(capacity)) checkBasicAmount(amount, `status.capacity[${name}]`, errors)
  for (const [name, resize] of Object.entries(allocatedResourceStatuses)) {
    const field = 'status.allocatedResourceStatuses'
    checkResizedName(name, field, errors)
    // The message quotes the resource name, not the status.
    if (!resizeStatuses.includes(resize)) errors.notSupported(field, name, resizeStatuses)
  }
  for (const [name, amount] of Object.entries(allocatedResources)) {
    const field = 'status.allocatedResources'
    if (!checkResizedName(name, field, errors)) continue
    const found = errors.length
    checkBasicAmount(amount, `${field}[${name}]`, errors)
    if (errors.length === found) checkAmountOf('storage', amount, `${field}[${name}]`, errors)
  }
})
