/**
 * Bounds the connections of a front end: each takes a descriptor here and two in workerd, and a process that has none left cannot
 * serve anybody. Connections on which nothing has happened yet are given up first, the oldest before the others: a client that means
 * to ask something does so at once.
 */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/** How many connections there may be. */
export interface ConnectionBounds {
  /** All together. */
  readonly open: number
  /** Those that have not shown yet what they are for. */
  readonly silent: number
  /** For so many milliseconds a connection may be silent. */
  readonly silentMilliseconds: number
}

/** What a front end of 512 MiB can hold, where descriptors are no matter. */
const mostOpen = 20_000
/** The limit of a system that does not tell it. */
const usualLimit = 1024

/** How many descriptors a process of this user may have; Node itself raises its own limit as far as it may. */
export function descriptorLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? usualLimit : Number(limit)
  } catch {
    return usualLimit
  }
}

/** What else needs descriptors, databases above all. */
const otherDescriptors = 64

/** A connection takes two descriptors here and two in workerd. */
export function boundsFor(limit: number): ConnectionBounds {
  const open = Math.max(1, Math.min(mostOpen, Math.floor((limit - otherDescriptors) * 0.45)))
  return { open, silent: Math.ceil(open / 6), silentMilliseconds: 10_000 }
}

/** The connections that are open. */
export class OpenConnections {
  readonly #bounds: ConnectionBounds
  readonly #open = new Set<Socket>()
  /** With when they came; in that order. */
  readonly #silent = new Map<Socket, number>()
  /** The same by their clients' addresses. */
  readonly #silentOf = new Map<string, Set<Socket>>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#open.size
  }

  /** Takes a new connection in, at the cost of a silent one where there are too many. @returns false for one that was ended, as nobody makes room */
  admit(socket: Socket): boolean {
    if (this.#open.size >= this.#bounds.open && !this.#endOldest()) {
      socket.destroy()
      return false
    }
    const address = socket.remoteAddress ?? ''
    const neighbours = this.#silentOf.get(address) ?? new Set()
    const [eldest] = neighbours
    // So that one client cannot end the handshakes of all others.
    if (eldest !== undefined && neighbours.size >= this.#bounds.silent / 2) this.#drop(eldest)
    if (this.#silent.size >= this.#bounds.silent) this.#endOldest()
    this.#open.add(socket)
    this.#silent.set(socket, Date.now())
    this.#silentOf.set(address, neighbours.add(socket))
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#forget(socket, address)
    })
    this.#arm()
    return true
  }

  /** The connection is one of a client that has come as far as a request. */
  spoke(socket: Socket): void {
    this.#forget(socket, socket.remoteAddress ?? '')
  }

  /** Ends all. */
  end(): void {
    for (const socket of this.#open) socket.destroy()
  }

  #endOldest(): boolean {
    const [oldest] = this.#silent.keys()
    if (oldest === undefined) return false
    this.#drop(oldest)
    return true
  }

  /** It is no longer one of those that say nothing. */
  #forget(socket: Socket, address: string): void {
    this.#silent.delete(socket)
    const neighbours = this.#silentOf.get(address)
    neighbours?.delete(socket)
    if (neighbours?.size === 0) this.#silentOf.delete(address)
  }

  #drop(socket: Socket): void {
    this.#forget(socket, socket.remoteAddress ?? '')
    this.#open.delete(socket)
    socket.destroy()
  }

  #arm(): void {
    if (this.#timer !== undefined) return
    const [oldest] = this.#silent.values()
    if (oldest === undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#endSilent()
        this.#arm()
      },
      Math.max(0, oldest + this.#bounds.silentMilliseconds - Date.now()),
    ).unref()
  }

  #endSilent(): void {
    const since = Date.now() - this.#bounds.silentMilliseconds
    for (const [socket, at] of this.#silent) {
      if (at > since) return
      this.#drop(socket)
    }
  }
}
