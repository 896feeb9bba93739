/** GET /metrics and /metrics/slis, in Prometheus' text format. */
import { noCache } from '../codec/headers.ts'
import type { Server } from '../context.ts'
import { clusterFamilies } from './cluster-metrics.ts'
import type { Family } from './families.ts'

/** The paths that / lists. */
export const metricsPaths: readonly string[] = ['/metrics', '/metrics/slis']

function text(families: readonly Family[]): Response {
  const shown = [...families].sort((a, b) => (a.name < b.name ? -1 : 1)).map((family) => family.render())
  const type = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores'
  return new Response(shown.join(''), { headers: { ...noCache, 'content-type': type } })
}

/** The answer to a path of metrics; undefined for other paths. */
export async function serveMetrics(path: string, server: Server): Promise<Response | undefined> {
  if (path === '/metrics') {
    const cluster = await clusterFamilies(server.objects, server.cluster)
    return text([...server.metrics.families(Date.now()), ...cluster])
  }
  return path === '/metrics/slis' ? text(await server.healthMetrics.families(server.health)) : undefined
}
