/** The services that several handlers of a cluster's API server share. */
import { Authorizer } from '../../auth/authorizer.ts'
import { frontProxySettingsOf, ReachableBackends } from '../../auth/front-proxy/backends.ts'
import { UserTokenIssuer } from '../../auth/front-proxy/user-tokens.ts'
import { TokenKeys } from '../../auth/service-accounts/token-keys.ts'
import { webhookTransport } from '../../auth/webhook-transport.ts'
import { type ClusterAddresses, clustersPath } from '../../clusters/cluster-path.ts'
import { CollectionClient } from '../../clusters/collection-client.ts'
import { controlOf, defaultCluster } from '../../clusters/placement.ts'
import { PolicyCache } from '../../clusters/policy.ts'
import { ReadCache } from '../../clusters/read-cache.ts'
import { StrangerTurns } from '../../clusters/stranger-reads.ts'
import type { Network } from '../../clusters/webhooks/network.ts'
import { resourceConfigOf } from '../../config/emulation.ts'
import type { Environment } from '../../config/environment.ts'
import { KindCache } from '../../crd/kind-cache.ts'
import { type Rate, TokenBuckets } from '../../meta/token-buckets.ts'
import { type ClustersUnderTest, sourcesOf } from '../../testing/clusters.ts'
import type { Authentication } from '../authentication.ts'
import { authenticationOf } from '../authentication-of-clusters.ts'
import { healthChecks } from '../health.ts'
import type { Limits, RateLimit, RateLimitBinding } from '../limits/rate-limit.ts'
import { Seats } from '../limits/seats.ts'
import { ServerMetrics } from '../metrics/server-metrics.ts'
import { resourcesOfSpec, settledResources } from '../served-resources.ts'
import { confirmRunning } from '../server-process.ts'
import type { Settings } from '../settings.ts'
import { sourceBuild } from '../version.ts'

/** The deployment and the cluster for which an API server is made. */
export interface ServerConfig {
  readonly environment: Environment
  readonly settings: Settings
  /** The addresses of the deployment's clusters. */
  readonly addresses: ClusterAddresses
  /** The clusters under test; undefined unless this is a server for tests. */
  readonly underTest: ClustersUnderTest | undefined
  /** The network of the cluster's webhooks and extension servers. */
  readonly network: Network
  /** The network of the cluster's nodes; undefined if they cannot be reached. */
  readonly nodeNetwork: Network | undefined
  /** Asks the default cluster whether this one exists. */
  readonly exists: () => Promise<boolean>
  /** Forgets the server of a cluster under test. */
  readonly forget: (cluster: string) => void
}

/** Services that a caller provides itself. Others that depend on them use these. */
export interface ServerOverrides {
  readonly client?: CollectionClient
  readonly authentication?: Authentication
}

/** Returns the rate limit: buckets of this isolate if a rate is configured, and the rate limit binding if one is bound. */
function rateLimit(rate: Rate | undefined, binding: RateLimitBinding | undefined): RateLimit {
  return { buckets: rate && new TokenBuckets(rate), binding }
}

function limitsOf({ environment, settings }: ServerConfig): Limits {
  return {
    user: rateLimit(settings.userRate, environment.USER_RATE_LIMIT),
    address: rateLimit(settings.addressRate, environment.ADDRESS_RATE_LIMIT),
    strangers: rateLimit(undefined, environment.STRANGER_RATE_LIMIT),
    seats: new Seats(settings.maxRequestsInflight || Number.POSITIVE_INFINITY),
  }
}

/** Makes the policy cache of a cluster, and the turns in which strangers make it ask. */
function policyOf(client: CollectionClient, cluster: string, { settings, underTest, exists }: ServerConfig) {
  // The control object of a cluster under test is told of it without a Cluster object.
  const isConfirmed = cluster === defaultCluster || underTest !== undefined
  const turns: StrangerTurns = new StrangerTurns(async () => isConfirmed || policy.isLoaded || exists())
  const [permissionAge, staleFor] = [settings.policySeconds * 1000, settings.policyStaleSeconds * 1000]
  const policy = new PolicyCache(client, { turns, staleFor, permissionAge })
  return { policy, turns }
}

/** Makes the services in the order in which they depend on each other. Each cluster has its own caches. */
export function sharedServices(cluster: string, config: ServerConfig, overrides: ServerOverrides) {
  const { environment, settings } = config
  const isDefault = cluster === defaultCluster
  const { now } = sourcesOf(settings, controlOf(cluster).name)
  const { client = new CollectionClient(environment, cluster) } = overrides
  const { policy, turns } = policyOf(client, cluster, config)
  const url = settings.serviceAccountIssuer + (isDefault ? '' : clustersPath + cluster)
  const issuer = { url, keys: new TokenKeys(client, turns) }
  const limits = limitsOf(config)
  const metrics = new ServerMetrics({
    build: sourceBuild,
    seats: limits.seats,
    startedAt: Date.now(),
    dataset: environment.METRICS,
    admission: settings.admission,
  })
  const services = { cluster, client, policy, turns, now, issuer }
  const { authentication = authenticationOf(services, settings, metrics.access) } = overrides
  const webhooks = webhookTransport(environment, { objects: client, network: config.network })
  return {
    ...services,
    isDefault,
    limits,
    metrics,
    authentication,
    authorizer: new Authorizer(policy, settings.authorizers),
    served: isDefault
      ? settledResources(settings.resources)
      : resourcesOfSpec(policy, ({ emulatedRelease }) => resourceConfigOf(emulatedRelease ?? '')),
    customKinds: new KindCache(client, policy),
    health: healthChecks(
      () => policy.confirm(),
      () => confirmRunning(environment.PROCESS),
    ),
    reads: new ReadCache(),
    webhooks,
    backends: new ReachableBackends(frontProxySettingsOf(settings, cluster), webhooks),
    userTokens: new UserTokenIssuer((claims) => issuer.keys.sign(claims), issuer.url),
    // Compression would delay events until its buffer is full.
    watchHeaders: settings.compression === 'none' ? {} : { 'content-encoding': 'identity' },
  }
}

export type SharedServices = ReturnType<typeof sharedServices>
