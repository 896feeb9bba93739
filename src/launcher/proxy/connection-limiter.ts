/**
 * Limits the connections of a proxy: each takes a descriptor there and two in workerd, and a process that has none left can serve
 * nobody. Connections that have not sent a request yet are closed first, the oldest before the others: a client that wants something
 * asks for it at once.
 */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/** How many connections may be open. */
export interface ConnectionLimits {
  /** All together. */
  readonly open: number
  /** Connections without a request yet. */
  readonly idle: number
  /** So many milliseconds a connection may be open without a request. */
  readonly idleMilliseconds: number
}

/** As many as a proxy of 512 MiB can hold, if there are descriptors for them. */
const mostOpen = 20_000
/** The limit of a system that does not tell its own. */
const usualLimit = 1024

/** Reads how many descriptors a process of this user may have. Node raises its own limit as far as it may. */
export function descriptorLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? usualLimit : Number(limit)
  } catch {
    return usualLimit
  }
}

/** Descriptors for other things than connections, databases above all. */
const otherDescriptors = 64

/**
 * Computes the limits from that of descriptors: a connection takes two of them in the proxy and two in workerd.
 * @param most connections for which the proxy has memory
 */
export function connectionLimits(descriptors: number, most = mostOpen): ConnectionLimits {
  const open = Math.max(1, Math.min(most, Math.floor((descriptors - otherDescriptors) * 0.45)))
  return { open, idle: Math.ceil(open / 6), idleMilliseconds: 10_000 }
}

/** Identifies a connection, before its TLS handshake as after it: the client's address and port. */
const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

/** A connection without a request yet. */
interface IdleConnection {
  readonly socket: Socket
  readonly address: string
  /** When it was opened, in milliseconds since the epoch. */
  readonly since: number
}

/** The open connections of one proxy. */
export class ConnectionLimiter {
  readonly #limits: ConnectionLimits
  readonly #open = new Set<Socket>()
  /** By key, the oldest first. */
  readonly #idle = new Map<string, IdleConnection>()
  /** Keys of the same by their clients' addresses. */
  readonly #idleByAddress = new Map<string, Set<string>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** How many connections are open. */
  get size(): number {
    return this.#open.size
  }

  /**
   * Takes a new connection in, and closes one without a request if there are too many.
   * @returns false if it was closed itself, because all others have sent requests
   */
  admit(socket: Socket): boolean {
    if (this.#open.size >= this.#limits.open && !this.#closeOldest()) {
      socket.destroy()
      return false
    }
    const [key, address] = [keyOf(socket), socket.remoteAddress ?? '']
    this.#makeRoom(address)
    this.#open.add(socket)
    this.#idle.set(key, { socket, address, since: Date.now() })
    this.#idleByAddress.set(address, (this.#idleByAddress.get(address) ?? new Set()).add(key))
    socket.once('close', () => {
      this.#open.delete(socket)
      // The same client may have come again from the same port.
      if (this.#idle.get(key)?.socket === socket) this.#setActive(key)
    })
    this.#startTimer()
    return true
  }

  /** Notes that a connection's client has sent a request. @param socket the admitted one, or the TLS socket on top of it */
  requestReceived(socket: Socket): void {
    this.#setActive(keyOf(socket))
  }

  /** Closes all connections. */
  closeAll(): void {
    for (const socket of this.#open) socket.destroy()
  }

  #makeRoom(address: string): void {
    const [oldest] = this.#idleByAddress.get(address) ?? []
    const count = this.#idleByAddress.get(address)?.size ?? 0
    // One client must not be able to end the handshakes of all others.
    if (oldest !== undefined && count >= this.#limits.idle / 2) this.#close(oldest)
    if (this.#idle.size >= this.#limits.idle) this.#closeOldest()
  }

  #closeOldest(): boolean {
    const [oldest] = this.#idle.keys()
    if (oldest === undefined) return false
    this.#close(oldest)
    return true
  }

  #setActive(key: string): void {
    const connection = this.#idle.get(key)
    if (connection === undefined) return
    this.#idle.delete(key)
    const keys = this.#idleByAddress.get(connection.address)
    keys?.delete(key)
    if (keys?.size === 0) this.#idleByAddress.delete(connection.address)
  }

  #close(key: string): void {
    const socket = this.#idle.get(key)?.socket
    this.#setActive(key)
    if (socket === undefined) return
    this.#open.delete(socket)
    socket.destroy()
  }

  #startTimer(): void {
    if (this.#timer !== undefined) return
    const [oldest] = this.#idle.values()
    if (oldest === undefined) return
    const wait = Math.max(0, oldest.since + this.#limits.idleMilliseconds - Date.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#closeExpired()
      this.#startTimer()
    }, wait).unref()
  }

  #closeExpired(): void {
    const before = Date.now() - this.#limits.idleMilliseconds
    for (const [key, { since }] of this.#idle) {
      if (since > before) return
      this.#close(key)
    }
  }
}
