/** GET /metrics and /metrics/slis, in the Prometheus text format. */

import type { CollectionClient } from '../../clusters/collection-client.ts'
import { isServed, type MetricsOptions } from '../../config/metrics-options.ts'
import { type Family, render } from '../../meta/metrics/families.ts'
import { Metrics } from '../../meta/metrics/metrics.ts'
import { negotiateEncoding } from '../codec/content-encoding.ts'
import { noCache } from '../codec/headers.ts'
import type { HealthCheck } from '../health.ts'
import { addProcessMetrics, type ProcessFiles } from '../server-process.ts'
import type { EffectiveVersion } from '../version.ts'
import { addClusterMetrics } from './cluster-metrics.ts'
import type { HealthMetrics } from './health-metrics.ts'
import type { ServerMetrics } from './server-metrics.ts'

/** The sources of the metrics. */
export interface MetricsSources {
  readonly metrics: ServerMetrics
  readonly healthMetrics: HealthMetrics
  readonly health: readonly HealthCheck[]
  readonly client: CollectionClient
  /** The families that are served: hidden ones if an operator asks for them, and not those that are disabled. */
  readonly metricsOptions: MetricsOptions
  /** Undefined if nothing is known about the server's process. */
  readonly process: ProcessFiles | undefined
  /** The release whose API the cluster serves. */
  readonly emulated: EffectiveVersion
}

/** The paths of metrics in the list at /. */
export const metricsPaths: readonly string[] = ['/metrics', '/metrics/slis']

function text(request: Request, families: readonly Family[], startedAt: number): Response {
  const rendered = [...families].sort((a, b) => (a.name < b.name ? -1 : 1)).map(render)
  const type = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'
  const started = { 'process-start-time-unix': String(Math.floor(startedAt / 1000)) }
  const encoding = negotiateEncoding(request, 'text/plain') === undefined ? {} : { 'content-encoding': 'gzip' }
  return new Response(rendered.join(''), { headers: { ...noCache, 'content-type': type, ...started, ...encoding } })
}

/** Returns the response to a path of metrics, or undefined for other paths. */
export async function serveMetrics(request: Request, path: string, sources: MetricsSources): Promise<Response | undefined> {
  const { metrics, healthMetrics, health, client, metricsOptions, process, emulated } = sources
  const { startedAt } = metrics
  if (path === '/metrics') {
    const scrape = new Metrics()
    metrics.addTo(scrape, Date.now(), emulated)
    const [own] = await Promise.all([addClusterMetrics(scrape, client), addProcessMetrics(scrape, process)])
    const served = scrape.families().filter((family) => isServed(family, metricsOptions))
    return text(request, [...served, ...own], startedAt)
  }
  return path === '/metrics/slis' ? text(request, await healthMetrics.families(health), startedAt) : undefined
}
