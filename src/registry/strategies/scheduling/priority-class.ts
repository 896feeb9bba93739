/** PriorityClasses: one at most is the default. Follows the admission plugin Priority of k8s.io/kubernetes. */
import type { PriorityClass } from '../../../catalog/generated/types/scheduling.v1.ts'
import { validatePriorityClass, validatePriorityClassUpdate } from '../../../catalog/validation/scheduling/priority-class.ts'
import { forbidden } from '../../../meta/errors.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { readPriorityClasses } from '../../policy/priority-classes.ts'
import { withValidation } from '../with-validation.ts'

const priorityClasses = { group: 'scheduling.k8s.io', resource: 'priorityclasses' }

export const priorityClassHooks: StrategyHooks = {
  ...withValidation(validatePriorityClass, validatePriorityClassUpdate),
  admit(object, old, { store }) {
    const { metadata, globalDefault } = object as PriorityClass
    if (globalDefault !== true) return undefined
    const name = metadata.name ?? ''
    const { default: present } = readPriorityClasses(store)
    if (present === undefined || (old !== undefined && present.name === name)) return undefined
    const why = `PriorityClass ${present.name} is already marked as default. Only one default can exist`
    return forbidden(priorityClasses, name, why)
  },
}
