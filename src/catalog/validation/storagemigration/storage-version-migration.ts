/** Checks of StorageVersionMigrations. Follows k8s.io/kubernetes/pkg/apis/storagemigration/validation. */
import type { FieldError } from '../../../meta/field-error.ts'
import { isDns1035Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type { StorageVersionMigration } from '../../generated/types/storagemigration.v1beta1.ts'
import { type Errors, immutable, isSame, validator } from '../checks.ts'
import { checkConditions } from '../status/conditions.ts'

/** Adds the messages about a value as one error. */
function checkJoined(messages: readonly string[], value: string, field: string, errors: Errors): void {
  if (messages.length > 0) errors.invalid(field, value, messages.join(','))
}

/** Validates a StorageVersionMigration, except its metadata. */
export const validateStorageVersionMigration = validator((errors, { spec }: StorageVersionMigration) => {
  const { group, resource } = spec.resource
  const field = 'spec.resource'
  if (resource === '') errors.required(`${field}.resource`, 'resource is required to be set')
  else checkJoined(isDns1035Label(resource), resource, `${field}.resource`, errors)
  if (group !== '') checkJoined(isDns1123Subdomain(group), group, `${field}.group`, errors)
})

/** Validates the changes of an update. */
export const validateStorageVersionMigrationChange = validator(
  (errors, { spec }: StorageVersionMigration, old: StorageVersionMigration) => {
    if (!isSame(spec, old.spec)) errors.invalid('spec', { Resource: spec.resource }, immutable)
  },
)

/** Whether a condition is true. */
const isTrue = ({ status }: StorageVersionMigration, type: string): boolean =>
  (status.conditions ?? []).find((condition) => condition.type === type)?.status === 'True'

/** Validates an update of the status. */
export function validateStorageVersionMigrationStatus(
  object: StorageVersionMigration,
  old: StorageVersionMigration,
): FieldError[] {
  return statusErrors(object, old)
}

const statusErrors = validator((errors, object: StorageVersionMigration, old: StorageVersionMigration) => {
  const { resourceVersion = '', conditions } = object.status
  const { resourceVersion: before = '' } = old.status
  if (resourceVersion !== '' && !/^[1-9]\d*$/.test(resourceVersion)) {
    errors.invalid('status.resourceVersion', resourceVersion, `resource version is not well formed: ${resourceVersion}`)
  }
  checkConditions(conditions ?? [], 'status.conditions', errors)
  if (before !== '' && before !== resourceVersion) errors.invalid('status.resourceVersion', resourceVersion, immutable)
  const refuse = (why: string): void => errors.invalid('status.conditions', conditions, why)
  const [succeeded, failed] = [isTrue(object, 'Succeeded'), isTrue(object, 'Failed')]
  if (succeeded && failed) refuse('Both success and failed conditions cannot be true at the same time')
  if (isTrue(old, 'Succeeded') && !succeeded) refuse('Success condition cannot be set to false once it is true')
  if (isTrue(old, 'Failed') && !failed) refuse('Failed condition cannot be set to false once it is true')
})
