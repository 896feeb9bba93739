/** Checks of PersistentVolumeClaims. Follows ValidatePersistentVolumeClaimSpec of k8s.io/kubernetes/pkg/apis/core/validation. */
import { type FieldError, forbiddenValue, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { type LabelSelectorObject, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import { checkDnsSubdomain, checkSupported, type Errors, isSame } from '../checks.ts'

interface ClaimSpec {
  accessModes?: string[]
  selector?: LabelSelectorObject
  resources: { requests?: Record<string, string>; limits?: Record<string, string> }
  volumeName?: string
  storageClassName?: string
  volumeMode?: string
  dataSource?: unknown
  volumeAttributesClassName?: string
}

interface Claim extends KubernetesObject {
  spec: ClaimSpec
  status?: { phase?: string }
}

const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

function checkModes(accessModes: readonly string[], errors: Errors): void {
  const field = 'spec.accessModes'
  if (accessModes.length === 0) errors.push(required(field, 'at least 1 access mode is required'))
  for (const mode of accessModes) if (!modes.includes(mode)) errors.push(notSupported(field, mode, modes))
  if (accessModes.includes('ReadWriteOncePod') && accessModes.some((mode) => mode !== 'ReadWriteOncePod')) {
    errors.push(forbiddenValue(field, 'may not use ReadWriteOncePod with other access modes'))
  }
}

/** What is wrong with a claim, its metadata left out. */
export function validatePersistentVolumeClaim({ spec }: Claim): FieldError[] {
  const errors: Errors = []
  checkModes(spec.accessModes ?? [], errors)
  errors.push(...validateLabelSelector(spec.selector, 'spec.selector'))
  const storage = spec.resources.requests?.storage
  if (storage === undefined) errors.push(required('spec.resources[storage]'))
  else if (compareQuantities(storage, '0') <= 0) {
    errors.push(invalidValue('spec.resources[storage]', storage, 'must be greater than zero'))
  }
  const { storageClassName = '', volumeMode } = spec
  if (storageClassName !== '') checkDnsSubdomain(storageClassName, 'spec.storageClassName', errors)
  if (volumeMode !== undefined) checkSupported(volumeMode, ['Block', 'Filesystem'], 'spec.volumeMode', errors)
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
