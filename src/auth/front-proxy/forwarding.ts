/**
 * Requests to other API servers over kept connections: a handshake takes longer than most requests, and a Worker cannot keep a
 * connection. So a Durable Object sends them. Long-running requests are sent by the Worker itself: an object that holds one could
 * not be idle.
 */

import { exchange } from '../../clusters/message.ts'
import type { RawQuestion } from '../../clusters/message-forms.ts'
import { objectProtocol } from '../../clusters/object-protocol.ts'
import type { InnerStub } from '../../clusters/protocol.ts'
import type { ConnectionPool } from '../../clusters/webhooks/pinned-fetch.ts'
import { asciiJson } from '../../go/text.ts'
import type { HttpRequest } from '../../net/http-exchange.ts'
import { type Backend, BackendError, type Backends } from './backend.ts'

const messageHeader = 'edgeplane-forward'
const errorHeader = 'edgeplane-forward-error'
/** The maximum length of a message; a request with a longer one is sent by the Worker. */
const longestMessage = 16 * 1024
/** Bodies up to this length are sent in one part, with their length. */
const shortBody = 64 * 1024

/** A request without its body. */
type RequestHead = Omit<HttpRequest, 'body'>

interface Message {
  readonly backend: Backend
  readonly request: RequestHead
  /** When the request ends, in milliseconds since the epoch. */
  readonly deadline: number
}

/**
 * Sends a request through an object.
 * @returns undefined if the message is too long for that; the body has not been read then
 * @throws BackendError
 */
export async function sendThrough(
  stub: InnerStub,
  backend: Backend,
  { body, ...request }: HttpRequest,
  deadline: number,
): Promise<Response | undefined> {
  const message = asciiJson(JSON.stringify({ backend, request, deadline } satisfies Message))
  if (message.length > longestMessage) return undefined
  const headers = new Headers({ [messageHeader]: message })
  const response = await exchange(stub, objectProtocol.forward, { headers, body })
  const error = response.headers.get(errorHeader)
  if (error === null) return response
  throw new BackendError(JSON.parse(error) as string)
}

/** A signal that is aborted at a deadline. Without `stop`, its timer would keep an object in memory until then. */
function endingAt(deadline: number): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController()
  const late = (): void => controller.abort(new DOMException('the deadline has passed', 'TimeoutError'))
  const timer = setTimeout(late, Math.max(1, deadline - Date.now()))
  return { signal: controller.signal, stop: () => clearTimeout(timer) }
}

const isShort = ({ headers }: Response): boolean => Number(headers.get('content-length') ?? Number.NaN) <= shortBody

/** Returns the response, and calls back when its body has been read, or given up. */
function withEnd(response: Response, ended: () => void): Response {
  const { body, status, headers } = response
  if (body === null) {
    ended()
    return response
  }
  const passing = new TransformStream<Uint8Array, Uint8Array>({ flush: ended, cancel: ended })
  return new Response(body.pipeThrough(passing), { status, headers, encodeBody: 'manual' })
}

/** Returns the response with its body in one part. */
async function joined(response: Response): Promise<Response> {
  const { status, headers } = response
  const bytes = response.body === null ? null : await response.arrayBuffer()
  return new Response(bytes, { status, headers, encodeBody: 'manual' })
}

/** Handles a request that sendThrough has sent. The response has the error if the server has not answered. */
export async function forward(backends: Backends, pool: ConnectionPool, received: RawQuestion): Promise<Response> {
  const { backend, request, deadline } = JSON.parse(received.headers.get(messageHeader) ?? '{}') as Message
  const { signal, stop } = endingAt(deadline)
  try {
    const response = await backends.send(backend, { ...request, body: received.body }, { signal, pool })
    if (!isShort(response)) return withEnd(response, stop)
    const whole = await joined(response)
    stop()
    return whole
  } catch (error) {
    stop()
    const reason = error instanceof BackendError ? error.message : 'unexpected EOF'
    return new Response(null, { status: 502, headers: { [errorHeader]: asciiJson(JSON.stringify(reason)) } })
  }
}
