import type { ObjectProtocol } from '../../clusters/object-protocol.ts'
import type { ObjectUse } from '../../controllers/cluster/use.ts'
import type { Feature, Kernel } from '../../controllers/kernel.ts'
import type { CollectionUsage } from '../../controllers/resource-quota/collection-usage.ts'
import type { FeatureOf } from './feature-handlers.ts'

/**
 * The use of ResourceQuotas by the object's own objects.
 * @param copy copies collections that are still to be copied from another cluster
 */
export const quotaUsage = (
  usage: CollectionUsage,
  copy: (prefixes: readonly string[]) => Promise<void>,
): FeatureOf<ObjectProtocol, 'usage'> => ({
  jobs: [usage],
  registry: { quotas: usage },
  changed: (event) => usage.changed(event),
  handlers: {
    usage: async (question) => {
      await copy([...new Set(Object.keys(question.ranges).map((range) => range.slice(0, range.indexOf('/'))))])
      return usage.answer(question)
    },
  },
})

/** The usage of a named cluster, and its limits. The default cluster has none, but limits for those who make clusters. */
export function clusterUsage({ settings }: Kernel, use: ObjectUse | undefined): Feature {
  if (use === undefined) return { registry: { clusterOwnerLimits: settings.clusterOwnerLimits } }
  return {
    jobs: [use],
    registry: { allowance: use },
    changed: (event) => use.changed(event),
    arrived: (event) => use.changed(event),
    applied: (keys) => use.applied(keys),
  }
}
