/** The filters of a cluster under test: one records its requests, one injects faults. */
import type { ClusterUnderTest } from '../../testing/clusters.ts'
import { type Fault, type FaultTarget, faultError } from '../../testing/faults.ts'
import { negotiateStream, noView } from '../codec/negotiate.ts'
import type { Filter, RequestContext } from '../filters/filter.ts'
import { tooManyRequests } from '../status.ts'
import { discardBody } from '../unread-body.ts'
import { testingPath } from './path.ts'

/** The longest text of a request that is kept. */
const longest = 256

function targetOf(c: RequestContext): FaultTarget {
  const info = c.get('info')
  const sender = c.get('authenticatedUser') as { readonly name: string } | undefined
  const where = info.isResource ? info : { group: '', resource: '', subresource: '', namespace: '', name: '' }
  const { group, resource, subresource, namespace, name } = where
  const userAgent = (c.req.raw.headers.get('user-agent') ?? '').slice(0, longest)
  return { verb: info.verb, group, resource, subresource, namespace, name, user: sender?.name ?? '', userAgent }
}

/** The ids of the faults of requests that are being handled. */
type Hit = WeakMap<Request, number>

/** After the chain, records the request, unless it is for a testing path. */
function withRecording({ requests }: ClusterUnderTest, hit: Hit): Filter {
  return async (c, next) => {
    const at = Date.now()
    await next()
    const info = c.get('info')
    if (info.path.startsWith(testingPath)) return
    requests.add({
      at,
      version: info.isResource ? info.version : '',
      path: info.path.slice(0, longest),
      ...targetOf(c),
      code: c.res.status,
      milliseconds: Date.now() - at,
      fault: hit.get(c.req.raw) ?? 0,
    })
  }
}

/** Delays requests and fails them, as the faults of the cluster say. */
function withFaults({ faults }: ClusterUnderTest, hit: Hit): Filter {
  return async (c, next) => {
    const target = targetOf(c)
    const fault = c.get('info').path.startsWith(testingPath) ? undefined : faults.take(target)
    if (fault === undefined) return await next()
    hit.set(c.req.raw, fault.id)
    c.env.suspension?.begin()
    const { delay = 0 } = fault.rule
    if (delay > 0) await new Promise((done) => setTimeout(done, delay))
    return (await failed(c, fault, target)) ?? (await next())
  }
}

/** Returns the response of a fault; undefined if the request succeeds. A watch of an old version fails by its first event. */
async function failed(c: RequestContext, { rule }: Fault, target: FaultTarget): Promise<Response | undefined> {
  const error = rule.code === undefined ? undefined : faultError(rule.code, target)
  if (error === undefined) return undefined
  await discardBody(c.req.raw)
  if (error.code === 429) return tooManyRequests(1)
  if (error.code !== 410 || target.verb !== 'watch') throw error
  const { encoding, refusal } = negotiateStream(c.req.raw, noView)
  if (refusal !== undefined) throw refusal
  return new Response(encoding.at.object?.events.failure(error), {
    headers: { 'content-type': encoding.stream ?? encoding.mediaType },
  })
}

/** The two filters, by their place in the handler chain. */
export interface TestingFilters {
  /** Inside withRequestInfo. */
  readonly outer: Filter
  /** Inside all others. */
  readonly inner: Filter
}

/** Returns the filters of a cluster under test. */
export function testingFilters(cluster: ClusterUnderTest): TestingFilters {
  const hit: Hit = new WeakMap()
  return { outer: withRecording(cluster, hit), inner: withFaults(cluster, hit) }
}
