/**
 * GET /edgeplane/v1/migration?from=1.21&to=1.25: the check of `edgeplane migrate`, with the permissions of the client: each list is
 * a request of the same user.
 */
import { releaseText } from '../../catalog/lifecycle.ts'
import { badRequest, tooManyRequests } from '../../meta/errors.ts'
import { logError } from '../../meta/log.ts'
import { collectorBetween } from '../../migration/between.ts'
import { checkAgent, type ReportCollector } from '../../migration/collect.ts'
import { type ClusterReader, scanCluster } from '../../migration/scan.ts'
import { boundedText, TooLong } from '../../net/bounded-text.ts'
import type { Release } from '../../schema/tables.ts'
import type { RequestContext } from '../filters/filter.ts'
import { askerOf } from '../filters/policy.ts'
import type { ServedResources } from '../served-resources.ts'
import type { RequestCounts } from './request-counts.ts'

/** Responds to a request as the whole server does. */
export type Respond = (request: Request, context: ExecutionContext) => Promise<Response>

/** The services of the check. */
export interface MigrationServices {
  readonly requestCounts: RequestCounts
  readonly respond: Respond
  readonly served: ServedResources
}

/** The attempts of a list that has no seat, and the pause between them in milliseconds. */
const attempts = 10
const pause = 1000

/** The most bytes of a response that is read as a whole: an isolate has 128 MiB, and parsed objects take several times their text. */
const mostBytes = 4 * 1024 * 1024

/** Headers of the client that would change a list, or allow a 304. */
const droppedHeaders = ['if-none-match', 'if-modified-since', 'accept-encoding', 'content-type', 'content-length']

/** So long after its last request a check counts as running, in milliseconds: the runtime may end it without a word. */
const lease = 60_000

/** Returns a reader whose requests have the credentials of another one. @param began is called before each request */
function readerFor(c: RequestContext, respond: Respond, began: () => void): ClusterReader {
  const { raw } = c.req
  const { path } = c.get('info')
  const url = new URL(raw.url)
  const root = url.origin + url.pathname.slice(0, url.pathname.length - path.length)
  const read = (location: string, accept: string): Promise<Response> => {
    const headers = new Headers(raw.headers)
    for (const name of droppedHeaders) headers.delete(name)
    headers.set('accept', accept)
    headers.set('user-agent', checkAgent)
    const init = { headers, ...(raw.cf !== undefined && { cf: raw.cf as RequestInitCfProperties }) }
    return respond(new Request(root + location, init), c.executionCtx as ExecutionContext)
  }
  return {
    // The check has a seat of its own, and must leave some to others.
    width: 2,
    async get(location, accept) {
      for (let attempt = 1; ; attempt++) {
        raw.signal.throwIfAborted()
        began()
        const response = await read(location, accept)
        const { status } = response
        const text = await boundedText(response, mostBytes).catch(longBody)
        if (text === undefined) return 'too long'
        if (status !== 429 || attempt === attempts) return { status, text }
        await scheduler.wait(pause)
      }
    },
  }
}

function longBody(error: unknown): undefined {
  if (!(error instanceof TooLong)) throw error
}

/** Returns a collector for the releases of a request. @param own the release that the cluster emulates */
function collectorFor(query: URLSearchParams, own: Release): ReportCollector {
  try {
    return collectorBetween(query.get('from') ?? releaseText(own), query.get('to') ?? undefined)
  } catch (error) {
    if (error instanceof RangeError) throw badRequest(error.message)
    throw error
  }
}

/**
 * Makes the handler. Its response is a stream of the report, because the check of a large cluster takes longer than a request may. It
 * ends early if the cluster cannot be read, and the check ends with its client. One check runs at a time, because of its memory.
 * The handler throws ApiError 400 for texts that are no releases, 429 while another check runs.
 */
export function migrationHandler({
  requestCounts,
  respond,
  served,
}: MigrationServices): (c: RequestContext) => Promise<Response> {
  let runningUntil = 0
  const run = async (c: RequestContext, collector: ReportCollector): Promise<Uint8Array> => {
    const began = (): void => {
      runningUntil = Date.now() + lease
    }
    began()
    try {
      await scanCluster(readerFor(c, respond, began), collector)
      for (const requests of await requestCounts.record()) collector.addRequests(requests)
      return new TextEncoder().encode(`${JSON.stringify(collector.report())}\n`)
    } finally {
      runningUntil = 0
    }
  }
  return async (c) => {
    const collector = collectorFor(c.get('query'), (await served.current(askerOf(c))).release)
    if (runningUntil > Date.now()) throw tooManyRequests()
    const { readable, writable } = new IdentityTransformStream()
    const work = async (): Promise<void> => {
      const report = await run(c, collector)
      const writer = writable.getWriter()
      await writer.write(report)
      await writer.close()
    }
    const failed = (error: unknown): Promise<void> => {
      if (!c.req.raw.signal.aborted) logError('a migration check was not completed', error)
      return writable.abort(error).catch(() => undefined)
    }
    c.executionCtx.waitUntil(work().catch(failed))
    return new Response(readable, { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } })
  }
}
