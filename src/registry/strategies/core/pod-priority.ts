/** Pods and their PriorityClasses. Follows the admission plugin Priority of k8s.io/kubernetes. */
import type { Pod, PodSpec } from '../../../catalog/generated/types/core.v1.ts'
import type { WriteOptions } from '../../../clusters/operation.ts'
import { unclassed } from '../../../clusters/priority-classes.ts'
import { type ApiError, forbidden } from '../../../meta/errors.ts'

const pods = { group: '', resource: 'pods' }

type Priority = WriteOptions['priority']

function whyRefused({ priorityClassName = '', ...spec }: PodSpec, priority: Priority): string | undefined {
  if (priority === null) return `no PriorityClass with name ${priorityClassName} was found`
  const { value, preemptionPolicy } = priority ?? unclassed
  const computed = (amount: number | string): string =>
    `must not be provided in pod spec; priority admission controller computed ${amount} from the given PriorityClass name`
  if (spec.priority !== undefined && spec.priority !== value) {
    return `the integer value of priority (${spec.priority}) ${computed(value)}`
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    return `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed(preemptionPolicy)}`
  }
  return undefined
}

/**
 * Why the Pod may not be created; undefined where it may.
 * @param priority that of its class; null where there is none of the name
 */
export function priorityRefusal({ metadata, spec }: Pod, priority: Priority): ApiError | undefined {
  const { name = '', generateName = '' } = metadata
  const why = whyRefused(spec, priority)
  return why === undefined ? undefined : forbidden(pods, name || generateName || 'Unknown', why)
}

/** Gives a new Pod what its class, or the default one, says. */
export function setPriority(spec: PodSpec, priority: Priority): void {
  const { name, value, preemptionPolicy } = priority ?? unclassed
  if (name !== '') spec.priorityClassName = name
  spec.priority = value
  spec.preemptionPolicy = preemptionPolicy
}
