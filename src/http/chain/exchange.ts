/** One request on its way through the chain, and what of it is known so far. */
import type { Kind } from '../../catalog/kind.ts'
import { auditHeader } from '../../clusters/operation.ts'
import { parseQuery } from '../../meta/query.ts'
import { newUid } from '../../meta/uid.ts'
import type { Server } from '../context.ts'
import { Held } from '../limits/held.ts'
import type { RequestAudit } from './audit.ts'
import { type RequestInfo, requestInfo, type UnreadablePath } from './request-info.ts'

/** Takes what goes on beside the request. */
export type Aside = (work: Promise<unknown>) => void

export interface Exchange {
  readonly request: Request
  /** Path and query, as they were sent. */
  readonly location: string
  readonly query: URLSearchParams
  /** Undefined where nothing can be read from the path. */
  readonly info: RequestInfo | undefined
  /** Why nothing can be read from it. */
  readonly unreadable: UnreadablePath | undefined
  readonly auditId: string
  /** Milliseconds. */
  readonly receivedAt: number
  readonly aside: Aside
  /** Headers that every answer has; those of collections get them there. */
  readonly headers: Record<string, string>
  authentication: 'pending' | 'failed' | 'succeeded'
  audit: RequestAudit | undefined
  /** Which kind is asked for, once it is found. */
  kind: Kind | undefined
  /** Gives back what the request holds while it runs. */
  readonly held: Held
}

/** Clients may name a request; what is no short printable text is not repeated. */
const auditIdOf = (request: Request): string => {
  const given = request.headers.get(auditHeader) ?? ''
  return /^[\x21-\x7e]{1,256}$/.test(given) ? given : newUid()
}

let dateSecond = -1
let dateText = ''

/** The date as RFC 9110 writes it (section 5.6.7): one text for all answers of a second. */
function dateHeader(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(milliseconds).toUTCString()
  }
  return dateText
}

/** The beginning of an exchange. */
export function beginExchange(server: Server, request: Request, aside: Aside): Exchange {
  const { location, path, query } = splitUrl(request.url)
  const auditId = auditIdOf(request)
  const receivedAt = Date.now()
  const info = requestInfo(request.method, path, query)
  const isReadable = typeof info !== 'string'
  return {
    request,
    location,
    query,
    info: isReadable ? info : undefined,
    unreadable: isReadable ? undefined : info,
    auditId,
    receivedAt,
    aside,
    headers: { [auditHeader]: auditId, date: dateHeader(receivedAt), ...server.browserHeaders.of(request) },
    authentication: 'pending',
    audit: undefined,
    kind: undefined,
    held: new Held(),
  }
}

/** The path as it was sent and the parameters; the URL class would resolve dots in the path. */
function splitUrl(url: string): { location: string; path: string; query: URLSearchParams } {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  const location = slash < 0 ? '/' : url.slice(slash)
  const mark = location.indexOf('?')
  if (mark < 0) return { location, path: location, query: noQuery }
  return { location, path: location.slice(0, mark), query: parseQuery(location.slice(mark + 1)) }
}

const noQuery = new URLSearchParams()
