/** PriorityClasses in the policy snapshot: the fields that affect the priorities of Pods. */

/** The fields that a PriorityClass sets in its Pods. The name is '' without a class. */
export interface PodPriority {
  readonly name: string
  readonly value: number
  readonly preemptionPolicy: string
}

/** A cluster's classes by name, and the class with globalDefault, if there is one. */
export interface PriorityClasses {
  readonly byName: Readonly<Record<string, PodPriority>>
  readonly default?: PodPriority
}

/** The priority of Pods without a class, if no class has globalDefault. */
export const unclassed: PodPriority = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' }
