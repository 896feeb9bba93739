/**
 * Stands in front of workerd while more connections are open than it has descriptors for. Bytes go through as they are, TLS and all:
 * a connection takes little memory here, and reaches workerd only when its client says something.
 */
import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { type ConnectionBounds, OpenConnections } from './open-connections.ts'

/** Where a gate listens, and what is behind it. */
interface GatePlace {
  readonly host: string
  readonly port: number
  /** workerd's Unix socket. */
  readonly socket: string
}

/** As many may wait to be taken in as the system allows at most: the newest are not always the ones that mean harm. */
const backlog = 4096
/** So long a client waits for a workerd that is started, and so long lie between two tries; in milliseconds. */
const patience = 5_000
const pause = 20

/** A gate that listens. */
export class Gate {
  readonly #server: Server
  readonly connections: OpenConnections

  private constructor({ socket }: GatePlace, bounds: ConnectionBounds) {
    this.connections = new OpenConnections(bounds)
    this.#server = createServer({ noDelay: true }, (client) => {
      client.on('error', () => undefined)
      if (this.connections.admit(client)) client.once('data', (first: Buffer) => this.#connect(client, socket, first))
    })
  }

  /** @throws LauncherError where the port cannot be used */
  static async listen(place: GatePlace, bounds: ConnectionBounds): Promise<Gate> {
    try {
      const gate = new Gate(place, bounds)
      gate.#server.listen({ host: place.host, port: place.port, backlog })
      await once(gate.#server, 'listening')
      return gate
    } catch (error) {
      throw new LauncherError(`The server cannot listen on ${place.host}, port ${place.port}: ${reasonOf(error)}.`)
    }
  }

  /** Ends it with all connections. */
  close(): void {
    this.#server.close()
    this.connections.end()
  }

  /** @param since when the client spoke first; while workerd is started anew, it waits */
  #connect(client: Socket, path: string, first: Buffer, since = Date.now()): void {
    client.pause()
    const server = createConnection({ path })
    const again = (): void => {
      if (client.destroyed || Date.now() - since > patience) client.destroy()
      else setTimeout(() => this.#connect(client, path, first, since), pause).unref()
    }
    server.once('error', again)
    server.once('connect', () => {
      server.off('error', again)
      server.on('error', () => undefined)
      this.#pass(client, server, first)
    })
  }

  #pass(client: Socket, server: Socket, first: Buffer): void {
    if (client.destroyed) {
      server.destroy()
      return
    }
    server.write(first)
    client.pipe(server)
    server.pipe(client)
    client.once('close', () => server.destroy())
    server.once('close', () => client.destroy())
    this.#listenForRequest(client, server)
  }

  /**
   * workerd answers the second flight of a client, not the first alone, once its TLS handshake is done: from then on workerd itself
   * bounds how long a request's head may take.
   */
  #listenForRequest(client: Socket, server: Socket): void {
    let turns = 0
    let speaker: Socket = client
    const heard = (from: Socket): void => {
      if (from !== speaker) turns++
      speaker = from
      if (turns < 3) return
      this.connections.spoke(client)
      client.off('data', fromClient)
      server.off('data', fromServer)
    }
    const fromClient = (): void => heard(client)
    const fromServer = (): void => heard(server)
    client.on('data', fromClient)
    server.on('data', fromServer)
  }
}
