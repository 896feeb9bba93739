/** Plans which collections have to be counted for the quotas of a namespace. Pure. */
import type { ResourceQuota } from '../../catalog/generated/types/core.v1.ts'
import type { CountedQuota, ResourceList, UsageAnswer } from '../../clusters/quota-messages.ts'
import { collectionsTracking, evaluatorOf } from '../../registry/admission/quota/evaluators/evaluators.ts'
import { addLists } from '../../registry/admission/quota/resource-list.ts'
import type { CountedUse } from './reconcile.ts'

/** The collections whose objects have changed; 'all' after a change of a quota. */
export type Changed = ReadonlySet<string> | 'all'

/** Whether a collection does not exist, has never held objects, or may hold some. */
export type Presence = 'unknown' | 'empty' | 'held'

/** The count of one namespace. */
export interface Plan {
  readonly namespace: string
  /** The quotas as they were when the count was planned. */
  readonly quotas: readonly ResourceQuota[]
  /** The names of the resources to count. */
  readonly resources: ReadonlySet<string>
  /** The collections that they limit, with their presence. */
  readonly collections: ReadonlyMap<string, Presence>
}

/** Plans the count of a namespace. */
export function planOf(
  namespace: string,
  quotas: readonly ResourceQuota[],
  changed: Changed,
  presenceOf: (collection: string) => Presence,
): Plan {
  const resources = new Set<string>()
  const collections = new Map<string, Presence>()
  for (const name of quotas.flatMap(({ spec }) => Object.keys(spec.hard ?? {}))) {
    const tracking = collectionsTracking(name)
    if (changed !== 'all' && !tracking.some((collection) => changed.has(collection))) continue
    resources.add(name)
    for (const collection of tracking) collections.set(collection, presenceOf(collection))
  }
  return { namespace, quotas, resources, collections }
}

/** Returns the quotas that a collection has to count. */
export function countedQuotas({ quotas, resources }: Plan, collection: string): CountedQuota[] {
  const evaluator = evaluatorOf(collection)
  return quotas.flatMap(({ metadata, spec }): CountedQuota[] => {
    const names = Object.keys(spec.hard ?? {}).filter((name) => resources.has(name) && evaluator?.tracks(name) === true)
    if (names.length === 0) return []
    const { scopes, scopeSelector } = spec
    const scoped = { ...(scopes !== undefined && { scopes }), ...(scopeSelector !== undefined && { scopeSelector }) }
    return [{ name: metadata.name ?? '', resources: names, ...scoped }]
  })
}

/**
 * Returns the use of a quota as it was counted. Resources of collections that did not answer are left out.
 * @param answers by collection
 */
export function useOf(plan: Plan, { metadata, spec }: ResourceQuota, answers: ReadonlyMap<string, UsageAnswer>): CountedUse {
  const resources: string[] = []
  let use: ResourceList = {}
  for (const name of Object.keys(spec.hard ?? {})) {
    const tracking = collectionsTracking(name).filter((collection) => plan.collections.get(collection) !== 'unknown')
    const isCounted = (each: string): boolean => plan.collections.get(each) === 'empty' || answers.has(each)
    if (!plan.resources.has(name) || tracking.length === 0 || !tracking.every(isCounted)) continue
    resources.push(name)
    use = addLists(use, { [name]: '0' })
    for (const collection of tracking) {
      const counted = answers.get(collection)?.usage[`${collection}/${plan.namespace}/`]?.[metadata.name ?? '']?.[name]
      if (counted !== undefined) use = addLists(use, { [name]: counted })
    }
  }
  return { resources, use }
}
