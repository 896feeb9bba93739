/** The place at which clients connect to a proxy: bounds their connections, and the TLS handshakes that go on at a time. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { type Connection, ConnectionLimiter, type ConnectionLimits } from './connection-limiter.ts'
import { hasFirstRecord } from './tls-records.ts'
import { Turns } from './turns.ts'

/** The address to which clients connect. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** As many connections may wait to be accepted as the system allows at most: the newest are not always the hostile ones. */
const backlog = 4096
/** A handshake takes a millisecond or less: requests that are served wait for no more than so many. */
const handshakesAtOnce = 16
/** So long a handshake may keep others waiting, in milliseconds. */
const handshakeTurn = 250

/**
 * Takes a connection whose client has greeted, when it is its turn. Its socket is paused.
 * @param greeting the bytes that the client has sent
 * @param done to be called when the handshake is over
 */
export type Enter = (connection: Connection, greeting: Buffer, done: () => void) => void

/** An entrance that is open. */
export class Entrance {
  readonly limiter: ConnectionLimiter
  readonly #server: Server
  readonly #handshakes = new Turns(handshakesAtOnce, handshakeTurn)
  readonly #enter: Enter

  private constructor(limits: ConnectionLimits, enter: Enter) {
    this.limiter = new ConnectionLimiter(limits)
    this.#enter = enter
    this.#server = createServer({ noDelay: true }, (client) => {
      client.on('error', () => undefined)
      const connection = this.limiter.admit(client)
      if (connection !== undefined) this.#greet(connection)
    })
  }

  /** Opens one. @throws LauncherError if the port cannot be used */
  static async open({ host, port }: ListenAddress, limits: ConnectionLimits, enter: Enter): Promise<Entrance> {
    try {
      const entrance = new Entrance(limits, enter)
      entrance.#server.listen({ host, port, backlog })
      await once(entrance.#server, 'listening')
      return entrance
    } catch (error) {
      throw new LauncherError(`The server cannot listen on ${host}, port ${port}: ${reasonOf(error)}.`)
    }
  }

  /** Closes it, and all connections. */
  close(): void {
    this.#server.close()
    this.limiter.closeAll()
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
        (done) => {
          client.once('close', done)
          this.#enter(connection, greeting, done)
        },
      )
    }
    client.on('data', read)
  }
}
