/** Counts responses and their durations, in the place of WithLatencyTrackers. */
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { Filter } from './filter.ts'

const isApply = (headers: Headers): boolean => (headers.get('content-type') ?? '').startsWith('application/apply-patch+yaml')

/** After the chain, counts the response with `info`, `query`, `kind` and the time since `receivedAt`. Sets nothing. */
export function withRequestMetrics(metrics: RequestMetrics): Filter {
  return async (c, next) => {
    await next()
    const request = c.req.raw
    const { method } = request
    metrics.answered({
      method,
      info: c.get('info'),
      kind: c.get('kind'),
      query: c.get('query'),
      isApply: method === 'PATCH' && isApply(request.headers),
      code: c.res.status,
      seconds: (Date.now() - c.get('receivedAt')) / 1000,
    })
  }
}
