import { frontProxySettingsOf, ReachableBackends } from '../../auth/front-proxy/backends.ts'
import { forward } from '../../auth/front-proxy/forwarding.ts'
import type { ObjectMetrics } from '../../clusters/collection-metrics.ts'
import type { ObjectProtocol } from '../../clusters/object-protocol.ts'
import { Compactor } from '../../controllers/compactor.ts'
import type { Kernel } from '../../controllers/kernel.ts'
import type { Backup } from '../backup/backup.ts'
import { deleteAll } from '../delete-all.ts'
import type { FeatureOf } from './feature-handlers.ts'

/** Returns the counters of an object, with the gauges of this moment. */
export function measureObject({ store, alarms, metrics, ctx }: Kernel, prefixes: readonly string[]): ObjectMetrics {
  const { resourceVersion } = store
  const objects = Object.fromEntries(prefixes.map((name) => [name, store.countAfter(`${name}/`, '', resourceVersion)]))
  const failures = alarms.failures()
  alarms.measure()
  metrics.measure(store, objects, ctx.storage.sql.databaseSize)
  return { objects, samples: metrics.samples.read(), alarms: failures }
}

/**
 * The upkeep of every object: it forwards requests to other servers, compacts its history, runs its work, and ends.
 * @param keptFrom resolves to the time from which on history has to be kept
 */
export function maintenance(
  kernel: Kernel,
  backup: Backup,
  keptFrom: () => Promise<number>,
): FeatureOf<ObjectProtocol, 'forward' | 'deleteData' | 'runAlarm' | 'endWatches'> {
  const { settings, cluster, webhooks, pool, store, alarms } = kernel
  const backends = new ReachableBackends(frontProxySettingsOf(settings, cluster), webhooks)
  return {
    jobs: [new Compactor(store, { isBeingRead: () => backup.isBeingRead, keptFrom })],
    handlers: {
      forward: (request) => forward(backends, pool, request),
      deleteData: () => deleteAll(kernel),
      runAlarm: () => alarms.settle(),
      endWatches: ({ prefix }) => store.closeWatches(prefix),
    },
  }
}
