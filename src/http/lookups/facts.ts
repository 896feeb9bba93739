/** The facts about other collections in the Worker, which remembers them for a second. */
import { createdOnDemand } from '../../controllers/service-account/default-account.ts'
import type { FactReader } from '../../registry/facts/fact.ts'
import type { LookupContext } from './resolver.ts'

/** Returns the place in which the facts of a request are found out. */
export const factHost = ({ services, client, asker }: LookupContext): FactReader => ({
  collections: client,
  remember: (collection, key, read) => services.reads.find(collection, key, read),
  createDefaultAccount: async (namespace) =>
    (await services.policy.namespacePhase(namespace, asker)) === 'Active' && createdOnDemand(services.writesOf, namespace),
})
