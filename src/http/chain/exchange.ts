/** One request on its way through the chain, and what of it is known so far. */
import type { Kind } from '../../catalog/kind.ts'
import { auditHeader } from '../../clusters/operation.ts'
import { newUid } from '../../meta/uid.ts'
import type { Server } from '../context.ts'
import type { Release } from '../limits/seats.ts'
import type { RequestAudit } from './audit.ts'
import { type RequestInfo, requestInfo } from './request-info.ts'

/** Takes what goes on beside the request. */
export type Aside = (work: Promise<unknown>) => void

export interface Exchange {
  readonly request: Request
  readonly query: URLSearchParams
  /** Undefined where the path is no valid URL encoding. */
  readonly info: RequestInfo | undefined
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
  readonly held: Release[]
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
  const { path, query } = splitUrl(request.url)
  const auditId = auditIdOf(request)
  const receivedAt = Date.now()
  return {
    request,
    query,
    info: requestInfo(request.method, path, query),
    auditId,
    receivedAt,
    aside,
    headers: { [auditHeader]: auditId, date: dateHeader(receivedAt), ...server.browserHeaders.of(request) },
    authentication: 'pending',
    audit: undefined,
    kind: undefined,
    held: [],
  }
}

/** The path as it was sent and the parameters; the URL class would resolve dots in the path. */
function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  const path = slash < 0 ? '/' : url.slice(slash)
  const mark = path.indexOf('?')
  return mark < 0 ? { path, query: noQuery } : { path: path.slice(0, mark), query: new URLSearchParams(path.slice(mark + 1)) }
}

const noQuery = new URLSearchParams()
