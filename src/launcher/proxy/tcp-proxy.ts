/**
 * Stands in front of workerd while more connections are open than workerd has descriptors for. Bytes pass unread, with TLS and all: a
 * connection takes little memory here, and reaches workerd only after its client has sent something.
 */
import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { ConnectionLimiter, type ConnectionLimits } from './connection-limiter.ts'
import type { ListenAddress } from './tls-proxy.ts'

/** As many connections may wait to be accepted as the system allows at most: the newest are not always the hostile ones. */
const backlog = 4096
/** So long a client waits for a workerd that is starting, and so long for the next try; in milliseconds. */
const connectTimeout = 5_000
const retryInterval = 20

/** A TCP proxy that listens. */
export class TcpProxy {
  readonly #server: Server
  readonly #socket: string
  readonly limiter: ConnectionLimiter

  private constructor(socket: string, limits: ConnectionLimits) {
    this.#socket = socket
    this.limiter = new ConnectionLimiter(limits)
    this.#server = createServer({ noDelay: true }, (client) => {
      client.on('error', () => undefined)
      if (this.limiter.admit(client)) client.once('data', (first: Buffer) => this.#connect(client, first))
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
    this.limiter.closeAll()
  }

  /** @param since when the client sent its first bytes, in milliseconds since the epoch */
  #connect(client: Socket, first: Buffer, since = Date.now()): void {
    client.pause()
    const server = createConnection({ path: this.#socket })
    const retry = (): void => {
      if (client.destroyed || Date.now() - since > connectTimeout) client.destroy()
      else setTimeout(() => this.#connect(client, first, since), retryInterval).unref()
    }
    server.once('error', retry)
    server.once('connect', () => {
      server.off('error', retry)
      server.on('error', () => undefined)
      this.#join(client, server, first)
    })
  }

  #join(client: Socket, server: Socket, first: Buffer): void {
    if (client.destroyed) {
      server.destroy()
      return
    }
    server.write(first)
    client.pipe(server).pipe(client)
    client.once('close', () => server.destroy())
    server.once('close', () => client.destroy())
    this.#awaitHandshake(client, server)
  }

  /**
   * Takes the connection for an active one when workerd has answered its client's second flight, which ends the TLS handshake: from
   * then on workerd itself limits how long the head of a request may take.
   */
  #awaitHandshake(client: Socket, server: Socket): void {
    let turns = 0
    let speaker: Socket = client
    const heard = (from: Socket): void => {
      if (from !== speaker) turns++
      speaker = from
      if (turns < 3) return
      this.limiter.requestReceived(client)
      client.off('data', fromClient)
      server.off('data', fromServer)
    }
    const fromClient = (): void => heard(client)
    const fromServer = (): void => heard(server)
    client.on('data', fromClient)
    server.on('data', fromServer)
  }
}
