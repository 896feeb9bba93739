/** What a WebSocket handshake carries beside the request: its subprotocols, and in one of them the bearer token. */
import { ApiError, badRequest } from '../meta/errors.ts'

const bearerPrefix = 'base64url.bearer.authorization.k8s.io.'
const fatalUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether the request asks for a WebSocket. */
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
 * The bearer token among the subprotocols, for browsers, which can set no header. It needs another subprotocol beside it,
 * which is the one that is answered.
 * @throws ApiError 401 where there are several tokens, or one that is not base64url of a text, or nothing beside it
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

/**
 * The subprotocol that is agreed upon: the one that the client offers, whatever its name.
 * @throws ApiError 400 where it offers several
 */
export function agreedProtocol(request: Request): string | undefined {
  const byHeader = request.headers.has('authorization')
  const offered = protocolsOf(request).filter((protocol) => byHeader || !protocol.startsWith(bearerPrefix))
  if (offered.length > 1) throw badRequest('a watch over a WebSocket takes one subprotocol')
  return offered[0]
}
