/** The entry point: the settings, the servers of clusters, the Worker and the Durable Object classes. */
import { env } from 'cloudflare:workers'
import { fetchOf } from './auth/ca-fetch.ts'
import { networkOf, nodeNetworkOf } from './auth/cluster-network.ts'
import { ClusterNames } from './clusters/cluster-names.ts'
import { ClusterAddresses, isClusterName } from './clusters/cluster-path.ts'
import { defaultCluster } from './clusters/placement.ts'
import type { Environment } from './config/environment.ts'
import { switchFeatureGates } from './config/feature-gates.ts'
import type { ControllerClients } from './controllers/admitted-writes.ts'
import { existingClusters } from './controllers/cluster/existing.ts'
import { Collection as CollectionObject } from './durable-objects/collection.ts'
import { Control as ControlObject } from './durable-objects/control.ts'
import { pageNotFound } from './http/discovery/not-found.ts'
import { respondTo } from './http/filters/head.ts'
import { lateSettingsIn } from './http/late-settings.ts'
import { Suspension } from './http/limits/suspension.ts'
import { type ClusterServer, createServer } from './http/server.ts'
import { readSettings, type Settings } from './http/settings.ts'
import { garbage } from './meta/garbage.ts'
import { LruCache } from './meta/lru-cache.ts'
import { memoryBudget } from './meta/memory-budget.ts'
import { type ClustersUnderTest, clustersUnderTest } from './testing/clusters.ts'

/** The settings of the deployment. An invalid one makes the Worker fail when it is loaded, and not only at requests. */
let settings: Settings
/** The addresses of its clusters. */
let addresses: ClusterAddresses
/** The clusters under test; undefined unless this is a server for tests. */
let underTest: ClustersUnderTest | undefined

/** Uses the settings of the deployment. @throws Error for an invalid one */
function useSettings(environment: Environment): void {
  settings = readSettings(environment, fetchOf(environment))
  memoryBudget.resize(settings.cacheMegabytes * 1024 * 1024)
  garbage.every(settings.garbageMegabytes * 1024 * 1024)
  switchFeatureGates(settings.featureGates, settings.resources)
  addresses = new ClusterAddresses(settings.clusterDomain)
  underTest = settings.testing ? clustersUnderTest : undefined
}

/** The settings of a server that is loaded before they are known; undefined if they are in the environment, as usual. */
const lateSettings = lateSettingsIn(env as unknown as Environment, useSettings)
if (lateSettings === undefined) useSettings(env as unknown as Environment)

/** The names of clusters, for strangers: anybody can invent one. */
const clusterNames = new ClusterNames(async (names) => {
  const { client, policy } = serverOfDefault(env as unknown as Environment)
  return existingClusters(client, policy, names)
})

/** Makes the API server of a cluster. */
function serverOf(environment: Environment, cluster: string): ClusterServer {
  return createServer(cluster, {
    environment,
    settings,
    addresses,
    underTest,
    network: networkOf(environment, cluster),
    nodeNetwork: nodeNetworkOf(environment, cluster),
    exists: () => clusterNames.confirm(cluster),
    forget: (name) => {
      servers.delete(name)
      unconfirmed.delete(name)
    },
  })
}

/** The maximum number of named clusters whose servers are kept in an isolate, and of those that may not exist. */
const mostServers = 1000
const mostUnconfirmed = 100

let defaultServer: ClusterServer | undefined

/** Returns the API server of the default cluster. */
function serverOfDefault(environment: Environment): ClusterServer {
  defaultServer ??= serverOf(environment, defaultCluster)
  return defaultServer
}

function respondInDefault(
  request: Request,
  environment: Environment,
  context: ExecutionContext,
  suspension: Suspension,
): Promise<Response> {
  return respondTo(serverOfDefault(environment).app, request, context, { suspension })
}

/** The servers of named clusters. Each belongs to the cluster with one uid: a later one with the same name gets another server. */
const servers = new LruCache<string, ClusterServer>(mostServers)

/** The servers of clusters that have not answered yet: clients that invent names must not make the others be forgotten. */
const unconfirmed = new LruCache<string, ClusterServer>(mostUnconfirmed)

/** Returns the API server of a named cluster. */
function serverNamed(cluster: string, environment: Environment): ClusterServer {
  const known = servers.get(cluster) ?? unconfirmed.get(cluster)
  if (known !== undefined && !known.client.isReplaced) return known
  const made = serverOf(environment, cluster)
  servers.delete(cluster)
  unconfirmed.set(cluster, made)
  return made
}

/** Keeps a server among those of clusters that exist, when its cluster has answered. */
function confirm(cluster: string, server: ClusterServer): void {
  if (!server.policy.isLoaded || servers.get(cluster) === server) return
  unconfirmed.delete(cluster)
  servers.set(cluster, server)
}

/**
 * Responds to a request for a named cluster. If its objects refuse it, because another cluster has the name now, the request is
 * passed to the server of that one, unless its body has been read.
 */
async function respondIn(
  cluster: string,
  request: Request,
  environment: Environment,
  context: ExecutionContext,
  suspension: Suspension,
): Promise<Response> {
  const attempts = { isRefused: false, auditId: undefined, isReceived: false }
  const server = serverNamed(cluster, environment)
  const response = await respondTo(server.app, request, context, { attempts, suspension })
  confirm(cluster, server)
  if (!attempts.isRefused) return response
  await response.body?.cancel()
  attempts.isRefused = false
  return respondTo(serverNamed(cluster, environment).app, request, context, { attempts, suspension })
}

/** Makes the client of a cluster with which a controller acts, here and in the Durable Objects. */
const controllerClients: ControllerClients = (environment, cluster, user) => {
  const server = cluster === defaultCluster ? serverOfDefault(environment) : serverNamed(cluster, environment)
  return server.clientFor(user)
}

export class Collection extends CollectionObject {
  constructor(state: DurableObjectState, environment: Environment) {
    super(state, environment, controllerClients)
  }
}

export class Control extends ControlObject {
  constructor(state: DurableObjectState, environment: Environment) {
    super(state, environment, controllerClients)
  }
}

export default {
  fetch(request, environment, context): Promise<Response> | Response {
    if (lateSettings?.areMissing) return lateSettings.take(request, environment)
    const { cluster = defaultCluster } = addresses.of(request.url)
    if (cluster !== defaultCluster && !isClusterName(cluster)) return pageNotFound()
    const suspension = new Suspension()
    const response =
      cluster === defaultCluster
        ? respondInDefault(request, environment, context, suspension)
        : respondIn(cluster, request, environment, context, suspension)
    // Without this, the runtime drops the work of a request whose client disconnects, and the request's seat stays taken.
    suspension.whenBegun(() => context.waitUntil(response))
    return response
  },
} satisfies ExportedHandler<Environment>
