import { kindOf } from '../../catalog/scheme.ts'
import { prefixOfCollection } from '../../clusters/placement.ts'
import type { Definitions } from '../../controllers/crd/definitions.ts'
import type { Feature, Kernel } from '../../controllers/kernel.ts'
import type { CollectionUsage } from '../../controllers/resource-quota/collection-usage.ts'
import type { QuotaController } from '../../controllers/resource-quota/wiring.ts'
import type { ClusterCollections } from '../cluster-collections.ts'

/** The verbs that may create objects. */
const creatingVerbs: ReadonlySet<string> = new Set(['create', 'update', 'apply'])

/** Custom resources in the control object. If anything may have changed, the controllers look for work that they have missed. */
export const customResources = (kernel: Kernel, collections: ClusterCollections, definitions: Definitions): Feature => ({
  registry: {
    kindOf: (group, version, resource) => kindOf(group, version, resource) ?? collections.customKindOf(group, version, resource),
  },
  prepare: (operation) => collections.prepare(operation),
  applied: (keys) => {
    definitions.changed(keys)
    if (keys.length === 0) kernel.queues.findMissed()
  },
})

/**
 * Quotas of collections that are all in the control object. A quota may have been made before the definition of the objects that it
 * counts: it limits them from the first one on.
 */
export function ownQuotas({ placement }: Kernel, quotas: QuotaController, usage: CollectionUsage): Feature {
  if (placement !== 'one-object') return {}
  /** The collections that have been written to since the object has started. */
  const written = new Set<string>()
  return {
    prepare: ({ verb, target: { group, resource } }) => {
      const collection = prefixOfCollection(group, resource)
      if (!creatingVerbs.has(verb) || written.has(collection)) return undefined
      written.add(collection)
      usage.limit(quotas.rangesOf(collection))
      return undefined
    },
  }
}
