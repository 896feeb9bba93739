import type { PriorityClass } from '../../generated/types/scheduling.v1.ts'
import { systemPriorityClasses } from '../../system-priority-classes.ts'
import { validator } from '../checks.ts'

const highest = 1_000_000_000
const prefix = 'system-'

/** Returns the error message for a class with a reserved name, or undefined if it equals the system's own class. */
function systemError({ metadata, value, globalDefault }: PriorityClass): string | undefined {
  const { name = '' } = metadata
  const known = Object.hasOwn(systemPriorityClasses, name) ? systemPriorityClasses[name]?.value : undefined
  if (known === undefined) return `${name} is not a known system priority class`
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

/** Validates a PriorityClass. */
export const validatePriorityClass = validator((errors, priorityClass: PriorityClass) => {
  const { metadata, value, preemptionPolicy } = priorityClass
  if ((metadata.name ?? '').startsWith(prefix)) {
    const problem = systemError(priorityClass)
    const text = `priority class names with '${prefix}' prefix are reserved for system use only. error: ${problem ?? ''}`
    if (problem !== undefined) errors.forbidden('metadata.name', text)
  } else if (value > highest) {
    errors.forbidden('value', `maximum allowed value of a user defined priority is ${highest}`)
  }
  errors.checkRequiredSupported(preemptionPolicy, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy')
})

/** Validates an update of a PriorityClass. */
export const validatePriorityClassUpdate = validator((errors, priorityClass: PriorityClass, old: PriorityClass) => {
  if (priorityClass.value !== old.value) errors.forbidden('value', 'may not be changed in an update.')
  errors.checkImmutableChoice(priorityClass.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy')
})
