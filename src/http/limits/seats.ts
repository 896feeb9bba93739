/**
 * Limits the concurrent requests of each priority level in this isolate, and queues others. Follows the API semantics of
 * KEP-1040, without the parts that need one process: a level may always use its own seats, and seats of others up to its
 * borrowing limit while some are free. Each flow has one queue; the queues are served in turn.
 */
import type { Attributes } from '../../auth/attributes.ts'
import { distinguisherOf, type Flow, type FlowControl } from '../../auth/flow-control/classification.ts'
import type { PriorityLevel } from '../../clusters/flow-control-objects.ts'
import type { User } from '../../meta/user.ts'

/** The longest wait for a seat in milliseconds: a quarter of a request's timeout, as in kube-apiserver. */
const maximumWait = 15_000

type LimitedLevel = Extract<PriorityLevel, { readonly type: 'Limited' }>

interface Waiter {
  readonly begin: () => void
}

/** A seat that a request occupies. */
interface Seat {
  readonly since: number
}

interface Level {
  /** The level's own seats (its nominal concurrency limit). */
  nominal: number
  /** The limit including borrowed seats. */
  upper: number
  readonly taken: Set<Seat>
  waiting: number
  /** The queues by flow. They are served in turn: a served queue moves to the end. */
  readonly queues: Map<string, Waiter[]>
}

/** The longest time of a request in milliseconds. An older seat was not released, because the runtime cancelled its request. */
const maximumTime = 60_000

/** Releases a seat. */
export type Release = () => void

/**
 * The seats of one isolate.
 * @example
 * const seats = new Seats(600)
 * const release = await seats.take(flowControl, flow, user, attributes)
 * if (release === 'full') return tooManyRequests(1)
 * await handle(request).finally(release)
 */
export class Seats {
  readonly #total: number
  readonly #levels = new Map<string, Level>()
  #current: FlowControl | undefined
  #executing = 0

  /** @param total number of seats of all levels together; Infinity for no limit */
  constructor(total: number) {
    this.#total = total
  }

  /**
   * Takes a seat for a request of this flow, and waits in the flow's queue if the level is full.
   * @returns the function that releases the seat, or 'full' if the request is rejected
   */
  take(flowControl: FlowControl, flow: Flow, user: User, attributes: Attributes): Release | 'full' | Promise<Release | 'full'> {
    if (this.#current !== flowControl) this.#adapt(flowControl)
    const level = this.#levels.get(flow.level.name)
    if (flow.level.type === 'Exempt' || level === undefined) return noSeat
    if (!this.#isFree(level)) this.#reclaim()
    if (this.#isFree(level)) return this.#sit(level)
    const { limitResponse } = flow.level
    if (limitResponse.type === 'Reject') return 'full'
    const key = `${flow.schema.name}\n${distinguisherOf(flow.schema, user, attributes)}`
    const queue = level.queues.get(key) ?? []
    const { queues, queueLengthLimit } = limitResponse
    if (queue.length >= queueLengthLimit || level.waiting >= queues * queueLengthLimit) return 'full'
    return this.#wait(level, key, queue)
  }

  /** Yields the limits of the levels, for metrics. */
  *limits(): Generator<{ readonly level: string; readonly nominal: number; readonly upper: number }> {
    for (const [level, { nominal, upper }] of this.#levels) yield { level, nominal, upper }
  }

  /** Whether a new request may run now. */
  #isFree(level: Level): boolean {
    return level.waiting === 0 && this.#hasSeat(level)
  }

  /** Whether the level has a free seat. A level without shares still runs one request at a time. */
  #hasSeat(level: Level): boolean {
    const executing = level.taken.size
    if (executing < Math.max(1, level.nominal)) return true
    return executing < level.upper && this.#executing < this.#total
  }

  #sit(level: Level): Release {
    const seat = { since: Date.now() }
    level.taken.add(seat)
    this.#executing++
    return () => this.#release(level, seat)
  }

  #release(level: Level, seat: Seat): void {
    if (!level.taken.delete(seat)) return
    this.#executing--
    this.#next(level)
  }

  /** Releases the seats of requests that the runtime cancelled. */
  #reclaim(): void {
    const oldest = Date.now() - maximumTime
    for (const level of this.#levels.values()) {
      for (const seat of level.taken) {
        // Seats are in the order of their age.
        if (seat.since > oldest) break
        this.#release(level, seat)
      }
    }
  }

  async #wait(level: Level, key: string, queue: Waiter[]): Promise<Release | 'full'> {
    let timeout: ReturnType<typeof setTimeout> | undefined
    const turn = new Promise<Release | 'full'>((resolve) => {
      const waiter = { begin: (): void => resolve(this.#sit(level)) }
      timeout = setTimeout(() => {
        const at = queue.indexOf(waiter)
        // The request has got its seat. Only the request that set the timer can stop it, not the one that released the seat.
        if (at < 0) return
        queue.splice(at, 1)
        if (queue.length === 0) level.queues.delete(key)
        level.waiting--
        resolve('full')
      }, maximumWait)
      queue.push(waiter)
      level.queues.set(key, queue)
      level.waiting++
    })
    const taken = await turn
    clearTimeout(timeout)
    return taken
  }

  /** Serves the next waiting request: of the same level, or of any other level, because the seat may have been borrowed. */
  #next(released: Level): void {
    if (released.waiting > 0 && this.#hasSeat(released)) {
      serve(released)
      return
    }
    for (const level of this.#levels.values()) {
      if (level.waiting === 0 || !this.#hasSeat(level)) continue
      serve(level)
      return
    }
  }

  /** Applies new limits. Running and waiting requests continue. */
  #adapt(flowControl: FlowControl): void {
    this.#current = flowControl
    const limited = [...flowControl.levels.values()].filter((level) => level.type === 'Limited')
    const shares = limited.reduce((sum, level) => sum + level.nominalConcurrencyShares, 0)
    for (const level of limited) this.#adaptLevel(level, shares)
    for (const [name, { taken, waiting }] of this.#levels) {
      if (!flowControl.levels.has(name) && taken.size === 0 && waiting === 0) this.#levels.delete(name)
    }
  }

  #adaptLevel({ name, nominalConcurrencyShares, borrowingLimitPercent }: LimitedLevel, shares: number): void {
    const part = shares === 0 ? 0 : nominalConcurrencyShares / shares
    const nominal = nominalConcurrencyShares === 0 ? 0 : Math.ceil(this.#total * part)
    const borrowed = borrowingLimitPercent === undefined ? this.#total : Math.round((nominal * borrowingLimitPercent) / 100)
    const known = this.#levels.get(name)
    const upper = nominal + (Number.isNaN(borrowed) ? 0 : borrowed)
    if (known === undefined) this.#levels.set(name, { nominal, upper, taken: new Set(), waiting: 0, queues: new Map() })
    else Object.assign(known, { nominal, upper })
  }
}

const noSeat: Release = () => {}

/** Starts the first request of the queue that was not served for the longest time. */
function serve(level: Level): void {
  for (const [key, queue] of level.queues) {
    const waiter = queue.shift()
    level.queues.delete(key)
    if (queue.length > 0) level.queues.set(key, queue)
    if (waiter === undefined) continue
    level.waiting--
    waiter.begin()
    return
  }
}
