/** The entry: the Worker, the Durable Object classes, and how they are wired. */
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
import { readAuditPolicy } from './http/audit/read-policy.ts'
import { bucketSink, consoleSink, queueSink } from './http/audit/sinks.ts'
import { type Limits, type RateLimit, type RateLimitBinding, readRate } from './http/chain/limits.ts'
import { BrowserHeaders } from './http/chain/security-headers.ts'
import type { Server } from './http/context.ts'
import { Discovery } from './http/discovery/discovery.ts'
import { withoutUnserved } from './http/discovery/unserved.ts'
import { healthChecks, healthPaths } from './http/health.ts'
import { Seats } from './http/limits/seats.ts'
import { TokenBuckets } from './http/limits/token-buckets.ts'
import { HealthMetrics } from './http/metrics/health-metrics.ts'
import { metricsPaths } from './http/metrics/serve.ts'
import { ServerMetrics } from './http/metrics/server-metrics.ts'
import { openApiPaths } from './http/openapi/serve.ts'
import { sourceBuild } from './http/version.ts'

export { Collection, Control }

/** Buckets of this isolate where a rate is set, and the platform's counter where one is bound. */
function rateLimit(rate: string | undefined, binding: RateLimitBinding | undefined): RateLimit {
  const read = readRate(rate ?? '')
  return { buckets: read && new TokenBuckets(read), binding }
}

function limits(environment: Environment): Limits {
  const { USER_RATE, USER_RATE_LIMIT, ADDRESS_RATE, ADDRESS_RATE_LIMIT } = environment
  return {
    user: rateLimit(USER_RATE, USER_RATE_LIMIT),
    address: rateLimit(ADDRESS_RATE, ADDRESS_RATE_LIMIT),
    seats: new Seats(maximumInflightOf(environment)),
  }
}

function auditLog({ AUDIT_POLICY = '', AUDIT_BUCKET, AUDIT_QUEUE }: Environment, metrics: ServerMetrics): AuditLog | undefined {
  if (AUDIT_POLICY === '') return undefined
  const sinks = [
    ...(AUDIT_BUCKET === undefined ? [] : [bucketSink(AUDIT_BUCKET, (events) => metrics.lost('bucket', events))]),
    ...(AUDIT_QUEUE === undefined ? [] : [queueSink(AUDIT_QUEUE, (events) => metrics.lost('queue', events))]),
  ]
  return new AuditLog(readAuditPolicy(AUDIT_POLICY), sinks.length === 0 ? [consoleSink] : sinks, metrics)
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
  const { CORS_ALLOWED_ORIGINS = '', STRICT_TRANSPORT_SECURITY = '' } = environment
  return {
    cluster: defaultCluster,
    objects,
    policy,
    authorizer: new Authorizer(policy),
    audiences: ['https://kubernetes.default.svc.cluster.local'],
    tokens: new StaticTokens(environment.ADMIN_TOKEN ?? ''),
    limits: limited,
    browserHeaders: new BrowserHeaders({
      corsAllowedOrigins: CORS_ALLOWED_ORIGINS,
      strictTransportSecurity: STRICT_TRANSPORT_SECURITY,
    }),
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
