/**
 * Stands in front of workerd, which accepts connections until it has no descriptor left and ends then. Bytes pass unread, with TLS and
 * all: a connection takes little memory here, and reaches workerd only when its client has greeted.
 */
import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { type Connection, ConnectionLimiter, type ConnectionLimits } from './connection-limiter.ts'
import { ClientRecords, hasFirstRecord } from './tls-records.ts'
import { Turns } from './turns.ts'

/** The address to which clients connect. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** As many connections may wait to be accepted as the system allows at most: the newest are not always the hostile ones. */
const backlog = 4096
/** So long a client waits for a workerd that is starting, and so long for the next try; in milliseconds. */
const connectTimeout = 5_000
const retryInterval = 20
/** A handshake takes workerd a part of a millisecond: requests that are served wait for no more than so many. */
const handshakesAtOnce = 16
/** So long a handshake may keep others waiting, in milliseconds. */
const handshakeTurn = 250

/** A TCP proxy that listens. */
export class TcpProxy {
  readonly #server: Server
  readonly #socket: string
  readonly #limiter: ConnectionLimiter
  readonly #handshakes = new Turns(handshakesAtOnce, handshakeTurn)

  private constructor(socket: string, limits: ConnectionLimits) {
    this.#socket = socket
    this.#limiter = new ConnectionLimiter(limits)
    this.#server = createServer({ noDelay: true }, (client) => {
      client.on('error', () => undefined)
      const connection = this.#limiter.admit(client)
      if (connection !== undefined) this.#greet(connection)
    })
  }

  /** Starts one. @param socket workerd's Unix socket @throws LauncherError if the port cannot be used */
  static async listen({ host, port }: ListenAddress, socket: string, limits: ConnectionLimits): Promise<TcpProxy> {
    try {
      const proxy = new TcpProxy(socket, limits)
      proxy.#server.listen({ host, port, backlog })
      await once(proxy.#server, 'listening')
      return proxy
    } catch (error) {
      throw new LauncherError(`The server cannot listen on ${host}, port ${port}: ${reasonOf(error)}.`)
    }
  }

  /** Stops it and closes all connections. */
  close(): void {
    this.#server.close()
    this.#limiter.closeAll()
  }

  /** Waits for the client's greeting, and then for the connection's turn. */
  #greet(connection: Connection): void {
    const { socket: client } = connection
    let greeting = Buffer.alloc(0)
    const read = (chunk: Buffer): void => {
      greeting = Buffer.concat([greeting, chunk])
      if (!hasFirstRecord(greeting)) return
      client.off('data', read)
      client.pause()
      this.#handshakes.take(
        () => !client.destroyed,
        (done) => this.#connect(connection, greeting, done),
      )
    }
    client.on('data', read)
  }

  /** @param since when the client has greeted, in milliseconds since the epoch */
  #connect(connection: Connection, greeting: Buffer, done: () => void, since = Date.now()): void {
    const { socket: client } = connection
    const server = createConnection({ path: this.#socket })
    const retry = (): void => {
      if (client.destroyed || Date.now() - since > connectTimeout) {
        done()
        client.destroy()
      } else setTimeout(() => this.#connect(connection, greeting, done, since), retryInterval).unref()
    }
    server.once('error', retry)
    server.once('connect', () => {
      server.off('error', retry)
      server.on('error', () => undefined)
      server.once('data', done).once('close', done)
      join(connection, server, greeting)
    })
  }
}

function join(connection: Connection, server: Socket, greeting: Buffer): void {
  const { socket: client } = connection
  if (client.destroyed) {
    server.destroy()
    return
  }
  server.write(greeting)
  client.pipe(server).pipe(client)
  client.once('close', () => server.destroy())
  server.once('close', () => client.destroy())
  noteTurns(connection, server, greeting)
}

/** Notes who of the two has spoken last, from the client's first request on. */
function noteTurns(connection: Connection, server: Socket, greeting: Buffer): void {
  const records = new ClientRecords()
  records.hasApplicationData(greeting)
  const isAsking = (): void => connection.become('asking')
  const greets = (chunk: Buffer): void => {
    if (!records.hasApplicationData(chunk)) return
    connection.socket.off('data', greets).on('data', isAsking)
    server.on('data', () => connection.become('answered'))
    isAsking()
  }
  connection.socket.on('data', greets)
}
