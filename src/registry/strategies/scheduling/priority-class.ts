/** The strategy of PriorityClasses. */
import { validatePriorityClass, validatePriorityClassUpdate } from '../../../catalog/validation/scheduling/priority-class.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'

export const priorityClassHooks: StrategyHooks = withValidation(validatePriorityClass, validatePriorityClassUpdate)
