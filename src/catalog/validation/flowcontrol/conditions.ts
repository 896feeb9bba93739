/** Checks of the conditions of FlowSchemas and PriorityLevelConfigurations: each type is present and unique. */

import { asJson } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { FlowSchema } from '../../generated/types/flowcontrol.v1.ts'
import { validator } from '../checks.ts'

/** Validates the status of a FlowSchema or PriorityLevelConfiguration. */
export const validateFlowControlStatus = validator((errors, object: KubernetesObject) => {
  const seen = new Set<string>()
  for (const [index, { type = '' }] of ((object as FlowSchema).status?.conditions ?? []).entries()) {
    const field = `status.conditions[${index}].type`
    errors.checkUnique(seen, type, field, asJson(type))
    if (type === '') errors.required(field)
  }
})
