/** Checks of the conditions of flow schemas and priority levels: each type is named, and once. */
import { duplicate, enumValue, type FieldError, required } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { Errors } from '../checks.ts'

interface WithConditions extends KubernetesObject {
  status?: { conditions?: readonly { readonly type?: string }[] }
}

/** What is wrong with the status. */
export function validateFlowControlStatus(object: KubernetesObject): FieldError[] {
  const errors: Errors = []
  const seen = new Set<string>()
  for (const [index, { type = '' }] of ((object as WithConditions).status?.conditions ?? []).entries()) {
    const field = `status.conditions[${index}].type`
    if (seen.has(type)) errors.push(duplicate(field, enumValue(type)))
    seen.add(type)
    if (type === '') errors.push(required(field))
  }
  return errors
}
