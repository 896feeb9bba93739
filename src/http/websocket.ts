/** The subprotocols of a WebSocket handshake, one of which may contain a bearer token. */
import { ApiError } from '../meta/errors.ts'

const bearerPrefix = 'base64url.bearer.authorization.k8s.io.'
const fatalUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether the request is a WebSocket handshake. */
export function isWebSocketRequest(request: Request): boolean {
  return request.headers.get('upgrade')?.toLowerCase() === 'websocket'
}

function protocolsOf(request: Request): string[] {
  const header = request.headers.get('sec-websocket-protocol') ?? ''
  return header
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '')
}

const unauthorized = (): ApiError => new ApiError(401, 'Unauthorized', 'Unauthorized')

/**
 * Returns the bearer token in the subprotocols, for browsers, which cannot set headers. Another subprotocol must be present,
 * which the server selects.
 * @throws ApiError 401 for several tokens, for a token that is not the base64url of a text, or without another subprotocol
 */
export function bearerProtocol(request: Request): string | undefined {
  if (!isWebSocketRequest(request)) return undefined
  const protocols = protocolsOf(request)
  const tokens = protocols.filter((protocol) => protocol.startsWith(bearerPrefix))
  const [only] = tokens
  if (only === undefined) return undefined
  const encoded = only.slice(bearerPrefix.length)
  if (tokens.length > 1 || protocols.length === 1 || !/^[A-Za-z0-9_-]+$/.test(encoded)) throw unauthorized()
  try {
    return fatalUtf8.decode(Buffer.from(encoded, 'base64url'))
  } catch {
    throw unauthorized()
  }
}

function offeredProtocols(request: Request): string[] {
  const byHeader = request.headers.has('authorization')
  return protocolsOf(request).filter((protocol) => byHeader || !protocol.startsWith(bearerPrefix))
}

/** Returns the subprotocol of the handshake: the one that the client offers, with any name; undefined if it offers none. */
export const agreedProtocol = (request: Request): string | undefined => offeredProtocols(request)[0]

/** Matches the origins that are absolute URIs or absolute paths, as url.ParseRequestURI requires. */
const originUri = /^(?:[a-z][a-z0-9+.-]*:|\/)(?:[^%]|%[0-9a-f]{2})*$/i

/** Returns the response to a handshake that is rejected: without an Origin, or with several subprotocols. It has no Status. */
export function handshakeRefusal(request: Request): Response | undefined {
  if (!originUri.test(request.headers.get('origin') ?? '')) return new Response(null, { status: 403 })
  return offeredProtocols(request).length > 1 ? new Response(null, { status: 400 }) : undefined
}

/** So many bytes may wait for a client that reads slowly, and so long it is waited until some of them are gone, in milliseconds. */
const mostBuffered = 1024 * 1024
const pause = 5

/** Sends a message to a client, and waits if the client reads slowly: the runtime buffers without a bound. */
export async function sendTo(client: WebSocket, data: string | Uint8Array): Promise<void> {
  client.send(data)
  while ((client.bufferedAmount ?? 0) > mostBuffered) await new Promise((resolve) => setTimeout(resolve, pause))
}
