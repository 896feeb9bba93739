/**
 * How many requests of each priority level run at once in this isolate, and which of those that wait comes next.
 * Follows KEP-1040 in what its objects mean, without what needs one process: a level may use its own seats at any time, and others'
 * up to its limit for borrowing as long as some are free; one queue for each flow, served in turn.
 */
import type { Attributes } from '../../auth/attributes.ts'
import { distinguisherOf, type Flow, type FlowControl } from '../../auth/flow-control/classification.ts'
import type { PriorityLevel } from '../../clusters/flow-control-objects.ts'
import type { User } from '../../meta/user.ts'

/** How long a request waits for a seat at most, in milliseconds: a quarter of a request's time, as kube-apiserver has it. */
const maximumWait = 15_000

type LimitedLevel = Extract<PriorityLevel, { readonly type: 'Limited' }>

interface Waiter {
  readonly begin: () => void
}

/** A seat that is taken. */
interface Seat {
  readonly since: number
}

interface Level {
  /** Seats that are its own. */
  nominal: number
  /** With those that it may borrow. */
  upper: number
  readonly taken: Set<Seat>
  waiting: number
  /** By the flow; each served in turn, the one that was served last goes to the end. */
  readonly queues: Map<string, Waiter[]>
}

/** No request takes longer than this, in milliseconds: a seat that does was not given back, as the runtime ended its request by force. */
const maximumTime = 60_000

/** Gives a seat back. */
export type Release = () => void

/** The seats of one isolate. */
export class Seats {
  readonly #total: number
  readonly #levels = new Map<string, Level>()
  #current: FlowControl | undefined
  #executing = 0

  /** @param total seats of all levels together; Infinity for no limit */
  constructor(total: number) {
    this.#total = total
  }

  /**
   * A seat for a request of this flow.
   * @returns how to give it back, at once or when it is the request's turn; 'full' where it will not come to that
   */
  take(flowControl: FlowControl, flow: Flow, user: User, asked: Attributes): Release | 'full' | Promise<Release | 'full'> {
    if (this.#current !== flowControl) this.#adapt(flowControl)
    const level = this.#levels.get(flow.level.name)
    if (flow.level.type === 'Exempt' || level === undefined) return noSeat
    if (!this.#isFree(level)) this.#reclaim()
    if (this.#isFree(level)) return this.#sit(level)
    const { limitResponse } = flow.level
    if (limitResponse.type === 'Reject') return 'full'
    const key = `${flow.schema.name}\n${distinguisherOf(flow.schema, user, asked)}`
    const queue = level.queues.get(key) ?? []
    const { queues, queueLengthLimit } = limitResponse
    if (queue.length >= queueLengthLimit || level.waiting >= queues * queueLengthLimit) return 'full'
    return this.#wait(level, key, queue)
  }

  /** Seats in use, by level: for metrics. */
  *executing(): Generator<{
    readonly level: string
    readonly executing: number
    readonly waiting: number
    readonly nominal: number
  }> {
    for (const [level, { taken, waiting, nominal }] of this.#levels) yield { level, executing: taken.size, waiting, nominal }
  }

  /** Whether a request that comes now may begin now. */
  #isFree(level: Level): boolean {
    return level.waiting === 0 && this.#hasSeat(level)
  }

  /** A level without seats still runs one request at a time. */
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

  /** Takes back what nobody gave back. */
  #reclaim(): void {
    const oldest = Date.now() - maximumTime
    for (const level of this.#levels.values()) {
      for (const seat of level.taken) {
        // The oldest come first.
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
        // Its turn has come meanwhile. The timer is this request's: the one that gave up its seat could not stop it.
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

  /** Whoever is next in the level that has a seat now; a seat that was borrowed may be of use to any. */
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

  /** Takes over new limits; who sits or waits goes on. */
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

/** Lets the first of the queue begin that was not served for longest. */
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
