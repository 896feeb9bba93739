/** The facts about other collections that an object finds out itself if it holds all collections of its cluster. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { factsOfOneObject } from '../clusters/lookups.ts'
import { findObject } from '../clusters/read-object.ts'
import { type Lookup, MissingLookups } from '../meta/lookups.ts'
import { defaultIngressClass, defaultStorageClass, runtimeClass, storageClassExpands } from '../registry/facts/classes.ts'
import { existingPods } from '../registry/facts/existing-pods.ts'
import type { ReadFact } from '../registry/facts/fact.ts'
import { node } from '../registry/facts/node.ts'
import { serviceAccount } from '../registry/facts/service-account.ts'
import { storedObject } from '../registry/facts/stored-object.ts'
import type { WritesOf } from './admitted-writes.ts'
import { createdOnDemand } from './service-account/default-account.ts'

/** Reads a ServiceAccount. `default` is created on demand, so that it exists as soon as its namespace does. */
const accountOnDemand =
  (writesOf: WritesOf): ReadFact<'serviceAccount'> =>
  async (collections, account) => {
    const found = await serviceAccount(collections, account)
    if (found !== null || account.name !== 'default') return found
    const namespace = await findObject(collections, { resource: 'namespaces', namespace: '', name: account.namespace })
    if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return null
    return (await createdOnDemand(writesOf, account.namespace)) ? await serviceAccount(collections, account) : null
  }

const factsWith = (writesOf: WritesOf): { readonly [Name in (typeof factsOfOneObject)[number]]: ReadFact<Name> } => ({
  defaultIngressClass,
  defaultStorageClass,
  existingPods,
  node,
  runtimeClass,
  serviceAccount: accountOnDemand(writesOf),
  storageClassExpands: async (collections, parameters) => (await storageClassExpands(collections, parameters)) ?? false,
  storedObject,
})

/**
 * Returns the missing lookups of an operation, those of the Worker that the object can resolve as its own.
 * @param collections the client of the object
 * @param writesOf the writes of its controllers
 */
export function withOwnFacts(collections: CollectionClient, writesOf: WritesOf, { lookups }: MissingLookups): MissingLookups {
  const facts = factsWith(writesOf)
  return new MissingLookups(
    lookups.map((lookup): Lookup<unknown> => {
      if (lookup.where === 'object' || !Object.hasOwn(facts, lookup.name)) return lookup
      // `workerLookup` has checked the parameters against the name.
      const read = facts[lookup.name as keyof typeof facts] as (of: CollectionClient, parameters: unknown) => Promise<unknown>
      const { key, parameters } = lookup
      return { where: 'object', key, resolve: async () => ({ result: await read(collections, parameters) }) }
    }),
  )
}
