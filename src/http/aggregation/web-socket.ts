/** WebSockets through this server: the runtime ends the one of the client, and this module speaks the protocol to the other server. */
import { type Backend, BackendError, type Backends } from '../../auth/front-proxy/backend.ts'
import type { HttpRequest } from '../../net/http-exchange.ts'
import { acceptOf, closeFrame, dataFrame, type Frame, frames, newKey, opcodes, pongFrame } from '../../net/websocket-frames.ts'
import { answeredHeaders } from './headers.ts'

const protocolHeader = 'sec-websocket-protocol'
const tokenPrefix = 'base64url.bearer.authorization.k8s.io.'
/** How long the handshake with the other server may take, in milliseconds. */
const patience = 10_000

/** Headers of the client's handshake, for which this server has its own. */
const isOfHandshake = (name: string): boolean =>
  name.startsWith('sec-websocket-') || name === 'origin' || name === 'content-length'

/** Returns the subprotocols without the one that contains a token for this server. */
const protocolsOf = (request: Request): string =>
  (request.headers.get(protocolHeader) ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '' && !protocol.startsWith(tokenPrefix))
    .join(', ')

function handshakeOf(request: HttpRequest, received: Request, key: string): HttpRequest {
  const protocols = protocolsOf(received)
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

/** Passes on the frames of the server until it closes the connection, or breaks the protocol. */
async function passFrames(received: AsyncIterable<Frame>, client: WebSocket, answer: (frame: Uint8Array) => void): Promise<void> {
  const decoder = new TextDecoder()
  let parts: Uint8Array[] = []
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
    if (!isFinal) continue
    const whole = Buffer.concat(parts)
    parts = []
    client.send(isText ? whole.toString('utf8') : new Uint8Array(whole))
  }
  client.close(1001)
}

/**
 * Opens a WebSocket to the other server for the client's handshake.
 * @returns the 101 response, or the response of a server that refuses
 * @throws BackendError
 */
export async function connectWebSocket(
  backends: Backends,
  backend: Backend,
  request: HttpRequest,
  received: Request,
): Promise<Response> {
  const { http, close } = await backends.connect(backend, AbortSignal.timeout(patience))
  const key = newKey()
  const upgraded = await http.upgrade(handshakeOf(request, received, key)).catch((error: unknown) => {
    close()
    throw new BackendError(error instanceof Error ? error.message : 'EOF')
  })
  if (upgraded instanceof Response) return upgraded
  const accepted = upgraded.headers.get('sec-websocket-accept')
  if (accepted !== acceptOf(key)) {
    close()
    throw new BackendError('the server has not accepted the WebSocket')
  }
  const [outer, inner] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
  inner.binaryType = 'arraybuffer'
  inner.accept()
  const send = (frame: Uint8Array): void => void http.write(frame).catch(close)
  inner.addEventListener('message', ({ data }) => send(dataFrame(data as string | ArrayBuffer)))
  inner.addEventListener('close', ({ code, reason }) => {
    send(closeFrame(code, reason))
    close()
  })
  inner.addEventListener('error', close)
  passFrames(frames(upgraded.bytes), inner, send)
    .catch(() => inner.close(1002))
    .finally(close)
  const protocol = upgraded.headers.get(protocolHeader)
  const headers = answeredHeaders(new Headers(protocol === null ? {} : { [protocolHeader]: protocol }), {})
  return new Response(null, { status: 101, webSocket: outer, headers })
}
