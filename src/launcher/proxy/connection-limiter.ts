/**
 * Limits the connections of a proxy: each takes two descriptors there and two in workerd, and a process that has none left can serve
 * nobody. If there are too many, one that is not being served is closed for the new one, or the new one is refused.
 */
import type { Socket } from 'node:net'
import { Queue } from './queue.ts'

/** How many connections may be open. */
export interface ConnectionLimits {
  /** All together. */
  readonly open: number
  /** So many milliseconds a connection may be open without a request. */
  readonly openingMilliseconds: number
}

/** Returns the limits of a proxy with so many connections. */
export const connectionLimits = (open: number): ConnectionLimits => ({ open, openingMilliseconds: 10_000 })

/**
 * The states of a connection:
 * - `opening`: it has not sent a request yet,
 * - `idle`: it has no request, or a part of a head,
 * - `served`: it is never closed to make room.
 *
 * A proxy that passes bytes on unread cannot tell the last two apart, and uses in place of them:
 * - `asking`: its client has spoken last,
 * - `answered`: the server has spoken last.
 */
export type ConnectionState = 'opening' | 'idle' | 'asking' | 'answered' | 'served'

/** workerd closes a connection that has had no request for 15 seconds: one that is `answered` for longer is being served. */
const answeredMilliseconds = 16_000

/** A connection that was admitted. */
export class Connection {
  readonly socket: Socket
  readonly address: string
  readonly key: string
  state: ConnectionState = 'opening'
  /** When it got its state, in milliseconds since the epoch. */
  since = Date.now()
  readonly #moved: (connection: Connection, from: ConnectionState) => void

  constructor(socket: Socket, moved: (connection: Connection, from: ConnectionState) => void) {
    this.socket = socket
    this.address = socket.remoteAddress ?? ''
    this.key = keyOf(socket)
    this.#moved = moved
  }

  /** Notes its state. A connection that is closed already stays so. */
  become(state: ConnectionState): void {
    if (this.state === state || this.socket.destroyed) return
    const from = this.state
    this.state = state
    this.since = Date.now()
    this.#moved(this, from)
  }
}

/** Identifies a connection, before its TLS handshake as after it: the client's address and port. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** The open connections of one proxy. */
export class ConnectionLimiter {
  readonly #limits: ConnectionLimits
  readonly #byKey = new Map<string, Connection>()
  readonly #byState: Readonly<Record<ConnectionState, Queue<Connection>>> = {
    opening: new Queue(),
    idle: new Queue(),
    asking: new Queue(),
    answered: new Queue(),
    served: new Queue(),
  }
  /** The connections that are `opening`, by their clients' addresses. */
  readonly #openingByAddress = new Map<string, Queue<Connection>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** How many connections are open. */
  get size(): number {
    return Object.values(this.#byState).reduce((sum, { size }) => sum + size, 0)
  }

  /**
   * Takes a new connection in, and closes another one if there are too many.
   * @returns undefined if it was closed itself, because all others are being served
   */
  admit(socket: Socket): Connection | undefined {
    if (this.size >= this.#limits.open && !this.#closeOne(socket.remoteAddress ?? '')) {
      socket.destroy()
      return undefined
    }
    const connection = new Connection(socket, (moved, from) => this.#move(moved, from))
    this.#byKey.set(connection.key, connection)
    this.#enter(connection)
    socket.once('close', () => this.#remove(connection))
    this.#startTimer()
    return connection
  }

  /** Returns a connection that is open. @param socket the admitted one, or the TLS socket on top of it */
  find(socket: Socket): Connection | undefined {
    return this.#byKey.get(keyOf(socket))
  }

  /** Closes all connections. */
  closeAll(): void {
    for (const queue of Object.values(this.#byState)) for (const connection of queue) connection.socket.destroy()
  }

  /** Closes the connection that is missed least, for a new one from an address; tells whether there is one. */
  #closeOne(address: string): boolean {
    const { opening, idle, answered, asking } = this.#byState
    const ofAddress = this.#openingByAddress.get(address)
    // One client must not be able to end the handshakes of all others.
    const own = ofAddress !== undefined && ofAddress.size >= opening.size / 2 ? ofAddress.oldest : undefined
    // The newest answer is the least likely to be a watch that has just begun.
    const last = answered.newest
    const rested = last !== undefined && Date.now() - last.since < answeredMilliseconds ? last : undefined
    // Requests take milliseconds. If half of all connections are asking, most of them send theirs slowly.
    const slow = asking.size > this.#limits.open / 2 ? asking.oldest : undefined
    return this.#close(own ?? opening.oldest ?? idle.oldest ?? rested ?? slow)
  }

  #close(connection: Connection | undefined): boolean {
    if (connection === undefined) return false
    this.#remove(connection)
    connection.socket.destroy()
    return true
  }

  #move(connection: Connection, from: ConnectionState): void {
    this.#leave(connection, from)
    this.#enter(connection)
  }

  #enter(connection: Connection): void {
    const { state, address } = connection
    this.#byState[state].push(connection)
    if (state !== 'opening') return
    const ofAddress = this.#openingByAddress.get(address) ?? new Queue()
    this.#openingByAddress.set(address, ofAddress)
    ofAddress.push(connection)
  }

  #leave(connection: Connection, from: ConnectionState): void {
    this.#byState[from].remove(connection)
    if (from !== 'opening') return
    const ofAddress = this.#openingByAddress.get(connection.address)
    ofAddress?.remove(connection)
    if (ofAddress?.size === 0) this.#openingByAddress.delete(connection.address)
  }

  #remove(connection: Connection): void {
    this.#leave(connection, connection.state)
    // The same client may have come again from the same port.
    if (this.#byKey.get(connection.key) === connection) this.#byKey.delete(connection.key)
  }

  #startTimer(): void {
    const { oldest } = this.#byState.opening
    if (this.#timer !== undefined || oldest === undefined) return
    const wait = Math.max(0, oldest.since + this.#limits.openingMilliseconds - Date.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#closeExpired()
      this.#startTimer()
    }, wait).unref()
  }

  #closeExpired(): void {
    const before = Date.now() - this.#limits.openingMilliseconds
    for (let next = this.#byState.opening.oldest; next !== undefined && next.since <= before; ) {
      this.#close(next)
      next = this.#byState.opening.oldest
    }
  }
}
