/** Says what of an answer no answer may be. */
import type { Outcome } from './connection.ts'
import { type AttackRequest, isHttp } from './request.ts'

/** Why an answer is suspicious. */
export interface Suspicion {
  readonly what: 'internal error' | 'server error' | 'leak' | 'cut' | 'silent' | 'garbled' | 'no Status'
  /** In one line. */
  readonly detail: string
}

/** An answer of 500 and more that kube-apiserver gives as well. */
interface Known {
  readonly status: number
  readonly message: RegExp
  /** Why it is not for us to answer something else. */
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
    message: /failed to create typed patch object|failed to create manager for existing fields|failed to convert new object/,
    reason: 'server-side apply has no error of its own for a configuration that is no object of the kind',
  },
  {
    status: 500,
    message: strategicMergeProblem,
    reason: 'strategic merge patch has no error of its own for a patch that does not fit the object',
  },
  {
    status: 500,
    message: /strconv\.ParseUint|resourceVersion should not be set on objects to be created/,
    reason: 'a resourceVersion that is out of place is noticed where objects are stored',
  },
  {
    status: 500,
    message: /target\.(?:kind|name): (?:Unsupported value|Required value)/,
    reason: 'what is wrong with a binding is told as it is found',
  },
  { status: 500, message: /no preferred addresses found/, reason: 'a proxy to a Node that has no address' },
  { status: 503, message: /no endpoints available for service|^$/, reason: 'a proxy to a Service that nothing stands behind' },
  {
    status: 500,
    message: /yaml: control characters are not allowed/,
    reason: 'an object with a character that YAML does not have cannot be shown in it',
  },
  { status: 500, message: /invalid key: /, reason: 'a namespace of dots is noticed where keys are made' },
  {
    status: 500,
    message: /failed to create RequestInfo/,
    reason: 'a path that is a verb alone, such as /api/v1/watch, cannot be read',
  },
  {
    status: 500,
    message: /the spec replicas field .* does not exist/,
    reason: 'the scale of a custom resource without replicas',
  },
  { status: 500, message: /Object 'apiVersion' is missing/, reason: 'a patch that takes away what an object is' },
  { status: 500, message: /Non-matching dry-run options/, reason: 'an eviction whose body and query differ about dry run' },
  { status: 500, message: /^$/, reason: 'a HEAD of one of these: what is wrong stands in no body' },
  { status: 504, message: /^$/, reason: 'a HEAD that asked for less time than it took' },
  { status: 504, message: /Too large resource version/, reason: 'a version that may come yet is waited for' },
  { status: 504, message: /request did not complete within/, reason: 'the request asked for less time than it took' },
]

/** What only the program's own errors and files are called. */
const inner =
  /SQLITE|(?:Type|Range|Reference|Syntax)Error\b|Cannot read propert|is not (?:a function|iterable|defined)|\bat \w+ \(|\.ts:\d|worker\.js|node_modules|Durable ?Object|undefined \(reading|\[object Object\]/

const decoder = new TextDecoder()

function leak(request: AttackRequest, text: string): string | undefined {
  const found = inner.exec(text)?.[0]
  if (found === undefined) return undefined
  // What the request said may be said of it.
  const said = `${decodeURIComponent(request.target.replace(/%(?![0-9a-f]{2})/gi, '%25').replace(/%[89a-f][0-9a-f]/gi, ''))} ${request.headers.join(' ')} ${request.body?.toString() ?? ''}`
  return said.includes(found) ? undefined : text.slice(Math.max(0, text.indexOf(found) - 80), text.indexOf(found) + 120)
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

/** Answers up to this length are read as JSON. */
const readable = 64 * 1024

function ofStatus(request: AttackRequest, { answer }: Outcome, text: string): Suspicion | undefined {
  const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json')
  const isPart = answer.status === 206
  if (!isJson || isPart || request.method === 'HEAD' || text.length > readable || text === '') return undefined
  const body = parsed(text)
  // Watches and pretty lists of events are several values.
  if (body === undefined)
    return /watch|follow/i.test(request.target) ? undefined : { what: 'no Status', detail: `no JSON: ${text.slice(0, 200)}` }
  if (answer.status < 400 || body.kind !== 'Status') return undefined
  if (body.code === answer.status) return undefined
  return { what: 'no Status', detail: `${answer.status} says code ${JSON.stringify(body.code)}` }
}

/** More than servers read of a body that nobody asks for: Go's gives the connection up as well. */
const unreadBody = 256 * 1024

/** Whether the connection ended behind an answer because a body was left that no route of this method reads. */
const isUnread = ({ method, body }: AttackRequest, { answer }: Outcome): boolean =>
  answer.status > 0 && answer.status < 300 && method === 'GET' && (body?.length ?? 0) > unreadBody

/** What is wrong with an outcome by itself; undefined for what kube-apiserver would answer too, as far as can be told. */
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
  const isKnown = known.some(({ status, message }) => status === answer.status && message.test(text))
  return isKnown ? undefined : { what: 'server error', detail: `${answer.status} ${text.slice(0, 500)}` }
}

/** The same for all answers that are wrong in the same way: without names, numbers and ids. */
export function signatureOf({ what, detail }: Suspicion): string {
  const message = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(detail)?.[1] ?? detail
  return `${what}: ${message
    .replace(/[0-9a-f-]{36}/g, 'ID')
    .replace(/\d+/g, 'N')
    .slice(0, 120)}`
}

/** Whether workerd has answered by itself: what it does not take for HTTP never reaches the Worker. */
export const isOfRuntime = ({ answer }: Outcome): boolean =>
  [400, 426, 501].includes(answer.status) && /^(?:ERROR: |invalid URI)/.test(decoder.decode(answer.body))
