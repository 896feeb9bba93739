/** One client's connection to the TLS proxy, and the connection to workerd that belongs to it alone. */
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import http from 'node:http'
import type { TLSSocket } from 'node:tls'
import { asciiJson } from '../../go/text.ts'
import { currentAuth, peerCertificate } from './peer-certificate.ts'
import { passSpdy, passWebSocket, wantsSpdy } from './protocols.ts'
import {
  AmbiguousRequestError,
  type ForwardedHeaders,
  maxHeaderSize,
  requestHeaders,
  responseHeaders,
  withoutHeader,
} from './request-headers.ts'

/** The server behind the proxy. */
export interface Upstream {
  /** workerd's Unix socket. */
  readonly socket: string
  /** The header, in lower case, in which workerd expects the client's address and certificate. */
  readonly header: string
  /** Resolves when it listens; undefined if it does. */
  readonly listening?: Promise<void>
}

/** workerd closes a connection that has been idle for 15 seconds. One is not reused when that is near; in milliseconds. */
const upstreamIdle = 12_000
/** So many requests may wait for the responses to those before them: no known client sends even a second one so early. */
const maxWaiting = 100
/** So long a client may take to read that it is refused, in milliseconds. */
const closeTimeout = 1_000

/** So often a connection with another protocol is checked, in milliseconds: as often as Go's servers do. */
const keepAliveInterval = 15_000

/** The protocol of client and workerd after the head of a request. */
type Protocol = 'http' | 'spdy'

/** The head of a request to workerd, and what comes after it. */
interface SentHeaders {
  readonly headers: readonly string[]
  readonly body: ForwardedHeaders['body'] | 'spdy'
}

/** A connection after its TLS handshake. */
export class ClientConnection {
  readonly #upstream: Upstream
  readonly #client: TLSSocket
  readonly #identity: (protocol: Protocol) => string
  readonly #become: (state: 'served' | 'idle') => void
  // One connection to workerd for each client: requests reach workerd in their order, and never between those of another client.
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1, timeout: upstreamIdle })
  #current: ClientRequest | undefined
  /** Begin the requests that came before the response to the current one. */
  #waiting: (() => void)[] = []
  /** Responses that have not been sent to their end. */
  #unanswered = 0
  #isLast = false

  /** @param become takes whether the connection has a request */
  constructor(client: TLSSocket, upstream: Upstream, become: (state: 'served' | 'idle') => void) {
    this.#client = client
    this.#become = become
    this.#upstream = upstream
    this.#identity = identityOf(client)
    client.once('close', () => {
      this.#waiting = []
      this.#current?.destroy()
      this.#agent.destroy()
    })
  }

  /** Sends a request on to workerd, and workerd's response back, both while they come. */
  forward(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isLast) return
    this.#unanswered++
    this.#become('served')
    response.once('close', () => {
      this.#unanswered--
      if (this.#unanswered === 0) this.#become('idle')
    })
    // Node's parser loses the bytes behind a request for another protocol that it goes on with as an ordinary one.
    const isLast = closesAfter(request) || request.headers.upgrade !== undefined
    this.#isLast = isLast
    const refuse = (): void => {
      this.#isLast = true
      response.writeHead(400, { connection: 'close', 'content-length': 0 }).end()
    }
    try {
      const forwarded = checked(request, this.#upstream.header)
      this.#enqueue(() => {
        try {
          passResponse(this.#open(request, forwarded), request, response, isLast)
        } catch {
          // Node does not write what it would not read.
          refuse()
        }
      })
    } catch {
      refuse()
    }
  }

  /** Sends a request on that asks for another protocol, and joins both connections if workerd agrees. */
  upgrade(request: IncomingMessage, first: Buffer): void {
    const client = this.#client
    client.on('error', () => undefined)
    // The responses that the client still waits for would come in the midst of the other protocol.
    if (this.#isLast || this.#unanswered > 0) {
      client.destroy()
      return
    }
    this.#isLast = true
    this.#become('served')
    // The other protocol may be silent for hours, also if its client has vanished.
    client.setKeepAlive(true, keepAliveInterval)
    try {
      const forwarded = checked(request, this.#upstream.header)
      if (forwarded.body !== 'none') throw new AmbiguousRequestError('a body before another protocol')
      const switching = ['Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? '']
      if (wantsSpdy(request)) {
        const headers = [...withoutHeader(forwarded.headers, 'content-length'), ...switching]
        passSpdy(this.#open(request, { headers, body: 'spdy' }), client, first)
      } else passWebSocket(this.#open(request, { headers: [...forwarded.headers, ...switching], body: 'none' }), client, first)
    } catch {
      client.end(refusal('400 Bad Request'))
    }
  }

  /** Answers bytes that are not a request, and closes the connection. @param status the response's status line without the version */
  refuse(status: string): void {
    const client = this.#client
    this.#isLast = true
    if (client.writableEnded) return
    // In the midst of a response it would be a part of that.
    if (this.#unanswered > 0 || !client.writable) client.destroy()
    // A connection that is closed with unread bytes is reset, and its client may not see the answer.
    else client.setTimeout(closeTimeout, () => client.destroy()).end(refusal(status))
  }

  #enqueue(begin: () => void): void {
    if (this.#current === undefined) begin()
    else if (this.#waiting.length < maxWaiting) this.#waiting.push(begin)
    else this.#client.destroy()
  }

  /** Begins a request to workerd. @throws Error if Node refuses to write it */
  #open(request: IncomingMessage, { headers, body }: SentHeaders): ClientRequest {
    const isSpdy = body === 'spdy'
    const length = body === 'chunked' || isSpdy ? ['Transfer-Encoding', 'chunked'] : []
    // Node would send one without a length as if it had a body.
    if (body === 'none' && request.headers['content-length'] === undefined && withBody.has(request.method ?? ''))
      length.push('Content-Length', '0')
    const sent = http.request({
      agent: this.#agent,
      socketPath: this.#upstream.socket,
      method: request.method,
      path: request.url,
      headers: [this.#upstream.header, this.#identity(isSpdy ? 'spdy' : 'http'), ...headers, ...length],
      maxHeaderSize,
    })
    sent.maxHeadersCount = 0
    this.#current = sent
    sent.once('close', () => {
      this.#current = undefined
      this.#waiting.shift()?.()
    })
    if (body === 'none') sent.end()
    else if (!isSpdy) {
      if (request.headers.expect !== undefined) sent.flushHeaders()
      request.pipe(sent)
    }
    return sent
  }
}

function passResponse(sent: ClientRequest, request: IncomingMessage, response: ServerResponse, isLast: boolean): void {
  let isAnswered = false
  sent.once('continue', () => response.writeContinue())
  sent.once('response', (answer) => {
    answer.once('end', () => {
      isAnswered = true
    })
    respond(answer, response, isLast)
  })
  sent.on('error', () => {
    // workerd need not read all of a body that it has answered already.
    if (isAnswered) request.unpipe(sent).resume()
    else request.socket.destroy()
  })
}

/** Methods whose requests Node sends with a body unless told otherwise. */
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Writes a response without a body, after which the connection is closed. */
const refusal = (status: string): string => `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`

function checked(request: IncomingMessage, forbidden: string): ForwardedHeaders {
  const { httpVersion, rawHeaders } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw new AmbiguousRequestError('another version of HTTP')
  return requestHeaders(rawHeaders, forbidden)
}

/** Gives the value of the header that tells workerd about the client: what Cloudflare tells a Worker in `request.cf`. */
function identityOf(client: TLSSocket): (protocol: Protocol) => string {
  const peer = peerCertificate(client)
  // An IPv4 client of a socket that takes both kinds.
  const clientIp = (client.remoteAddress ?? '').replace(/^::ffff:(?=[\d.]+$)/, '')
  const text = (facts: object): string => asciiJson(JSON.stringify({ clientIp, ...facts }))
  const textAt = (time: number): string => text(peer === undefined ? {} : { tlsClientAuth: currentAuth(peer, time) })
  const validUntil = peer?.validUntil ?? Number.POSITIVE_INFINITY
  const [valid, expired] = [textAt(validUntil), textAt(validUntil + 1)]
  return (protocol) => {
    const current = Date.now() <= validUntil ? valid : expired
    return protocol === 'spdy' ? current.replace(/\}$/, ',"spdy":true}') : current
  }
}

function respond(answer: IncomingMessage, response: ServerResponse, isLast: boolean): void {
  const headers = responseHeaders(answer.rawHeaders)
  // Node would add a date, and say that the connection stays, which HTTP/1.1 implies.
  response.sendDate = false
  if (isLast) headers.push('Connection', 'close')
  else response.removeHeader('connection')
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers)
  answer.once('error', () => response.destroy())
  let hasBegun = false
  answer.once('data', () => {
    hasBegun = true
  })
  answer.pipe(response)
  // The head goes with the first bytes of the body if they have come with it, and alone if not: a watch may be silent for long.
  setImmediate(() => {
    if (!hasBegun && !response.writableEnded && !response.destroyed) response.flushHeaders()
  })
}

const closesAfter = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === '1.1' && /(?:^|,)\s*close\s*(?:,|$)/i.test(headers.connection ?? '')
