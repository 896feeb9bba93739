/** The entry: the Worker, the Durable Object classes, and how they are wired. */
import { env } from 'cloudflare:workers'
import { Authenticator } from './auth/authenticator.ts'
import { Authorizer } from './auth/authorizer.ts'
import { bootstrapTokens } from './auth/bootstrap-tokens.ts'
import { fetchOf } from './auth/ca-fetch.ts'
import { isAccess } from './auth/configuration.ts'
import { oidcTokens } from './auth/oidc/authenticator.ts'
import { AccountCache } from './auth/service-accounts/account-cache.ts'
import { ServiceAccountTokens } from './auth/service-accounts/authenticator.ts'
import { TokenKeys } from './auth/service-accounts/token-keys.ts'
import { WithoutAudiences } from './auth/token-authenticator.ts'
import { WebhookTokens } from './auth/webhook/tokens.ts'
import { served } from './catalog/generated/served.ts'
import { CollectionClient } from './clusters/collection-client.ts'
import { defaultCluster } from './clusters/placement.ts'
import { PolicyCache } from './clusters/policy.ts'
import { type Environment, maximumInflightOf, serviceAccountIssuerOf } from './config/environment.ts'
import { KindCache } from './crd/kind-cache.ts'
import { Collection } from './durable-objects/collection.ts'
import { Control } from './durable-objects/control.ts'
import { handle } from './http/app.ts'
import { AuditLog } from './http/audit/log.ts'
import { bucketSink, consoleSink, queueSink } from './http/audit/sinks.ts'
import type { Authentication } from './http/chain/authentication.ts'
import type { Limits, RateLimit, RateLimitBinding } from './http/chain/limits.ts'
import type { Server } from './http/context.ts'
import { CurrentDiscovery } from './http/discovery/custom.ts'
import { healthChecks, healthPaths } from './http/health.ts'
import { Seats } from './http/limits/seats.ts'
import { type Rate, TokenBuckets } from './http/limits/token-buckets.ts'
import { HealthMetrics } from './http/metrics/health-metrics.ts'
import { metricsPaths } from './http/metrics/serve.ts'
import { ServerMetrics } from './http/metrics/server-metrics.ts'
import { CustomVersions } from './http/openapi/definitions.ts'
import { openApiPaths } from './http/openapi/serve.ts'
import { issuerPaths } from './http/service-account-issuer.ts'
import { readSettings } from './http/settings.ts'
import { statuszPath } from './http/statusz.ts'
import { sourceBuild } from './http/version.ts'
import { switchFeatureGates } from './meta/feature-gates.ts'

export { Collection, Control }

/** What cannot be read is told when the Worker is loaded, and not to every client. */
const settings = readSettings(env as unknown as Environment, fetchOf(env))
switchFeatureGates((env as unknown as Environment).FEATURE_GATES ?? '')

/** Buckets of this isolate where a rate is set, and the platform's counter where one is bound. */
function rateLimit(rate: Rate | undefined, binding: RateLimitBinding | undefined): RateLimit {
  return { buckets: rate && new TokenBuckets(rate), binding }
}

function limits(environment: Environment): Limits {
  return {
    user: rateLimit(settings.userRate, environment.USER_RATE_LIMIT),
    address: rateLimit(settings.addressRate, environment.ADDRESS_RATE_LIMIT),
    seats: new Seats(maximumInflightOf(environment)),
  }
}

function auditLog({ AUDIT_BUCKET, AUDIT_QUEUE }: Environment, metrics: ServerMetrics): AuditLog | undefined {
  if (settings.auditPolicy === undefined) return undefined
  const sinks = [
    ...(AUDIT_BUCKET === undefined ? [] : [bucketSink(AUDIT_BUCKET, (events) => metrics.lost('bucket', events))]),
    ...(AUDIT_QUEUE === undefined ? [] : [queueSink(AUDIT_QUEUE, (events) => metrics.lost('queue', events))]),
  ]
  return new AuditLog(settings.auditPolicy, sinks.length === 0 ? [consoleSink] : sinks, metrics)
}

/** The kinds of tokens in the order of kube-apiserver. */
function authentication(objects: CollectionClient, keys: TokenKeys, issuer: string): Authentication {
  const { authentication: configuration, statics, webhookTokens, clientCertificates } = settings
  const oidc = oidcTokens(configuration.jwt, settings.fetchOf)
  const audiences = [issuer]
  const tokens = [
    new WithoutAudiences(audiences, (token) => statics.holderOf(token)),
    new ServiceAccountTokens({ objects, keys, issuer, audiences }),
    new WithoutAudiences(audiences, bootstrapTokens(objects)),
    new WithoutAudiences(audiences, oidc),
    ...(webhookTokens === undefined ? [] : [new WebhookTokens(webhookTokens, audiences, settings.fetchOf)]),
  ]
  return {
    tokens: new Authenticator(tokens, audiences),
    anonymous: configuration.anonymous,
    accessAssertions: configuration.jwt.some(isAccess) ? 'taken' : 'ignored',
    clientCertificates,
  }
}

function wire(environment: Environment): Server {
  const objects = new CollectionClient(environment, defaultCluster)
  const keys = new TokenKeys(objects)
  const issuer = serviceAccountIssuerOf(environment)
  const health = healthChecks(async () => {
    const answer = await objects.control().fetch('http://control/health')
    if (!answer.ok) throw new Error('the control object does not answer')
  })
  const policy = new PolicyCache(objects)
  const limited = limits(environment)
  const metrics = new ServerMetrics(sourceBuild, limited.seats, Date.now(), environment.METRICS)
  const customKinds = new KindCache(objects, policy)
  return {
    collections: objects,
    policy,
    authorizer: new Authorizer(policy, settings.authorizers),
    authentication: authentication(objects, keys, issuer),
    accounts: new AccountCache(objects),
    issuer: { url: issuer, keys },
    limits: limited,
    browserHeaders: settings.browserHeaders,
    audit: auditLog(environment, metrics),
    metrics,
    healthMetrics: new HealthMetrics(),
    discovery: new CurrentDiscovery(served, () => customKinds.summaries()),
    customKinds,
    customVersions: new CustomVersions(customKinds),
    health,
    otherPaths: [...healthPaths(health), ...openApiPaths, ...issuerPaths, ...metricsPaths, statuszPath, '/version'],
    build: sourceBuild,
    // Compression would hold events back until its buffer is full.
    watchHeaders: environment.COMPRESSION === 'none' ? {} : { 'content-encoding': 'identity' },
    serverAddress: environment.SERVER_ADDRESS ?? '',
  }
}

let server: Server | undefined

/** The control object begins what a start leaves to it, and goes on with what a restart has interrupted. */
async function wake({ collections: objects }: Server): Promise<void> {
  await objects
    .control()
    .fetch('http://control/health')
    .catch((error: unknown) => console.error('the control object:', error))
}

export default {
  async fetch(request, environment, context): Promise<Response> {
    if (server === undefined) {
      server = wire(environment)
      context.waitUntil(wake(server))
    }
    return handle(server, request, (work) => context.waitUntil(work))
  },
} satisfies ExportedHandler<Environment>
