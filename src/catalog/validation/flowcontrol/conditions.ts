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
    errors.checkUnique(seen, type, field, enumValue(type))
    if (type === '') errors.required(field)
  }
})
