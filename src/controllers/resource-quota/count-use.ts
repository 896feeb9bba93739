/** Counts how much of each quota the objects of a range use. */

import type { CountedQuota, ResourceList } from '../../clusters/quota-messages.ts'
import { nextSlice } from '../../meta/slices.ts'
import type { Evaluator } from '../../registry/admission/quota/evaluator.ts'
import { evaluatorOf } from '../../registry/admission/quota/evaluators/evaluators.ts'
import { addLists, maskList } from '../../registry/admission/quota/resource-list.ts'
import { matchesScopes, requirementsOf } from '../../registry/admission/quota/scopes.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Store } from '../../storage/store.ts'
import { collectionOf } from './quota-control.ts'

/** The number of objects that are read in one slice. */
const pageObjects = 100

/** The objects whose use is counted. */
interface Counted {
  readonly store: Store
  /** `<resource>[.<group>]/<namespace>/` */
  readonly range: string
  /** The version at which they are counted. */
  readonly resourceVersion: number
  readonly quotas: readonly CountedQuota[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The use of each quota by its name, and the number of objects that were read for it. */
interface Use {
  readonly use: Readonly<Record<string, ResourceList>>
  readonly objects: number
}

/** Whether the number of objects is all that the quota depends on. */
const isByNumber = (quota: CountedQuota, { counted }: Evaluator): boolean =>
  requirementsOf(quota).length === 0 && quota.resources.every((name) => counted.includes(name))

/** Counts the use. Other requests get their turn meanwhile. */
export async function countUse({ store, range, resourceVersion, quotas, now }: Counted): Promise<Use> {
  const evaluator = evaluatorOf(collectionOf(range))
  if (evaluator === undefined) return { use: {}, objects: 0 }
  const use: Record<string, ResourceList> = {}
  for (const { name, resources } of quotas) use[name] = Object.fromEntries(resources.map((resource) => [resource, '0']))
  const numbered = quotas.filter((quota) => isByNumber(quota, evaluator))
  if (numbered.length > 0) {
    const number = String(store.countAfter(range, '', resourceVersion))
    for (const { name, resources } of numbered) use[name] = Object.fromEntries(resources.map((resource) => [resource, number]))
  }
  const read = quotas.filter((quota) => !numbered.includes(quota))
  let objects = 0
  for (let after = '', more = read.length > 0; more; ) {
    const page = store.list({ prefix: range, after, limit: pageObjects, resourceVersion })
    for (const stored of page.items) {
      const facts = evaluator.factsOf(objectOf(stored), now)
      for (const quota of read) {
        if (!matchesScopes(quota, facts)) continue
        const own = maskList(facts.usage, (name) => quota.resources.includes(name))
        use[quota.name] = addLists(use[quota.name] ?? {}, own)
      }
    }
    objects += page.items.length
    after = page.items.at(-1)?.key ?? after
    more = page.more
    if (more) await nextSlice()
  }
  return { use, objects }
}
