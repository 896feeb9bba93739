/** Checks of PriorityClasses. Follows k8s.io/kubernetes/pkg/apis/scheduling/validation. */
import { type FieldError, forbiddenValue } from '../../../meta/field-error.ts'
import type { PriorityClass } from '../../generated/types/scheduling.v1.ts'
import { systemPriorityClasses } from '../../system-priority-classes.ts'
import { checkImmutable, checkRequiredSupported, type Errors } from '../checks.ts'

const highest = 1_000_000_000
const prefix = 'system-'

/** Why a class with a reserved name is not the system's own. */
function systemError({ metadata, value, globalDefault }: PriorityClass): string | undefined {
  const { name = '' } = metadata
  const known = Object.hasOwn(systemPriorityClasses, name) ? systemPriorityClasses[name]?.value : undefined
  if (known === undefined) return `${name} is not a known system priority class`
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

/** What is wrong with a PriorityClass. */
export function validatePriorityClass(priorityClass: PriorityClass): FieldError[] {
  const errors: Errors = []
  const { metadata, value, preemptionPolicy } = priorityClass
  if ((metadata.name ?? '').startsWith(prefix)) {
    const problem = systemError(priorityClass)
    const text = `priority class names with '${prefix}' prefix are reserved for system use only. error: ${problem ?? ''}`
    if (problem !== undefined) errors.push(forbiddenValue('metadata.name', text))
  } else if (value > highest) {
    errors.push(forbiddenValue('value', `maximum allowed value of a user defined priority is ${highest}`))
  }
  checkRequiredSupported(preemptionPolicy, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy', errors)
  return errors
}

/** What is wrong with a change of a PriorityClass. */
export function validatePriorityClassUpdate(priorityClass: PriorityClass, old: PriorityClass): FieldError[] {
  const errors: Errors = []
  if (priorityClass.value !== old.value) errors.push(forbiddenValue('value', 'may not be changed in an update.'))
  checkImmutable(priorityClass.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy', errors)
  return errors
}
