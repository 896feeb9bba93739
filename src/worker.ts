/** The entry: the Worker, the Durable Object classes, and how they are wired. */
import { env } from 'cloudflare:workers'
import { Authorizer } from './auth/authorizer.ts'
import { StaticTokens } from './auth/tokens.ts'
import { served } from './catalog/generated/served.ts'
import { Objects } from './clusters/objects.ts'
import { controlOf, defaultCluster } from './clusters/placement.ts'
import { PolicyCache } from './clusters/policy.ts'
import { Collection } from './controllers/collection-object.ts'
import { Control } from './controllers/control-object.ts'
import { type Environment, maximumInflightOf } from './controllers/environment.ts'
import { handle } from './http/app.ts'
import { AuditLog } from './http/audit/log.ts'
import { bucketSink, consoleSink, queueSink } from './http/audit/sinks.ts'
import type { Limits, RateLimit, RateLimitBinding } from './http/chain/limits.ts'
import type { Server } from './http/context.ts'
import { Discovery } from './http/discovery/discovery.ts'
import { withoutUnserved } from './http/discovery/unserved.ts'
import { healthChecks, healthPaths } from './http/health.ts'
import { Seats } from './http/limits/seats.ts'
import { type Rate, TokenBuckets } from './http/limits/token-buckets.ts'
import { HealthMetrics } from './http/metrics/health-metrics.ts'
import { metricsPaths } from './http/metrics/serve.ts'
import { ServerMetrics } from './http/metrics/server-metrics.ts'
import { openApiPaths } from './http/openapi/serve.ts'
import { readSettings } from './http/settings.ts'
import { sourceBuild } from './http/version.ts'

export { Collection, Control }

/** What cannot be read is told when the Worker is loaded, and not to every client. */
const settings = readSettings(env as unknown as Environment)

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

function wire(environment: Environment): Server {
  const objects = new Objects(environment)
  const health = healthChecks(async () => {
    const answer = await objects.get(controlOf(defaultCluster)).fetch('http://control/health')
    if (!answer.ok) throw new Error('the control object does not answer')
  })
  const policy = new PolicyCache(objects, defaultCluster)
  const limited = limits(environment)
  const metrics = new ServerMetrics(sourceBuild, limited.seats, Date.now(), environment.METRICS)
  return {
    cluster: defaultCluster,
    objects,
    policy,
    authorizer: new Authorizer(policy),
    audiences: ['https://kubernetes.default.svc.cluster.local'],
    tokens: new StaticTokens(environment.ADMIN_TOKEN ?? ''),
    limits: limited,
    browserHeaders: settings.browserHeaders,
    audit: auditLog(environment, metrics),
    metrics,
    healthMetrics: new HealthMetrics(),
    discovery: new Discovery(withoutUnserved(served)),
    health,
    otherPaths: [...healthPaths(health), ...openApiPaths, ...metricsPaths, '/version'],
    build: sourceBuild,
    serverAddress: environment.SERVER_ADDRESS ?? '',
  }
}

let server: Server | undefined

export default {
  fetch(request, environment, context): Promise<Response> {
    server ??= wire(environment)
    return handle(server, request, (work) => context.waitUntil(work))
  },
} satisfies ExportedHandler<Environment>
