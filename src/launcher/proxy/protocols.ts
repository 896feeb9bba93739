/** Connections that go on with another protocol than HTTP: as WebSockets, which workerd speaks, or with SPDY, which the TLS proxy switches to itself. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Duplex, Transform, type TransformCallback } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { agreedHeader, lengthBytes, spdyProtocol } from '../../net/proxied-spdy.ts'
import { responseHeaders, withoutHeader } from './request-headers.ts'

const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? '0') === 0 && headers['transfer-encoding'] === undefined

const protocolOf = ({ headers }: IncomingMessage): string => (headers.upgrade ?? '').toLowerCase()

/** Tells whether a request asks for SPDY. */
export const wantsSpdy = (request: IncomingMessage): boolean =>
  protocolOf(request) === spdyProtocol.toLowerCase() && hasNoBody(request)

const wantsWebSocket = (request: IncomingMessage): boolean =>
  protocolOf(request) === 'websocket' && request.method === 'GET' && hasNoBody(request)

/** Tells whether a request may go on with another protocol. */
export const wantsProtocol = (request: IncomingMessage): boolean => wantsWebSocket(request) || wantsSpdy(request)

function headText({ httpVersion }: IncomingMessage, status: string, headers: readonly string[]): Buffer {
  const lines = [`HTTP/${httpVersion} ${status}`]
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/** Sends on workerd's response to a request that gets no other protocol, after which the connection is closed. */
function passRefusal(answer: IncomingMessage, client: Duplex): void {
  const status = `${answer.statusCode} ${answer.statusMessage}`
  client.write(headText(answer, status, [...responseHeaders(answer.rawHeaders), 'Connection', 'close']))
  answer.pipe(client)
  answer.on('error', () => client.destroy())
}

/** Joins both connections if workerd agrees to a WebSocket. @param first what the client has sent after its request */
export function passWebSocket(sent: ClientRequest, client: TLSSocket, first: Buffer): void {
  sent.once('upgrade', (answer, server, firstOfServer) => {
    client.write(headText(answer, `${answer.statusCode} ${answer.statusMessage}`, answer.rawHeaders))
    client.write(firstOfServer)
    server.write(first)
    join(client, server)
  })
  sent.once('response', (answer) => passRefusal(answer, client))
  sent.on('error', () => client.destroy())
}

function join(one: Duplex, other: Duplex): void {
  one.pipe(other).pipe(one)
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => undefined)
    from.once('close', () => to.destroy())
  }
}

/** So long a client may take to close its connection after it was sent the end, in milliseconds. */
const closeTimeout = 30_000

/** Reads what a client receives from the parts of a response. It ends with the empty part; a response that ends before is an error. */
class Parts extends Transform {
  #head = Buffer.alloc(0)
  #left = 0
  #hasEnded = false

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk
    while (rest.length > 0 && !this.#hasEnded) {
      if (this.#left === 0) rest = this.#readLength(rest)
      const data = rest.subarray(0, this.#left)
      if (data.length > 0) this.push(data)
      this.#left -= data.length
      rest = rest.subarray(data.length)
    }
    done()
  }

  override _flush(done: TransformCallback): void {
    done(this.#hasEnded ? null : new Error('the response has broken off'))
  }

  #readLength(chunk: Buffer): Buffer {
    const missing = lengthBytes - this.#head.length
    this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)])
    if (this.#head.length === lengthBytes) {
      this.#left = this.#head.readUInt32BE()
      this.#head = Buffer.alloc(0)
      this.#hasEnded = this.#left === 0
      if (this.#hasEnded) this.push(null)
    }
    return chunk.subarray(missing)
  }
}

/** Switches to SPDY if the Worker agrees; the bodies of the request and its response are the bytes of both sides then. */
export function passSpdy(sent: ClientRequest, client: TLSSocket, first: Buffer): void {
  let isRefused = false
  sent.once('response', (answer) => {
    const protocol = answer.statusCode === 200 ? answer.headers[agreedHeader] : undefined
    if (protocol === undefined) {
      isRefused = true
      passRefusal(answer, client)
      return
    }
    const headers = withoutHeader(responseHeaders(answer.rawHeaders), agreedHeader)
    client.write(headText(answer, '101 Switching Protocols', [...headers, 'Connection', 'Upgrade', 'Upgrade', String(protocol)]))
    if (first.length > 0) sent.write(first)
    client.pipe(sent)
    const parts = answer.pipe(new Parts())
    parts.pipe(client)
    client.once('finish', () => client.setTimeout(closeTimeout, () => client.destroy()))
    for (const source of [answer, parts]) source.once('error', () => client.destroy())
  })
  // workerd need not wait for the end of a body that it has answered already.
  sent.on('error', () => isRefused || client.destroy())
  // The head, without which nobody would answer: there is no body yet.
  sent.flushHeaders()
}
