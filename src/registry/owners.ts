/**
 * Subscriptions of the garbage collector. Before an object with owners is stored, its collection subscribes to the deletions of
 * the owners' collections. A subscription is a request to another Durable Object, made once for each pair of collections.
 */
import { MissingLookups } from '../meta/lookups.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'

/** The part of the garbage collector that the registry needs. */
export interface OwnerSubscriptions {
  /** Whether this collection is subscribed to the owners' collection, or that resource does not exist. */
  readonly isSubscribed: (apiVersion: string, kind: string) => boolean
  /** Subscribes to the owners' collection. Rejects if that Durable Object does not respond. */
  readonly subscribe: (apiVersion: string, kind: string) => Promise<void>
}

/** No subscription is needed: all owners count as subscribed. */
export const noSubscriptions: OwnerSubscriptions = { isSubscribed: () => true, subscribe: async () => {} }

/**
 * Requires subscriptions to the collections of all owners of an object.
 * @throws MissingLookups whose resolution subscribes to the missing ones
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
