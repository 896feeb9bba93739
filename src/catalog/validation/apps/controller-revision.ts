/** Checks of ControllerRevisions. Follows validateControllerRevision of k8s.io/kubernetes/pkg/apis/apps/validation. */
import { type FieldError, required } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkImmutable, checkNonNegative, type Errors } from '../checks.ts'

interface ControllerRevision extends KubernetesObject {
  data?: unknown
  revision: number
}

function checkRevision({ revision }: ControllerRevision): Errors {
  const errors: Errors = []
  checkNonNegative(revision, 'revision', errors)
  return errors
}

/** What is wrong with a new ControllerRevision, its metadata left out. */
export function validateControllerRevision(revision: ControllerRevision): FieldError[] {
  const errors = checkRevision(revision)
  const { data } = revision
  if (data === undefined || data === null) errors.push(required('data', 'data is mandatory'))
  else if (typeof data !== 'object' || Array.isArray(data)) errors.push(required('data', 'data must be a valid JSON object'))
  return errors
}

/** What is wrong with a change of a ControllerRevision: what it holds stays. */
export function validateControllerRevisionUpdate(revision: ControllerRevision, old: ControllerRevision): FieldError[] {
  const errors = checkRevision(revision)
  checkImmutable(revision.data ?? null, old.data ?? null, 'data', errors)
  return errors
}
