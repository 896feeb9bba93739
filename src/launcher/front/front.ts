/**
 * Ends TLS in front of workerd, which cannot tell the Worker of a client's certificate: says to workerd, in a header whose name
 * nobody else knows, from where each request comes and who the connection's client has shown to be. All other bytes go through as
 * they are, a connection to workerd for each of a client's.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { boundsFor, descriptorLimit, OpenConnections } from './open-connections.ts'
import { currentAuth, peerCertificate } from './peer-certificate.ts'
import { FramingError, RequestFraming } from './request-framing.ts'

/** What a front end serves with; may change while it runs. */
export interface ServingKeys {
  /** PEM, as are all. */
  readonly certificate: string
  readonly key: string
  /** The authorities whose clients' certificates count. */
  readonly clientAuthorities: string
}

/** Where it listens, and what is behind it. */
export interface Front {
  readonly host: string
  readonly port: number
  /** workerd's Unix socket. */
  readonly socket: string
  /** The header by which workerd is told, in lower case. */
  readonly header: string
}

/** A name that cannot be guessed. */
export const secretHeader = (): string => `edgeplane-${randomBytes(24).toString('hex')}`

/** OpenSSL's flag: every connection shows its certificate anew, so that what was verified is never an older one. */
const withoutTickets = 0x4000

const optionsOf = ({ certificate, key, clientAuthorities }: ServingKeys) => ({
  cert: certificate,
  key,
  ca: clientAuthorities,
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: withoutTickets,
})

/** One that ends TLS takes about 50 KiB for each connection. */
const mostOpen = 5_000

/** A front end that listens. */
export class FrontEnd {
  readonly #server: ReturnType<typeof createServer>
  readonly #connections: OpenConnections
  /** Connections by their clients' addresses: those that TLS makes of them cannot be told to belong to them otherwise. */
  readonly #beforeTls = new Map<string, Socket>()
  #clientAuthorities: string

  private constructor(front: Front, keys: ServingKeys) {
    this.#clientAuthorities = keys.clientAuthorities
    const options = { ...optionsOf(keys), ALPNProtocols: ['http/1.1'], allowHalfOpen: true, noDelay: true }
    const bounds = boundsFor(descriptorLimit())
    this.#connections = new OpenConnections({ ...bounds, open: Math.min(bounds.open, mostOpen) })
    this.#server = createServer(options, (client) => {
      const raw = this.#beforeTls.get(remoteOf(client))
      client.once('data', () => raw && this.#connections.spoke(raw))
      serve(client, front)
    })
    this.#server.on('connection', (raw) => this.#admit(raw))
    // A client that breaks off its handshake is none.
    this.#server.on('tlsClientError', () => undefined)
  }

  /** @throws LauncherError where the port or the certificates cannot be used */
  static async listen(front: Front, keys: ServingKeys): Promise<FrontEnd> {
    try {
      const created = new FrontEnd(front, keys)
      created.#server.listen(front.port, front.host)
      await once(created.#server, 'listening')
      return created
    } catch (error) {
      throw new LauncherError(`The server cannot listen on ${front.host}, port ${front.port}: ${reasonOf(error)}.`)
    }
  }

  /** New connections are served with these. Where other authorities count, those that are open end: they were judged by the former. */
  use(keys: ServingKeys): void {
    this.#server.setSecureContext(optionsOf(keys))
    if (keys.clientAuthorities === this.#clientAuthorities) return
    this.#clientAuthorities = keys.clientAuthorities
    this.#connections.end()
  }

  /** Ends it with all connections. */
  close(): void {
    this.#server.close()
    this.#connections.end()
  }

  #admit(raw: Socket): void {
    if (!this.#connections.admit(raw)) return
    const remote = remoteOf(raw)
    this.#beforeTls.set(remote, raw)
    raw.once('close', () => this.#beforeTls.get(remote) === raw && this.#beforeTls.delete(remote))
  }
}

const remoteOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

function serve(client: TLSSocket, { socket, header }: Front): void {
  const peer = peerCertificate(client)
  // An IPv4 client of a socket that takes both kinds.
  const clientIp = (client.remoteAddress ?? '').replace(/^::ffff:(?=[\d.]+$)/, '')
  const line = (): string => {
    const said = peer === undefined ? { clientIp } : { clientIp, tlsClientAuth: currentAuth(peer, Date.now()) }
    return `${header}: ${asciiJson(said)}`
  }
  const server = createConnection({ path: socket, allowHalfOpen: true })
  const framing = new RequestFraming(header, line)
  passRequests(client, server, framing)
  passAnswers(client, server, framing)
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => undefined)
    one.once('close', () => other.destroy())
  }
}

function passRequests(client: TLSSocket, server: Socket, framing: RequestFraming): void {
  client.on('data', (bytes: Buffer) => {
    try {
      if (!write(server, framing.push(bytes))) client.pause()
      if (framing.awaitsUpgrade) client.pause()
    } catch (error) {
      const status = error instanceof FramingError ? error.status : 500
      const reason = status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'
      client.removeAllListeners('data')
      server.destroySoon()
      client.end(`HTTP/1.1 ${status} ${reason}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`, () => client.destroy())
    }
  })
  server.on('drain', () => {
    if (!framing.awaitsUpgrade) client.resume()
  })
  client.on('end', () => server.end())
}

const switching = Buffer.from('HTTP/1.1 101')

function passAnswers(client: TLSSocket, server: Socket, framing: RequestFraming): void {
  server.on('data', (bytes: Buffer) => {
    if (!client.write(bytes)) server.pause()
    if (!framing.awaitsUpgrade) return
    write(server, framing.upgraded(bytes.subarray(0, switching.length).equals(switching)))
    client.resume()
  })
  client.on('drain', () => server.resume())
  server.on('end', () => client.end())
}

/** Whether more may follow at once. */
function write(to: Socket, all: readonly Buffer[]): boolean {
  to.cork()
  let more = true
  for (const bytes of all) more = to.write(bytes)
  to.uncork()
  return more
}

/** JSON that fits in a header: what is not ASCII as escapes, of which control characters are some already. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
