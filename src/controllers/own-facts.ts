/** The facts about other collections that an object finds out itself if it holds all collections of its cluster. */
import type { CollectionClient } from '../clusters/collection-client.ts'
import { findObject } from '../clusters/read-object.ts'
import { type Lookup, MissingLookups } from '../meta/lookups.ts'
import { factNamed } from '../registry/facts/all.ts'
import type { FactReader } from '../registry/facts/fact.ts'
import type { WritesOf } from './admitted-writes.ts'
import { createdOnDemand } from './service-account/default-account.ts'

/**
 * Returns the missing lookups of an operation, those of the Worker that the object can resolve as its own.
 * @param collections the client of the object
 * @param writesOf the writes of its controllers
 */
export function withOwnFacts(collections: CollectionClient, writesOf: WritesOf, { lookups }: MissingLookups): MissingLookups {
  const host: FactReader = {
    collections,
    createDefaultAccount: async (name) => {
      const namespace = await findObject(collections, { resource: 'namespaces', namespace: '', name })
      if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return false
      return createdOnDemand(writesOf, name)
    },
  }
  return new MissingLookups(
    lookups.map((lookup): Lookup<unknown> => {
      const find = lookup.where === 'object' ? undefined : factNamed(lookup.name)
      if (lookup.where === 'object' || find === undefined) return lookup
      const { key, parameters } = lookup
      return { where: 'object', key, resolve: async () => ({ result: await find(host, parameters) }) }
    }),
  )
}
