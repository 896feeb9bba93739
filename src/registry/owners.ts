/**
 * Before an object with owners is stored for the first time, the collections of its owners are told that dependents are here:
 * from then on they tell of every deletion. It takes a hop, and only the first object of each pair of collections needs it.
 */
import { MissingLookups } from '../meta/lookups.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'

/** The garbage collector, as far as the registry needs it. */
export interface OwnerSubscriptions {
  /** Whether the collection of such owners tells this one of deletions, or there is no such collection. */
  readonly isSubscribed: (apiVersion: string, kind: string) => boolean
  /** Subscribes to it. Rejects if the collection does not answer. */
  readonly subscribe: (apiVersion: string, kind: string) => Promise<void>
}

/**
 * Requires that the collections of the object's owners tell this one of deletions.
 * @throws MissingLookups, which subscribe to those that do not
 */
export function requireOwnerSubscriptions(owners: OwnerSubscriptions, { metadata }: KubernetesObject): void {
  if (metadata.ownerReferences === undefined) return
  const missing = metadata.ownerReferences.filter(({ apiVersion, kind }) => !owners.isSubscribed(apiVersion, kind))
  if (missing.length === 0) return
  const lookups = missing.map(({ apiVersion, kind }) => ({
    where: 'object' as const,
    key: `ownerSubscription ${apiVersion} ${kind}`,
    resolve: async () => ({ result: await owners.subscribe(apiVersion, kind) }),
  }))
  throw new MissingLookups(lookups)
}
