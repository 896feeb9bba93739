/** The cluster's PriorityClasses, read from the store that holds them. */
import type { PriorityClass } from '../../catalog/generated/types/scheduling.v1.ts'
import { type PodPriority, type PriorityClasses, unclassed } from '../../clusters/priority-classes.ts'
import type { Store } from '../../storage/store.ts'
import { listUnder } from '../list/all.ts'

/** How the keys of PriorityClasses begin. */
export const priorityClassPrefix = 'priorityclasses.scheduling.k8s.io/'

/** All of them as they are now. Where several are the default, as after a race of their writers, the lowest is. */
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
