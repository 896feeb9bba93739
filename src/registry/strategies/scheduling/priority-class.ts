/** The strategy of PriorityClasses: those of the system cannot be deleted. */
import { systemPriorityClasses } from '../../../catalog/system-priority-classes.ts'
import { validatePriorityClass, validatePriorityClassUpdate } from '../../../catalog/validation/scheduling/priority-class.ts'
import { forbidden } from '../../../meta/errors.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

const classes = { group: 'scheduling.k8s.io', resource: 'priorityclasses' }

export const priorityClassHooks: StrategyHooks = {
  ...withValidation(validatePriorityClass, validatePriorityClassUpdate),
  refuseDelete(name) {
    if (!Object.hasOwn(systemPriorityClasses, name)) return undefined
    return forbidden(classes, name, 'this is a system priority class and cannot be deleted')
  },
}
