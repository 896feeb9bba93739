/** Connections that become WebSockets: they are passed on frame by frame, or as the bytes of SPDY. Follows UpgradeAwareHandler and TunnelingHandler of Kubernetes. */
import type { Connection } from '../../../clusters/webhooks/pinned-fetch.ts'
import { ApiError, badRequest } from '../../../meta/errors.ts'
import type { HttpRequest, Upgraded } from '../../../net/http-exchange.ts'
import { isProxiedSpdy, spdyProtocol, statusOfClient } from '../../../net/proxied-spdy.ts'
import { WriteQueue } from '../../../net/write-queue.ts'
import { answeredHeaders, passedHeaders } from '../../aggregation/headers.ts'
import { joinSpdy } from '../../aggregation/spdy-bytes.ts'
import { joinWebSockets, offeredProtocols, switched, webSocketPair } from '../../aggregation/web-socket.ts'
import type { ResourceContext } from '../../context.ts'
import { isWebSocketRequest, sendTo } from '../../websocket.ts'
import { causeOf, type Destination, dialBackend } from './dial.ts'

/** Whether a request asks for another protocol. */
export const isUpgrade = (request: Request): boolean => /\bupgrade\b/i.test(request.headers.get('connection') ?? '')

/** A destination with the path and query of the request to it. */
export interface Target extends Destination {
  /** Begins with a slash. */
  readonly path: string
}

const tunnelPrefix = 'SPDY/3.1+'
const tunnelProtocol = `${tunnelPrefix}portforward.k8s.io`

/** Whether a WebSocket carries the bytes of SPDY. */
export const isTunnel = (request: Request): boolean => offeredProtocols(request).includes(tunnelProtocol)

/** Returns the response of a server that does not change the protocol. @throws ApiError 500 if it is not an error */
function refusal(response: Response): Response {
  const { status, body, headers } = response
  if (status < 400) throw new ApiError(500, '', `invalid upgrade response: status code ${status}`)
  return new Response(body, { status, headers: answeredHeaders(headers, {}), encodeBody: 'manual' })
}

/** @throws ApiError 400 for a protocol that the runtime does not speak, after it is known that the server can be reached */
async function refuseOtherProtocol(context: ResourceContext, target: Target): Promise<never> {
  const connection = await dialBackend(context, target)
  connection.close()
  throw badRequest('unable to upgrade: this server supports WebSockets only, which kubectl 1.31 and later use')
}

/**
 * Passes on a WebSocket, or SPDY that the TLS proxy has received.
 * @throws ApiError 400 for another protocol, 500 if the server cannot be reached or does not follow the protocol
 */
export async function passUpgrade(context: ResourceContext, target: Target): Promise<Response> {
  const { request } = context
  const isSpdy = isProxiedSpdy(request)
  if (!isSpdy && !isWebSocketRequest(request)) return refuseOtherProtocol(context, target)
  const connection = await dialBackend(context, target)
  const host = request.headers.get('host') ?? ''
  const handshake = { method: request.method, path: target.path, host, headers: passedHeaders(request), body: null }
  const join = isSpdy ? joinSpdy : joinWebSockets
  const response = await join(connection, handshake, request).catch((error: unknown) => {
    throw new ApiError(500, '', causeOf(error))
  })
  return statusOfClient(response) === 101 ? response : refusal(response)
}

/**
 * Asks a kubelet for SPDY.
 * @param protocols the protocols of the streams, the preferred first
 * @returns the response if the kubelet does not agree
 * @throws HttpError if its response is not HTTP
 */
export async function upgradeToSpdy(
  { http, close }: Connection,
  { path, host, headers }: Pick<HttpRequest, 'path' | 'host' | 'headers'>,
  protocols: readonly string[],
): Promise<Upgraded | Response> {
  const asked: readonly (readonly [string, string])[] = [
    ...headers.filter(([name]) => !/^(?:sec-websocket-.*|origin|content-length)$/i.test(name)),
    ['Connection', 'Upgrade'],
    ['Upgrade', spdyProtocol],
    ...protocols.map((protocol) => ['X-Stream-Protocol-Version', protocol] as const),
  ]
  try {
    return await http.upgrade({ method: 'POST', path, host, headers: asked, body: null }, close)
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Passes on the bytes of SPDY that a WebSocket carries.
 * @throws ApiError 500 if the kubelet cannot be reached or does not follow the protocol
 */
export async function tunnel(context: ResourceContext, target: Target): Promise<Response> {
  const { request } = context
  const protocols = offeredProtocols(request)
    .filter((protocol) => protocol.startsWith(tunnelPrefix) && protocol.endsWith('.k8s.io'))
    .map((protocol) => protocol.slice(tunnelPrefix.length))
  const connection = await dialBackend(context, target)
  const asked = { path: target.path, host: request.headers.get('host') ?? '', headers: passedHeaders(request) }
  const upgraded = await upgradeToSpdy(connection, asked, protocols).catch((error: unknown) => {
    throw new ApiError(500, '', causeOf(error))
  })
  if (upgraded instanceof Response) return refusal(upgraded)
  const { http, close } = connection
  const [client, inner] = webSocketPair()
  const queue = new WriteQueue((data) => http.write(data), close)
  inner.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') close()
    else queue.push(new Uint8Array(data as ArrayBuffer))
  })
  inner.addEventListener('close', close)
  inner.addEventListener('error', close)
  passBytes(upgraded.bytes, inner)
    .catch(() => undefined)
    .finally(() => {
      inner.close(1000)
      close()
    })
  return switched(client, tunnelPrefix + (upgraded.headers.get('x-stream-protocol-version') ?? ''))
}

async function passBytes(bytes: AsyncIterable<Uint8Array>, client: WebSocket): Promise<void> {
  for await (const part of bytes) await sendTo(client, part)
}
