/** Judges responses: finds ones that no request may get. */
import type { Outcome } from './connection.ts'
import { type AttackRequest, isHttp } from './request.ts'

/** A suspicious response. */
export interface Suspicion {
  readonly what: 'internal error' | 'server error' | 'leak' | 'cut' | 'silent' | 'garbled' | 'no Status'
  /** A one-line description. */
  readonly detail: string
}

/** A response of 500 and above that kube-apiserver gives too. */
interface Known {
  readonly status: number
  readonly message: RegExp
  /** The requests that may get it; absent for all. */
  readonly target?: RegExp
  /** The reason why this response is correct. */
  readonly reason: string
}

const strategicMergeProblem =
  /unknown patch type:|list element types are not identical|but received a|no elements in any of the given slices|merging lists cannot yet be specified|does not contain declared merge key|unable to find api field in struct|is not a map|doesn't match \$setElementOrder list|invalid value for/

const known: readonly Known[] = [
  {
    status: 501,
    message: /^ERROR: Unrecognized request method\.$/,
    reason: 'workerd itself refuses methods that it does not know; the request never reaches the Worker',
  },
  {
    status: 500,
    message:
      /failed to create typed patch object|failed to create manager for existing fields|failed to convert (?:new object|to unversioned)/,
    reason: 'server-side apply has no error of its own for a configuration that is not an object of the kind',
  },
  {
    status: 500,
    message: strategicMergeProblem,
    reason: 'strategic merge patch has no error of its own for a patch that does not fit the object',
  },
  {
    status: 500,
    message: /strconv\.ParseUint|resourceVersion should not be set on objects to be created/,
    reason: 'an unexpected resourceVersion is only noticed by the storage',
  },
  {
    status: 500,
    message: /target\.(?:kind|name): (?:Unsupported value|Required value)/,
    reason: 'validation errors of a binding are not aggregated',
  },
  { status: 500, message: /no preferred addresses found/, reason: 'a proxy to a Node without an address' },
  { status: 503, message: /no endpoints available for service|^$/, reason: 'a proxy to a Service without endpoints' },
  {
    status: 500,
    message: /yaml: control characters are not allowed/,
    reason: 'an object with a character that YAML does not allow cannot be encoded',
  },
  { status: 500, message: /invalid key: /, reason: 'a namespace of dots is only noticed when the storage key is built' },
  {
    status: 500,
    message: /^(?:resource name may not be empty|invalid resource name ")/,
    reason: 'an admission plugin looks up an object by a name in the request that no path can contain',
  },
  { status: 500, message: /^content is not a list$/, reason: 'a list representation of a response with one object' },
  {
    status: 500,
    message: /^error dialing backend: dial tcp .*connection refused$/,
    reason: 'an upgraded connection to a Node where nothing listens',
  },
  {
    status: 503,
    message: /^error trying to reach service: dial tcp .*connection refused$/,
    reason: 'a proxy to a Node where nothing listens',
  },
  {
    status: 500,
    message: /failed to create RequestInfo/,
    reason: 'a path that is only a verb, such as /api/v1/watch, cannot be parsed',
  },
  {
    status: 500,
    message: /the spec replicas field .* does not exist/,
    reason: 'the scale of a custom resource without replicas',
  },
  { status: 500, message: /Object 'apiVersion' is missing/, reason: 'a patch that removes apiVersion' },
  {
    status: 500,
    message: /Non-matching dry-run options/,
    reason: 'an eviction with different dry run options in body and query',
  },
  { status: 500, message: /^$/, reason: 'a HEAD of one of these: its response has no body' },
  { status: 504, message: /^$/, reason: 'a HEAD whose timeout was too short' },
  {
    status: 503,
    message:
      /^(?:the cluster was replaced by another one with the same name|the server is currently unable to handle the request)$/,
    target: /^\/clusters\//,
    reason: 'an attack has deleted the cluster meanwhile, or restored it: the client is asked to repeat the request',
  },
  { status: 504, message: /Too large resource version/, reason: 'a future resourceVersion is waited for' },
  { status: 504, message: /request did not complete within/, reason: 'the timeout of the request was too short' },
]

/** Matches internal error texts and file names. */
const inner =
  /SQLITE|(?:Type|Range|Reference|Syntax)Error\b|Cannot read propert|is not (?:a function|iterable|defined)|\bat \w+ \(|\.ts:\d|worker\.js|node_modules|Durable ?Object|undefined \(reading|\[object Object\]/

const decoder = new TextDecoder()

function leak(request: AttackRequest, text: string): string | undefined {
  const found = inner.exec(text)?.[0]
  if (found === undefined) return undefined
  // Texts of the request may be repeated in its response.
  const requestText = `${decodeURIComponent(request.target.replace(/%(?![0-9a-f]{2})/gi, '%25').replace(/%[89a-f][0-9a-f]/gi, ''))} ${request.headers.join(' ')} ${request.body?.toString() ?? ''}`
  return requestText.includes(found) ? undefined : text.slice(Math.max(0, text.indexOf(found) - 80), text.indexOf(found) + 120)
}

interface Status {
  readonly kind?: unknown
  readonly message?: unknown
  readonly code?: unknown
}

function parsed(text: string): Status | undefined {
  try {
    return JSON.parse(text) as Status
  } catch {
    return undefined
  }
}

/** The maximum length of responses that are parsed as JSON. */
const readable = 64 * 1024

function ofStatus(request: AttackRequest, { answer }: Outcome, text: string): Suspicion | undefined {
  const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json')
  const isPart = answer.status === 206
  if (!isJson || isPart || request.method === 'HEAD' || text.length > readable || text === '') return undefined
  const body = parsed(text)
  // Watches and pretty lists of events are several JSON values.
  if (body === undefined)
    return /watch|follow/i.test(request.target) ? undefined : { what: 'no Status', detail: `no JSON: ${text.slice(0, 200)}` }
  if (answer.status < 400 || body.kind !== 'Status') return undefined
  if (body.code === answer.status) return undefined
  return { what: 'no Status', detail: `${answer.status} says code ${JSON.stringify(body.code)}` }
}

/** The length up to which servers read an unwanted body before they close the connection; Go's server has the same limit. */
const unreadBody = 256 * 1024

/** Whether the connection was closed after the response because of an unread body of a GET. */
const isUnread = ({ method, body }: AttackRequest, { answer }: Outcome): boolean =>
  answer.status > 0 && answer.status < 300 && method === 'GET' && (body?.length ?? 0) > unreadBody

/** Judges an outcome by itself; undefined if kube-apiserver could respond in the same way. */
export function suspicionOf(request: AttackRequest, outcome: Outcome): Suspicion | undefined {
  const { ending, answer, reason } = outcome
  if (ending !== 'answered') {
    if (ending === 'cut' && (!isHttp(request) || isUnread(request, outcome))) return undefined
    return { what: ending, detail: `${answer.status === 0 ? 'before an answer' : `after ${answer.status}`}: ${reason}` }
  }
  const text = decoder.decode(answer.body)
  const leaked = leak(request, text)
  if (leaked !== undefined) return { what: 'leak', detail: leaked }
  if (answer.status < 500) return ofStatus(request, outcome, text)
  if (/error id [0-9a-f-]{36}/.test(text)) return { what: 'internal error', detail: text }
  const told = parsed(text)?.message
  const problem = typeof told === 'string' ? told : text
  const isKnown = known.some(
    ({ status, message, target }) => status === answer.status && message.test(problem) && target?.test(request.target) !== false,
  )
  return isKnown ? undefined : { what: 'server error', detail: `${answer.status} ${text.slice(0, 500)}` }
}

/** Returns a text that is the same for all findings of one kind: without names, numbers and ids. */
export function signatureOf({ what, detail }: Suspicion): string {
  const message = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(detail)?.[1] ?? detail
  return `${what}: ${message
    .replace(/[0-9a-f-]{36}/g, 'ID')
    .replace(/\d+/g, 'N')
    .slice(0, 120)}`
}

/** Whether workerd itself responded: requests that it does not accept as HTTP never reach the Worker. */
export const isOfRuntime = ({ answer }: Outcome): boolean =>
  [400, 426, 501].includes(answer.status) && /^(?:ERROR: |invalid URI)/.test(decoder.decode(answer.body))
