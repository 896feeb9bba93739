/** Checks of ControllerRevisions. Follows validateControllerRevision of k8s.io/kubernetes/pkg/apis/apps/validation. */
import { asJson, type FieldError } from '../../../meta/field-error.ts'
import type { ControllerRevision } from '../../generated/types/apps.v1.ts'
import { Errors, immutable } from '../checks.ts'

function checkRevision({ revision }: ControllerRevision): Errors {
  const errors = new Errors()
  errors.checkNonNegative(revision, 'revision')
  return errors
}

/** Validates a new ControllerRevision, except its metadata. */
export function validateControllerRevision(revision: ControllerRevision): FieldError[] {
  const errors = checkRevision(revision)
  const { data } = revision
  if (data === undefined || data === null) errors.required('data', 'data is mandatory')
  else if (typeof data !== 'object' || Array.isArray(data)) errors.required('data', 'data must be a valid JSON object')
  return errors
}

/** Validates an update of a ControllerRevision: its data is immutable. */
export function validateControllerRevisionUpdate(revision: ControllerRevision, old: ControllerRevision): FieldError[] {
  const errors = checkRevision(revision)
  const { data = null } = revision
  // Upstream compares bytes: another order of keys is another value.
  if (JSON.stringify(data) === JSON.stringify(old.data ?? null)) return errors
  errors.invalid('data', typeof data === 'string' ? asJson(data) : data, immutable)
  return errors
}
