/** The entry point: the Worker and the Durable Object classes, with their dependencies. */
import { env } from 'cloudflare:workers'
import { Authorizer } from './auth/authorizer.ts'
import { fetchOf } from './auth/ca-fetch.ts'
import { networkOf, nodeNetworkOf } from './auth/cluster-network.ts'
import { frontProxySettingsOf, ReachableBackends } from './auth/front-proxy/backends.ts'
import { UserTokenIssuer } from './auth/front-proxy/user-tokens.ts'
import { TokenKeys } from './auth/service-accounts/token-keys.ts'
import { ImageReviews } from './auth/webhook/image-reviews.ts'
import { webhookTransport } from './auth/webhook-transport.ts'
import { servedVersions } from './catalog/served-versions.ts'
import type { AdmissionConfiguration } from './clusters/admission-configuration.ts'
import { ClusterNames } from './clusters/cluster-names.ts'
import { ClusterAddresses, clustersPath, isClusterName } from './clusters/cluster-path.ts'
import { CollectionClient } from './clusters/collection-client.ts'
import { controlOf, defaultCluster } from './clusters/placement.ts'
import { PolicyCache } from './clusters/policy.ts'
import { ReadCache } from './clusters/read-cache.ts'
import { StrangerTurns } from './clusters/stranger-reads.ts'
import { resourceConfigOf } from './config/emulation.ts'
import type { Environment } from './config/environment.ts'
import { switchFeatureGates } from './config/feature-gates.ts'
import { flagValues, settingValues } from './config/settings.ts'
import { type ControllerClients, writesInCluster } from './controllers/admitted-writes.ts'
import { existingClusters } from './controllers/cluster/existing.ts'
import { KindCache } from './crd/kind-cache.ts'
import { Collection as CollectionObject } from './durable-objects/collection.ts'
import { Control as ControlObject } from './durable-objects/control.ts'
import { OtherOpenApi } from './http/aggregation/open-api.ts'
import { type ApiServer, apiServer, type FilterServices } from './http/app.ts'
import { configuredLog } from './http/audit/configured-log.ts'
import { authenticationOf, type ClusterServices } from './http/authentication-of-clusters.ts'
import type { ResourceServices } from './http/context.ts'
import { controllerClient } from './http/controller-client.ts'
import { CurrentDiscovery } from './http/discovery/custom.ts'
import { pageNotFound } from './http/discovery/not-found.ts'
import type { DocumentServices } from './http/documents.ts'
import { respondTo } from './http/filters/head.ts'
import { healthChecks, healthPaths } from './http/health.ts'
import { lateSettingsIn } from './http/late-settings.ts'
import type { Limits, RateLimit, RateLimitBinding } from './http/limits/rate-limit.ts'
import { Seats } from './http/limits/seats.ts'
import { Suspension } from './http/limits/suspension.ts'
import { HealthMetrics } from './http/metrics/health-metrics.ts'
import { metricsPaths } from './http/metrics/serve.ts'
import { ServerMetrics } from './http/metrics/server-metrics.ts'
import { CustomVersions } from './http/openapi/definitions.ts'
import { openApiPaths } from './http/openapi/paths.ts'
import { resourcesOfSpec, settledResources } from './http/served-resources.ts'
import { confirmRunning } from './http/server-process.ts'
import { issuerPaths } from './http/service-account-issuer.ts'
import { readSettings, type Settings } from './http/settings.ts'
import { testingApp } from './http/testing/clusters.ts'
import { testingFilters } from './http/testing/filters.ts'
import { nodeNetwork } from './http/verbs/connect/network.ts'
import { noNodes } from './http/verbs/connect/node-access.ts'
import { sourceBuild } from './http/version.ts'
import { pagePaths } from './http/zpages/statusz.ts'
import { garbage } from './meta/garbage.ts'
import { LruCache } from './meta/lru-cache.ts'
import { memoryBudget } from './meta/memory-budget.ts'
import { type Rate, TokenBuckets } from './meta/token-buckets.ts'
import { type ClustersUnderTest, clustersUnderTest, sourcesOf } from './testing/clusters.ts'

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

/** Returns the rate limit: buckets of this isolate if a rate is configured, and the rate limit binding if one is bound. */
function rateLimit(rate: Rate | undefined, binding: RateLimitBinding | undefined): RateLimit {
  return { buckets: rate && new TokenBuckets(rate), binding }
}

function limitsOf(environment: Environment): Limits {
  return {
    user: rateLimit(settings.userRate, environment.USER_RATE_LIMIT),
    address: rateLimit(settings.addressRate, environment.ADDRESS_RATE_LIMIT),
    strangers: rateLimit(undefined, environment.STRANGER_RATE_LIMIT),
    seats: new Seats(settings.maxRequestsInflight || Number.POSITIVE_INFINITY),
  }
}

/** The names of clusters, for strangers: anybody can invent one. */
const clusterNames = new ClusterNames(async (names) => {
  const { client, policy } = serverOfDefault(env as unknown as Environment)
  return existingClusters(client, policy, names)
})

/** Returns the services of a cluster. Each has its own caches. */
function servicesOf(environment: Environment, cluster: string): ClusterServices {
  const client = new CollectionClient(environment, cluster)
  const isDefault = cluster === defaultCluster
  // The control object of a cluster under test is told of it without a Cluster object.
  const isConfirmed = isDefault || underTest !== undefined
  const turns: StrangerTurns = new StrangerTurns(async () => isConfirmed || policy.isLoaded || clusterNames.confirm(cluster))
  const [permissionAge, staleFor] = [settings.policySeconds * 1000, settings.policyStaleSeconds * 1000]
  const policy = new PolicyCache(client, { turns, staleFor, permissionAge })
  const url = settings.serviceAccountIssuer + (isDefault ? '' : clustersPath + cluster)
  const { now } = sourcesOf(settings, controlOf(cluster).name)
  return { cluster, client, policy, turns, now, issuer: { url, keys: new TokenKeys(client, turns) } }
}

/** The API server of a cluster, and the client that all its services share. */
interface ClusterServer {
  readonly app: ApiServer
  readonly client: CollectionClient
  readonly policy: PolicyCache
  readonly resources: ResourceServices
}

/** The parts that several of a cluster's handlers share. */
function partsOf(services: ClusterServices, environment: Environment) {
  const { client, cluster, policy, issuer } = services
  const isDefault = cluster === defaultCluster
  const limits = limitsOf(environment)
  const metrics = new ServerMetrics({
    build: sourceBuild,
    seats: limits.seats,
    startedAt: Date.now(),
    dataset: environment.METRICS,
    admission: settings.admission,
  })
  const webhooks = webhookTransport(environment, { objects: client, network: networkOf(environment, cluster) })
  return {
    ...services,
    environment,
    isDefault,
    resources: isDefault
      ? settledResources(settings.resources)
      : resourcesOfSpec(policy, ({ emulatedRelease }) => resourceConfigOf(emulatedRelease ?? '')),
    customKinds: new KindCache(client, policy),
    authorizer: new Authorizer(policy, settings.authorizers),
    limits,
    metrics,
    authentication: authenticationOf(services, settings, settings.adminToken, metrics.access),
    health: healthChecks(
      () => policy.confirm(),
      () => confirmRunning(environment.PROCESS),
    ),
    webhooks,
    reads: new ReadCache(),
    otherServers: {
      backends: new ReachableBackends(frontProxySettingsOf(settings, cluster), webhooks),
      tokens: new UserTokenIssuer((claims) => issuer.keys.sign(claims), issuer.url),
    },
    // Compression would delay events until its buffer is full.
    watchHeaders: settings.compression === 'none' ? {} : { 'content-encoding': 'identity' },
  }
}

type ClusterParts = ReturnType<typeof partsOf>

function filtersOf({
  cluster,
  authentication,
  authorizer,
  policy,
  limits,
  environment,
  metrics,
  isDefault,
}: ClusterParts): FilterServices {
  const { allowedOrigins, strictTransportSecurity } = settings
  return {
    addresses,
    authentication,
    authorizer,
    policy,
    limits,
    headerLines: environment.HEADER_LINES,
    audit: configuredLog(settings, environment, metrics),
    allowedOrigins,
    strictTransportSecurity,
    metrics,
    publicPage: settings.publicPage && isDefault ? settings.serverAddress : undefined,
    isNamed: !isDefault,
    testing: underTest && testingFilters(underTest.of(cluster)),
  }
}

function documentsOf(parts: ClusterParts): DocumentServices {
  const { client, policy, issuer, environment, isDefault, resources, customKinds, metrics, health, otherServers } = parts
  // The options and the process of the deployment do not concern the administrators of named clusters.
  const flags = isDefault ? flagValues(environment as unknown as Readonly<Record<string, unknown>>) : undefined
  return {
    client,
    health,
    healthMetrics: new HealthMetrics(),
    livezGracePeriod: settings.livezGracePeriod,
    metrics,
    metricsOptions: { hidden: settings.hiddenMetrics, disabled: settings.disabledMetrics },
    process: isDefault ? environment.PROCESS : undefined,
    served: resources,
    discovery: new CurrentDiscovery(
      ({ cluster: facts }) => servedVersions(resources.of(facts)),
      (asker) => policy.refresh(asker),
    ),
    customVersions: new CustomVersions(customKinds),
    apiServices: async (asker) => (await policy.refresh(asker)).apiServices,
    otherOpenApi: new OtherOpenApi(otherServers),
    issuer,
    build: sourceBuild,
    flags,
    otherPaths: [...healthPaths(health), ...openApiPaths, ...issuerPaths, ...metricsPaths, ...pagePaths(flags), '/version'],
    serverAddress: settings.serverAddress,
  }
}

function resourcesOf(parts: ClusterParts): ResourceServices {
  const { policy, now, resources, customKinds, reads, authorizer, webhooks, authentication, issuer, health } = parts
  const { client, cluster, isDefault, environment, watchHeaders } = parts
  const currentAdmission = async (): Promise<AdmissionConfiguration> => (await policy.current()).admission
  const { imagePolicy } = settings.admission
  const nodes = nodeNetworkOf(environment, cluster)
  return {
    policy,
    now,
    served: resources,
    customKinds,
    reads,
    authorizer,
    admissionSettings: settings.admission,
    writesOf: writesInCluster({
      collections: client,
      currentAdmission,
      client: (user) => controllerClients(environment, cluster, user),
    }),
    webhooks,
    // The certificate for kubelets is the deployment's.
    nodes:
      nodes === undefined
        ? noNodes
        : isDefault
          ? nodeNetwork(settings, { network: nodes, names: environment.NODE_NETWORK })
          : nodeNetwork(settingValues({}), { network: nodes }),
    tokens: authentication.tokens,
    anonymous: authentication.anonymous,
    imageReviews: imagePolicy && new ImageReviews(imagePolicy, settings.fetchOf),
    issuer,
    health,
    watches: settings.watches,
    watchHeaders,
  }
}

/** Makes the API server of a cluster. */
function serverOf(environment: Environment, cluster: string): ClusterServer {
  const parts = partsOf(servicesOf(environment, cluster), environment)
  const { client, policy, reads, otherServers, watchHeaders } = parts
  const resources = resourcesOf(parts)
  const app = apiServer({
    filters: filtersOf(parts),
    documents: documentsOf(parts),
    resources,
    aggregation: { client, policy, reads, ...otherServers, watchHeaders },
    client,
    testing: cluster === defaultCluster && underTest !== undefined ? testingPaths(environment, underTest) : undefined,
  })
  return { app, client, policy, resources }
}

/** Returns the paths by which a test controls its clusters. */
function testingPaths(environment: Environment, clusters: ClustersUnderTest): ApiServer {
  return testingApp({
    clusters,
    clientOf: (cluster) => new CollectionClient(environment, cluster),
    forget: (cluster) => {
      clusters.forget(cluster)
      servers.delete(cluster)
      unconfirmed.delete(cluster)
    },
    adminToken: settings.adminToken,
    serverAddress: settings.serverAddress,
    rootCertificate: settings.rootCertificate,
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
  const { client, resources } = cluster === defaultCluster ? serverOfDefault(environment) : serverNamed(cluster, environment)
  return controllerClient(client, resources, user)
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
