/** PriorityClasses as far as Pods' priorities follow from them. */

/** What a PriorityClass gives to its Pods; '' for the name where no class is meant. */
export interface PodPriority {
  readonly name: string
  readonly value: number
  readonly preemptionPolicy: string
}

/** A cluster's classes, by name, and the one of Pods that name none, where there is one. */
export interface PriorityClasses {
  readonly byName: Readonly<Record<string, PodPriority>>
  readonly default?: PodPriority
}

/** What Pods have that name no class where none is the default. */
export const unclassed: PodPriority = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' }
