/** Opens the kernel of a Durable Object. */

import { networkOf } from '../auth/cluster-network.ts'
import { webhookTransport } from '../auth/webhook-transport.ts'
import { kindOf } from '../catalog/scheme.ts'
import type { ClusterPlace } from '../clusters/cluster-terms.ts'
import { CollectionClient } from '../clusters/collection-client.ts'
import { firstResourceVersion } from '../clusters/first-resource-version.ts'
import { type ClusterPlacement, clusterOf, defaultCluster } from '../clusters/placement.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import { readAdmissionSettings } from '../config/admission/settings.ts'
import { readEmulation } from '../config/emulation.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import { AdmissionConfigurations } from '../controllers/admission-configuration.ts'
import { type ControllerClients, writesInCluster } from '../controllers/admitted-writes.ts'
import { Alarms } from '../controllers/alarms.ts'
import { type Kernel, ObjectEvents } from '../controllers/kernel.ts'
import { Queues } from '../controllers/queues.ts'
import { callAdmissionWebhook } from '../registry/admission/webhooks/post-call.ts'
import { namesFrom } from '../registry/name-generator.ts'
import { noSubscriptions } from '../registry/owners.ts'
import type { Registry } from '../registry/registry.ts'
import { StoreMetrics } from '../registry/store-metrics.ts'
import type { HistoryBounds } from '../storage/compaction.ts'
import type { Database } from '../storage/database.ts'
import { SqliteStore } from '../storage/sqlite-store.ts'
import { sourcesOf } from '../testing/clusters.ts'
import type { Loopback } from './loopback.ts'

/** An object of which so much is known before its contents are read. */
export interface KnownObject {
  readonly ctx: DurableObjectState
  readonly env: Environment
  /** Makes the clients of controllers whose writes policies and webhooks see. */
  readonly clients: ControllerClients
  readonly database: Database
  /** The name of the object. */
  readonly name: string
  readonly placement: ClusterPlacement
  readonly history: HistoryBounds
  /** The way of the object's requests to itself. */
  readonly loopback: Loopback
}

/** Opens the kernel of an object. */
export function openKernel({ ctx, env, clients, database, name, placement, history, loopback }: KnownObject): Kernel {
  const cluster = clusterOf(name)
  const settings = objectSettings(env)
  const { now, versionName } = sourcesOf(settings, name)
  const metrics = new StoreMetrics()
  const events = new ObjectEvents()
  const store = new SqliteStore(
    ctx,
    {
      historyEvents: history.historyEvents,
      get historySeconds() {
        return history.historySeconds
      },
      firstResourceVersion: firstResourceVersion(versionName),
      now,
      changed: (event) => {
        metrics.changed(event.object.key)
        events.changed(event)
      },
      applied: (keys) => events.applied(keys),
    },
    database,
  )
  const caller = { name, clock: store }
  const own = { name, fetch: (request: Request) => loopback.fetch(request) }
  const { jurisdiction } = ctx.id
  const atJurisdiction = jurisdiction === undefined ? {} : { jurisdiction }
  const client = new CollectionClient(env, { name: cluster, placement, ids: new Map(), own, caller, ...atJurisdiction })
  const pool = new ConnectionPool()
  const webhooks = webhookTransport(env, { objects: client, network: networkOf(env, cluster), pool })
  const registry = coreRegistry({ env, name, store, client, webhooks, metrics })
  const { controllers } = settings
  const alarms = new Alarms(ctx.storage, now, metrics.samples)
  let isEnding = false
  return {
    ctx,
    env,
    settings,
    name,
    cluster,
    placement,
    database,
    store,
    now,
    metrics,
    client,
    clusterClient: (other: string, place?: ClusterPlace) => {
      const located = place === undefined ? {} : ({ ...place, isLocated: true } as const)
      return new CollectionClient(env, { name: other, placement: undefined, ids: new Map(), caller, ...located })
    },
    pool,
    webhooks,
    registry,
    writesOf: writesInCluster({
      collections: client,
      currentAdmission: () => registry.currentAdmission(),
      client: (user) => clients(env, cluster, user),
    }),
    controllers,
    alarms,
    queues: new Queues({ object: { name, placement }, storage: ctx.storage, alarms, now, enabled: controllers }),
    events,
    get isEnding() {
      return isEnding
    },
    restart: async (reason) => {
      isEnding = true
      await ctx.storage.sync()
      ctx.abort(reason)
    },
  }
}

/** Returns the dependencies of the verbs that every object has. Features add theirs. */
function coreRegistry(parts: Pick<Kernel, 'env' | 'name' | 'store' | 'client' | 'webhooks' | 'metrics'>): Registry {
  const { env, name, store, client, webhooks, metrics } = parts
  const settings = objectSettings(env)
  const admissionSettings = readAdmissionSettings(env)
  const sources = sourcesOf(settings, name)
  const configurations = new AdmissionConfigurations(client)
  return {
    store,
    kindOf,
    now: sources.now,
    names: namesFrom(sources),
    serviceCidr: settings.serviceCidr,
    owners: noSubscriptions,
    metrics,
    admissionConfiguration: (tag) => configurations.get(tag),
    currentAdmission: () => configurations.current(),
    admissionSettings,
    callWebhook: (call, deadline) => callAdmissionWebhook(webhooks, admissionSettings, call, { deadline }),
    ...(clusterOf(name) === defaultCluster && { resourceConfig: () => readEmulation(env) }),
  }
}
