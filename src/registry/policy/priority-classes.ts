/** Reads the cluster's PriorityClasses from the control object's store. */
import type { PriorityClass } from '../../catalog/generated/types/scheduling.v1.ts'
import { type PodPriority, type PriorityClasses, unclassed } from '../../clusters/priority-classes.ts'
import type { Store } from '../../storage/store.ts'
import { listUnder } from '../list/all.ts'

/** The key prefix of PriorityClasses. */
export const priorityClassPrefix = 'priorityclasses.scheduling.k8s.io/'

/**
 * Returns all PriorityClasses of the store. If several are marked as default, as after a race of two writers, the one with the
 * lowest value counts.
 */
export function readPriorityClasses(store: Store): PriorityClasses {
  const byName: [string, PodPriority][] = []
  let lowest: PodPriority | undefined
  for (const object of listUnder(store, priorityClassPrefix)) {
    const { metadata, value, preemptionPolicy = unclassed.preemptionPolicy, globalDefault } = object as PriorityClass
    const { name = '' } = metadata
    const priority = { name, value, preemptionPolicy }
    byName.push([name, priority])
    if (globalDefault === true && (lowest === undefined || value < lowest.value)) lowest = priority
  }
  return { byName: Object.fromEntries(byName), ...(lowest !== undefined && { default: lowest }) }
}
