/** Counts responses and their durations, in the place of WithLatencyTrackers. */
import { statusOfClient } from '../../net/proxied-spdy.ts'
import type { RequestMetrics, UnhandledRequest } from '../metrics/request-metrics.ts'
import type { Filter, RequestContext } from './filter.ts'

const isApply = (headers: Headers): boolean => (headers.get('content-type') ?? '').startsWith('application/apply-patch+yaml')

/** Returns the declared length of a body; undefined without one. */
function bodyBytesOf({ method, headers }: Request): number | undefined {
  if (method === 'GET') return undefined
  const declared = headers.get('content-length')
  return declared === null ? undefined : Number(declared)
}

/** Returns the parts of a request that its labels need before its handler is known. */
export const unhandled = (c: RequestContext): UnhandledRequest => {
  const { method, headers } = c.req.raw
  return { method, info: c.get('info'), query: c.get('query'), isApply: method === 'PATCH' && isApply(headers) }
}

/** Sets `delays`. After the chain, counts the response with `info`, `query`, `kind` and the time since `receivedAt`. */
export function withRequestMetrics(metrics: RequestMetrics): Filter {
  return async (c, next) => {
    const delays = { seconds: 0 }
    c.set('delays', delays)
    await next()
    const request = c.req.raw
    const { method } = request
    metrics.answered({
      method,
      info: c.get('info'),
      kind: c.get('kind'),
      query: c.get('query'),
      isApply: method === 'PATCH' && isApply(request.headers),
      code: statusOfClient(c.res),
      bodyBytes: bodyBytesOf(request),
      delayed: delays.seconds,
      seconds: (Date.now() - c.get('receivedAt')) / 1000,
    })
  }
}
