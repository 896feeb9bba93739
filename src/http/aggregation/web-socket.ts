/** WebSockets through this server: the runtime ends the one of the client, and this module speaks the protocol to the other server. */
import type { Connection } from '../../clusters/webhooks/pinned-fetch.ts'
import type { HttpRequest } from '../../net/http-exchange.ts'
import {
  acceptOf,
  closeFrame,
  dataFrame,
  type Frame,
  frames,
  longestMessage,
  newKey,
  opcodes,
  pongFrame,
} from '../../net/websocket-frames.ts'
import { WriteQueue } from '../../net/write-queue.ts'
import { sendTo } from '../websocket.ts'
import { answeredHeaders } from './headers.ts'

const protocolHeader = 'sec-websocket-protocol'
const tokenPrefix = 'base64url.bearer.authorization.k8s.io.'

/** Headers of the client's handshake, for which this server has its own. */
const isOfHandshake = (name: string): boolean =>
  name.startsWith('sec-websocket-') || name === 'origin' || name === 'content-length'

function handshakeOf(request: HttpRequest, received: Request, key: string): HttpRequest {
  const protocols = offeredProtocols(received).join(', ')
  const origin = received.headers.get('origin')
  const headers: (readonly [string, string])[] = [
    ...request.headers.filter(([name]) => !isOfHandshake(name.toLowerCase())),
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', key],
    ...(protocols === '' ? [] : [['Sec-WebSocket-Protocol', protocols] as const]),
    ...(origin === null ? [] : [['Origin', origin] as const]),
  ]
  return { ...request, headers, body: null }
}

/** The maximum number of frames of one message: each takes memory, also an empty one. */
const mostFrames = 100_000

/** Passes on the frames of the server until it closes the connection, or breaks the protocol. */
async function passFrames(received: AsyncIterable<Frame>, client: WebSocket, answer: (frame: Uint8Array) => void): Promise<void> {
  const decoder = new TextDecoder()
  let parts: Uint8Array[] = []
  let length = 0
  let isText = false
  for await (const { opcode, isFinal, data } of received) {
    if (opcode === opcodes.close) {
      const code = data.length < 2 ? 1000 : (data[0] ?? 0) * 256 + (data[1] ?? 0)
      client.close(code >= 1000 && code !== 1005 && code !== 1006 ? code : 1000, decoder.decode(data.subarray(2)))
      return
    }
    if (opcode === opcodes.ping) answer(pongFrame(data))
    if (opcode >= opcodes.close) continue
    if (opcode !== opcodes.continuation) isText = opcode === opcodes.text
    parts.push(data)
    length += data.length
    if (length > longestMessage || parts.length > mostFrames) throw new Error('a message that is too long')
    if (!isFinal) continue
    const whole = Buffer.concat(parts)
    parts = []
    length = 0
    await sendTo(client, isText ? whole.toString('utf8') : new Uint8Array(whole))
  }
  client.close(1001)
}

/** Returns the subprotocols that a client offers, without a token for this server. */
export const offeredProtocols = (request: Request): readonly string[] =>
  (request.headers.get(protocolHeader) ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '' && !protocol.startsWith(tokenPrefix))

/** Returns the 101 response for a WebSocket. @param protocol the subprotocol; '' for none */
export function switched(client: WebSocket, protocol: string): Response {
  const headers = answeredHeaders(new Headers(protocol === '' ? {} : { [protocolHeader]: protocol }), {})
  return new Response(null, { status: 101, webSocket: client, headers })
}

/** Returns both ends of a WebSocket: that of the client, and the accepted one of this server. */
export function webSocketPair(): readonly [client: WebSocket, server: WebSocket] {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
  server.binaryType = 'arraybuffer'
  server.accept()
  return [client, server]
}

/**
 * Makes the client's handshake with the other server, and passes on the frames of both.
 * @param connection is closed with the WebSocket
 * @returns the 101 response, or the response of a server that refuses
 * @throws Error if the server does not answer, or breaks the protocol
 */
export async function joinWebSockets({ http, close }: Connection, request: HttpRequest, received: Request): Promise<Response> {
  const key = newKey()
  const upgraded = await http.upgrade(handshakeOf(request, received, key), close).catch((error: unknown) => {
    close()
    throw error
  })
  if (upgraded instanceof Response) return upgraded
  if (upgraded.headers.get('sec-websocket-accept') !== acceptOf(key)) {
    close()
    throw new Error('the server has not accepted the WebSocket')
  }
  const [outer, inner] = webSocketPair()
  const queue = new WriteQueue((data) => http.write(data), close)
  inner.addEventListener('message', ({ data }) => queue.push(dataFrame(data as string | ArrayBuffer)))
  inner.addEventListener('close', ({ code, reason }) => {
    http
      .write(closeFrame(code, reason))
      .catch(() => undefined)
      .finally(close)
  })
  inner.addEventListener('error', close)
  passFrames(frames(upgraded.bytes), inner, (frame) => queue.push(frame))
    .catch(() => inner.close(1002))
    .finally(close)
  return switched(outer, upgraded.headers.get(protocolHeader) ?? '')
}
