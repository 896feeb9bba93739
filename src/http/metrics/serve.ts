/** GET /metrics and /metrics/slis, in the Prometheus text format. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { negotiateEncoding } from '../codec/content-encoding.ts'
import { noCache } from '../codec/headers.ts'
import type { HealthCheck } from '../health.ts'
import { clusterFamilies } from './cluster-metrics.ts'
import type { Family } from './families.ts'
import type { HealthMetrics } from './health-metrics.ts'
import type { ServerMetrics } from './server-metrics.ts'

/** The sources of the metrics. */
export interface MetricsSources {
  readonly metrics: ServerMetrics
  readonly healthMetrics: HealthMetrics
  readonly health: readonly HealthCheck[]
  readonly client: CollectionClient
}

/** The paths of metrics in the list at /. */
export const metricsPaths: readonly string[] = ['/metrics', '/metrics/slis']

function text(request: Request, families: readonly Family[], startedAt: number): Response {
  const rendered = [...families].sort((a, b) => (a.name < b.name ? -1 : 1)).map((family) => family.render())
  const type = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'
  const started = { 'process-start-time-unix': String(Math.floor(startedAt / 1000)) }
  const encoding = negotiateEncoding(request, 'text/plain') === undefined ? {} : { 'content-encoding': 'gzip' }
  return new Response(rendered.join(''), { headers: { ...noCache, 'content-type': type, ...started, ...encoding } })
}

/** Returns the response to a path of metrics, or undefined for other paths. */
export async function serveMetrics(request: Request, path: string, sources: MetricsSources): Promise<Response | undefined> {
  const { metrics, healthMetrics, health, client } = sources
  const { startedAt } = metrics
  if (path === '/metrics') {
    const stored = await clusterFamilies(client)
    return text(request, [...metrics.families(Date.now()), ...stored], startedAt)
  }
  return path === '/metrics/slis' ? text(request, await healthMetrics.families(health), startedAt) : undefined
}
