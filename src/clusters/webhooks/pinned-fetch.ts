/** Fetches from a server that must have a certificate of given authorities. */
import { HttpConnection, type HttpRequest } from '../../net/http-exchange.ts'
import { type ByteConnection, connectTls } from '../../net/tls/client.ts'
import type { ClientCertificate } from '../../net/tls/client-certificate.ts'
import type { Network } from './network.ts'
import type { WebhookAddress } from './transport.ts'

/** The time in milliseconds after which an unused connection is closed. */
const idleTime = 5_000
/** The maximum number of unused connections to one server. */
const mostIdle = 32

/** A server, and the trust between both sides. */
export interface PinnedServer {
  readonly address: WebhookAddress
  /** PEM; 'any': the server's certificate is not verified. */
  readonly authorities: readonly string[] | 'any'
  /** The certificate for a server that asks for one. */
  readonly client?: ClientCertificate | undefined
  /** The network in which the server is. */
  readonly network: Network
}

/** An open connection to a server. */
export interface Connection {
  readonly http: HttpConnection
  close(): void
}

/** An unused connection, and since when it has not been used, in milliseconds since the epoch. */
interface Idle {
  readonly connection: Connection
  readonly since: number
}

/**
 * Keeps connections between the calls of one Durable Object: a handshake takes longer than most calls. A Worker cannot keep any,
 * because the runtime ends the connections of a request with it.
 */
export class ConnectionPool {
  /** By server, the connection that was used last at the end. */
  readonly #idle = new Map<string, Idle[]>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Takes an unused connection to a server; undefined if no connection is open. */
  take(server: string): Connection | undefined {
    return this.#idle.get(server)?.pop()?.connection
  }

  /** Keeps a connection for the next call. */
  keep(server: string, connection: Connection): void {
    const idle = this.#idle.get(server) ?? []
    if (idle.length >= mostIdle) {
      connection.close()
      return
    }
    this.#idle.set(server, idle)
    const entry = { connection, since: Date.now() }
    idle.push(entry)
    connection.http.rest(() => {
      const place = this.#idle.get(server)?.indexOf(entry) ?? -1
      if (place >= 0) this.#idle.get(server)?.splice(place, 1)
      connection.close()
    })
    this.#timer ??= setTimeout(() => this.#sweep(), idleTime)
  }

  /** Closes the connections that have not been used for long. */
  #sweep(): void {
    this.#timer = undefined
    const earliest = Date.now() - idleTime
    for (const [server, idle] of this.#idle) {
      const used = idle.findIndex(({ since }) => since > earliest)
      for (const { connection } of idle.splice(0, used < 0 ? idle.length : used)) connection.close()
      if (idle.length === 0) this.#idle.delete(server)
    }
    if (this.#idle.size > 0) this.#timer = setTimeout(() => this.#sweep(), idleTime)
  }
}

/** Rejects when a signal is aborted, with its reason. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  promise.catch(() => undefined)
  return promise
}

/** Connects, and begins a protocol. The signal ends the connection while it is opened. */
async function connected(
  { address: { hostname, port }, network }: Pick<PinnedServer, 'address' | 'network'>,
  signal: AbortSignal,
  begin: (socket: Socket) => Promise<ByteConnection>,
): Promise<Connection> {
  const address = { hostname: hostname.includes(':') ? `[${hostname}]` : hostname, port }
  const options = { secureTransport: 'off', allowHalfOpen: false } as const
  const socket = network.connect(address, options)
  const close = (): void => void socket.close().catch(() => undefined)
  signal.addEventListener('abort', close, { once: true })
  // A closed socket also rejects here; the reads and writes report why.
  socket.closed.catch(() => undefined)
  try {
    await socket.opened
    return { http: new HttpConnection(await begin(socket)), close }
  } catch (error) {
    close()
    throw error
  } finally {
    signal.removeEventListener('abort', close)
  }
}

/** Opens a TLS connection. @throws TlsError with Go's text; the runtime's error if there is no connection */
export const open = ({ address, authorities, client, network }: PinnedServer, signal: AbortSignal): Promise<Connection> =>
  connected({ address, network }, signal, (socket) =>
    connectTls(socket, { serverName: address.serverName, authorities, now: Date.now(), client }),
  )

/** Opens a connection without TLS. @throws the runtime's error if there is no connection */
export const openPlain = (server: Pick<PinnedServer, 'address' | 'network'>, signal: AbortSignal): Promise<Connection> =>
  connected(server, signal, async ({ readable, writable }) => {
    const [reader, writer] = [readable.getReader(), writable.getWriter()]
    return {
      read: async () => (await reader.read()).value as Uint8Array | undefined,
      write: (data) => writer.write(data),
    }
  })

/** Sends a request. The connection goes back to the pool when its response has been read. */
async function send(
  connection: Connection,
  request: HttpRequest,
  signal: AbortSignal,
  keep: ((connection: Connection) => void) | undefined,
): Promise<Response> {
  const close = (): void => connection.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    return await connection.http.exchange(request, (state) => {
      signal.removeEventListener('abort', close)
      if (state === 'idle' && keep !== undefined) keep(connection)
      else close()
    })
  } catch (error) {
    close()
    throw error
  }
}

function requestOf(url: string, init: RequestInit): HttpRequest {
  const { pathname, search } = new URL(url)
  return {
    method: init.method ?? 'GET',
    path: `${pathname}${search}`,
    // The port is part of it even if it is the usual one.
    host: /^https:\/\/([^/?]*)/.exec(url)?.[1] ?? '',
    headers: [...new Headers(init.headers), ['accept-encoding', 'gzip']],
    body: typeof init.body === 'string' ? init.body : '',
  }
}

/** How a request is sent. */
export interface Sending {
  readonly signal: AbortSignal
  /** Keeps the connection for the next request. */
  readonly pool?: ConnectionPool | undefined
  /** Whether the request is sent again if the server has closed a kept connection without a response. */
  readonly repeats: boolean
}

/**
 * Sends a request over a TLS connection of its own. The body of the response is as the server has encoded it.
 * @throws TlsError, HttpError with Go's text; the runtime's error if there is no connection
 */
export async function sendPinned(to: PinnedServer, request: HttpRequest, { signal, pool, repeats }: Sending): Promise<Response> {
  const { address, authorities, client } = to
  const server = JSON.stringify([address.hostname, address.port, address.serverName, authorities, client !== undefined])
  const keep = pool && ((connection: Connection): void => pool.keep(server, connection))
  const late = aborted(signal)
  const kept = pool?.take(server)
  if (kept !== undefined) {
    try {
      return await Promise.race([send(kept, request, signal, keep), late])
    } catch (error) {
      // The server may have closed the connection meanwhile: the request is made over a new one.
      if (signal.aborted || !repeats) throw error
    }
  }
  const fresh = async (): Promise<Response> => send(await open(to, signal), request, signal, keep)
  return Promise.race([fresh(), late])
}

/** Returns the response with its content decoded. */
function decoded(response: Response): Response {
  const { body, headers, status } = response
  if (headers.get('content-encoding') !== 'gzip' || body === null) return response
  headers.delete('content-encoding')
  const unzipped = new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>
  return new Response(body.pipeThrough(unzipped), { status, headers })
}

/**
 * Fetches over a TLS connection of its own.
 * @param url its host is sent in the request, and not connected to
 * @throws TlsError, HttpError with Go's text; the runtime's error if there is no connection
 */
export async function pinnedFetch(
  url: string,
  init: RequestInit,
  server: PinnedServer,
  pool?: ConnectionPool,
): Promise<Response> {
  const signal = init.signal ?? new AbortController().signal
  return decoded(await sendPinned(server, requestOf(url, init), { signal, pool, repeats: true }))
}
