/** The entry point: the Worker and the Durable Object classes, with their dependencies. */
import { env } from 'cloudflare:workers'
import { Authenticator } from './auth/authenticator.ts'
import { Authorizer } from './auth/authorizer.ts'
import { bootstrapTokens } from './auth/bootstrap-tokens.ts'
import { fetchOf } from './auth/ca-fetch.ts'
import { isAccess } from './auth/configuration.ts'
import { oidcTokens } from './auth/oidc/authenticator.ts'
import { ServiceAccountTokens } from './auth/service-accounts/authenticator.ts'
import { TokenKeys } from './auth/service-accounts/token-keys.ts'
import { WithoutAudiences } from './auth/token-authenticator.ts'
import { ImageReviews } from './auth/webhook/image-reviews.ts'
import { WebhookTokens } from './auth/webhook/tokens.ts'
import { webhookTransport } from './auth/webhook-transport.ts'
import { served } from './catalog/generated/served.ts'
import { CollectionClient } from './clusters/collection-client.ts'
import { defaultCluster } from './clusters/placement.ts'
import { PolicyCache } from './clusters/policy.ts'
import { ReadCache } from './clusters/read-cache.ts'
import { StrangerTurns } from './clusters/stranger-reads.ts'
import { useAdmissionSettings } from './config/admission/settings.ts'
import { type Environment, maximumInflightOf, serviceAccountIssuerOf } from './config/environment.ts'
import { KindCache } from './crd/kind-cache.ts'
import { Collection } from './durable-objects/collection.ts'
import { Control } from './durable-objects/control.ts'
import { type ApiServer, apiServer } from './http/app.ts'
import { AuditLog } from './http/audit/log.ts'
import { bucketSink, consoleSink, queueSink } from './http/audit/sinks.ts'
import { CurrentDiscovery } from './http/discovery/custom.ts'
import type { Authentication } from './http/filters/authentication.ts'
import { respondTo } from './http/filters/head.ts'
import { healthChecks, healthPaths } from './http/health.ts'
import type { Limits, RateLimit, RateLimitBinding } from './http/limits/rate-limit.ts'
import { Seats } from './http/limits/seats.ts'
import { HealthMetrics } from './http/metrics/health-metrics.ts'
import { metricsPaths } from './http/metrics/serve.ts'
import { ServerMetrics } from './http/metrics/server-metrics.ts'
import { CustomVersions } from './http/openapi/definitions.ts'
import { openApiPaths } from './http/openapi/serve.ts'
import { type IssuerKeys, issuerPaths } from './http/service-account-issuer.ts'
import { readSettings } from './http/settings.ts'
import { statuszPath } from './http/statusz.ts'
import { sourceBuild } from './http/version.ts'
import { switchFeatureGates } from './meta/feature-gates.ts'
import { type Rate, TokenBuckets } from './meta/token-buckets.ts'

export { Collection, Control }

/** The settings of the deployment. An invalid one makes the Worker fail when it is loaded, and not only at requests. */
const settings = readSettings(env as unknown as Environment, fetchOf(env))
useAdmissionSettings(settings.admission)
switchFeatureGates((env as unknown as Environment).FEATURE_GATES ?? '')

/** Returns the rate limit: buckets of this isolate if a rate is configured, and the rate limit binding if one is bound. */
function rateLimit(rate: Rate | undefined, binding: RateLimitBinding | undefined): RateLimit {
  return { buckets: rate && new TokenBuckets(rate), binding }
}

function limitsOf(environment: Environment): Limits {
  return {
    user: rateLimit(settings.userRate, environment.USER_RATE_LIMIT),
    address: rateLimit(settings.addressRate, environment.ADDRESS_RATE_LIMIT),
    strangers: rateLimit(undefined, environment.STRANGER_RATE_LIMIT),
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

/** Returns the authenticators of tokens, in the order of kube-apiserver. */
function authenticationOf(
  client: CollectionClient,
  policy: PolicyCache,
  { url: issuer, keys }: IssuerKeys,
  turns: StrangerTurns,
): Authentication {
  const { authentication: configuration, statics, webhookTokens, clientCertificates } = settings
  const oidc = oidcTokens(configuration.jwt, settings.fetchOf)
  const audiences = [issuer]
  const tokens = [
    new WithoutAudiences(audiences, (token) => statics.holderOf(token)),
    new ServiceAccountTokens({ objects: client, policy, keys, issuer, audiences }),
    new WithoutAudiences(audiences, bootstrapTokens(client, turns)),
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

/** Makes the API server of the client's cluster. */
function serverOf(environment: Environment, client: CollectionClient): ApiServer {
  const turns = new StrangerTurns()
  const policy = new PolicyCache(client, { turns, staleFor: settings.policyStaleSeconds * 1000 })
  const customKinds = new KindCache(client, policy)
  const authorizer = new Authorizer(policy, settings.authorizers)
  const issuer = { url: serviceAccountIssuerOf(environment), keys: new TokenKeys(client, turns) }
  const authentication = authenticationOf(client, policy, issuer, turns)
  const limits = limitsOf(environment)
  const metrics = new ServerMetrics(sourceBuild, limits.seats, Date.now(), environment.METRICS)
  const audit = auditLog(environment, metrics)
  const { allowedOrigins, strictTransportSecurity } = settings
  const { imagePolicy } = settings.admission
  const health = healthChecks(() => policy.confirm())
  return apiServer({
    filters: { authentication, authorizer, policy, limits, audit, allowedOrigins, strictTransportSecurity, metrics },
    documents: {
      client,
      health,
      healthMetrics: new HealthMetrics(),
      metrics,
      discovery: new CurrentDiscovery(served, (asker) => customKinds.summaries(asker)),
      customVersions: new CustomVersions(customKinds),
      issuer,
      build: sourceBuild,
      otherPaths: [...healthPaths(health), ...openApiPaths, ...issuerPaths, ...metricsPaths, statuszPath, '/version'],
      serverAddress: environment.SERVER_ADDRESS ?? '',
    },
    resources: {
      policy,
      customKinds,
      reads: new ReadCache(),
      authorizer,
      webhooks: webhookTransport(environment, client),
      tokens: authentication.tokens,
      imageReviews: imagePolicy && new ImageReviews(imagePolicy, settings.fetchOf),
      issuer,
      health,
      // Compression would delay events until its buffer is full.
      watchHeaders: environment.COMPRESSION === 'none' ? {} : { 'content-encoding': 'identity' },
    },
    client,
  })
}

let server: ApiServer | undefined

export default {
  fetch(request, environment, context): Promise<Response> {
    server ??= serverOf(environment, new CollectionClient(environment, defaultCluster))
    const response = respondTo(server, request, context)
    // Without this, the runtime drops the work of a request whose client disconnects, and the request's seat stays taken.
    context.waitUntil(response)
    return response
  },
} satisfies ExportedHandler<Environment>
