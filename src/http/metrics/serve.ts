/** GET /metrics and /metrics/slis, in Prometheus' text format. */
import { negotiateEncoding } from '../codec/content-encoding.ts'
import { noCache } from '../codec/headers.ts'
import type { Server } from '../context.ts'
import { clusterFamilies } from './cluster-metrics.ts'
import type { Family } from './families.ts'

/** The paths that / lists. */
export const metricsPaths: readonly string[] = ['/metrics', '/metrics/slis']

function text(request: Request, families: readonly Family[], startedAt: number): Response {
  const shown = [...families].sort((a, b) => (a.name < b.name ? -1 : 1)).map((family) => family.render())
  const type = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'
  const started = { 'process-start-time-unix': String(Math.floor(startedAt / 1000)) }
  const encoding = negotiateEncoding(request) === undefined ? {} : { 'content-encoding': 'gzip' }
  return new Response(shown.join(''), { headers: { ...noCache, 'content-type': type, ...started, ...encoding } })
}

/** The answer to a path of metrics; undefined for other paths. */
export async function serveMetrics(request: Request, path: string, server: Server): Promise<Response | undefined> {
  const { startedAt } = server.metrics
  if (path === '/metrics') {
    const cluster = await clusterFamilies(server.collections)
    return text(request, [...server.metrics.families(Date.now()), ...cluster], startedAt)
  }
  return path === '/metrics/slis' ? text(request, await server.healthMetrics.families(server.health), startedAt) : undefined
}
