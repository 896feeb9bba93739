/**
 * Ends TLS in front of workerd, which cannot tell the Worker of a client's certificate. Each request goes on with a header more, whose
 * name only workerd knows: it says from where the request comes, and whom the certificate of its connection names.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { ClientConnection, type Upstream } from './client-connection.ts'
import type { Connection, ConnectionLimits } from './connection-limiter.ts'
import { Entrance, type ListenAddress } from './entrance.ts'
import { wantsProtocol } from './protocols.ts'
import { maxHeaderSize } from './request-headers.ts'

/** The certificates of a TLS proxy; they may change while it runs. */
export interface ServingKeys {
  /** PEM, as are all. */
  readonly certificate: string
  readonly key: string
  /** The authorities whose clients' certificates are accepted; '' if clients are not asked for any. */
  readonly clientAuthorities: string
}

/** OpenSSL's flag: every connection sends its certificate again, so that a verification is never older than its connection. */
const withoutTickets = 0x4000

const tlsOptions = ({ certificate, key, clientAuthorities }: ServingKeys) => ({
  cert: certificate,
  key,
  ...(clientAuthorities !== '' && { ca: clientAuthorities, requestCert: true }),
  rejectUnauthorized: false,
  secureOptions: withoutTickets,
})

/** The limits are workerd's own, in milliseconds, so that clients find the same with a TLS proxy as without. */
const httpOptions = {
  ALPNProtocols: ['http/1.1'],
  maxHeaderSize,
  headersTimeout: 15_000,
  keepAliveTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  // Requests for any other protocol are ordinary ones. Node before 24.9 reads them as the end of HTTP: they get their response still,
  // but those with a body are refused.
  shouldUpgradeCallback: wantsProtocol,
}

/** Status lines by the codes of Node's errors about requests. */
const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * Makes Node's parser read from the stream. It would read from TLS itself, which goes on decrypting while the parser is paused: a
 * body that follows a long response closely would then be a parse error, and its connection be reset.
 */
function readThroughStream(socket: TLSSocket): void {
  socket.on('data', () => undefined)
}

/** A TLS proxy that listens. */
export class TlsProxy {
  readonly #server: Server
  #entrance: Entrance | undefined
  /** Ends the turns of connections in their TLS handshakes. */
  readonly #turns = new WeakMap<Connection, () => void>()
  readonly #clients = new WeakMap<Duplex, ClientConnection>()
  #clientAuthorities: string
  /** Begin the requests that came before workerd listened; undefined since it does. */
  #early: (() => void)[] | undefined

  private constructor(upstream: Upstream, keys: ServingKeys) {
    this.#clientAuthorities = keys.clientAuthorities
    if (upstream.listening !== undefined) this.#wait(upstream.listening)
    this.#server = createServer({ ...tlsOptions(keys), ...httpOptions })
    // The head as a whole is limited. Node would leave out, without a word, headers beyond the 2,000th.
    this.#server.maxHeadersCount = 0
    this.#server.on('secureConnection', (socket) => {
      const connection = this.#entrance?.limiter.find(socket)
      if (connection === undefined) {
        socket.destroy()
        return
      }
      this.#turns.get(connection)?.()
      readThroughStream(socket)
      this.#clients.set(socket, new ClientConnection(socket, upstream, (state) => connection.become(state)))
    })
    const forward = (request: IncomingMessage, response: ServerResponse): void =>
      this.#whenListening(() => this.#clientOf(request.socket)?.forward(request, response))
    for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) this.#server.on(event, forward)
    this.#server.on('upgrade', (request, socket, first) =>
      this.#whenListening(() => this.#clientOf(socket)?.upgrade(request, first)),
    )
    this.#server.on('connect', (_request, socket) => this.#clientOf(socket)?.refuse('400 Bad Request'))
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const client = this.#clients.get(socket)
      // One that breaks off its handshake is not a client yet.
      if (client === undefined) socket.destroy()
      else client.refuse(refusals[error.code ?? ''] ?? '400 Bad Request')
    })
  }

  #whenListening(begin: () => void): void {
    if (this.#early === undefined) begin()
    else this.#early.push(begin)
  }

  #wait(listening: Promise<unknown>): void {
    this.#early = []
    void listening.then(() => {
      const early = this.#early ?? []
      this.#early = undefined
      for (const begin of early) begin()
    })
  }

  /** Starts one. @throws LauncherError if the port or the certificates cannot be used */
  static async listen(
    address: ListenAddress,
    upstream: Upstream,
    keys: ServingKeys,
    limits: ConnectionLimits,
  ): Promise<TlsProxy> {
    const proxy = new TlsProxy(upstream, keys)
    proxy.#entrance = await Entrance.open(address, limits, (connection, greeting, done) => {
      proxy.#turns.set(connection, done)
      connection.socket.unshift(greeting)
      proxy.#server.emit('connection', connection.socket)
    })
    // Node begins to limit the time of heads when its server listens; this one is given its connections.
    proxy.#server.emit('listening')
    return proxy
  }

  /** Serves new connections with these keys. If the authorities differ, open connections end: the former ones have accepted them. */
  use(keys: ServingKeys): void {
    this.#server.setSecureContext(tlsOptions(keys))
    if (keys.clientAuthorities === this.#clientAuthorities) return
    this.#clientAuthorities = keys.clientAuthorities
    this.#entrance?.limiter.closeAll()
  }

  /** Stops it and closes all connections. */
  close(): void {
    this.#entrance?.close()
    this.#server.close()
  }

  #clientOf(socket: Duplex): ClientConnection | undefined {
    return this.#clients.get(socket)
  }
}
