/** PriorityClasses as far as Pods' priorities follow from them. */
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** A PriorityClass as decoding and defaulting leave it. */
export interface PriorityClass extends KubernetesObject {
  value: number
  globalDefault?: boolean
  preemptionPolicy: string
}

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

/** The classes that every cluster has. Names that begin as theirs do are theirs alone. */
export const systemPriorityClasses: Readonly<Record<string, { readonly value: number; readonly description: string }>> = {
  'system-node-critical': {
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  'system-cluster-critical': {
    value: 2_000_000_000,
    description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
}
