/** Checks of the conditions of flow schemas and priority levels: each type is named, and once. */
import { enumValue } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { validator } from '../checks.ts'

interface WithConditions extends KubernetesObject {
  status?: { conditions?: readonly { readonly type?: string }[] }
}

/** What is wrong with the status. */
export const validateFlowControlStatus = validator((errors, object: KubernetesObject) => {
  const seen = new Set<string>()
  for (const [index, { type = '' }] of ((object as WithConditions).status?.conditions ?? []).entries()) {
    const field = `status.conditions[${index}].type`
    if (seen.has(type)) errors.duplicate(field, enumValue(type))
    seen.add(type)
    if (type === '') errors.required(field)
  }
})
