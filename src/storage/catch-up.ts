/**
 * Brings a watcher from its resourceVersion to the present: it reads the log in bounded batches, no faster than the client reads.
 * A watcher that was too slow for live events returns to this mode: its backlog is the log, not memory.
 */

import { logError } from '../meta/log.ts'
import { MissingLookups, resolveInObject } from '../meta/lookups.ts'
import { JoinedEvents, joined, type SharedEvent } from './shared-event.ts'
import type { InitialState } from './store.ts'
import type { Timers } from './timers.ts'
import type { Watcher } from './watcher.ts'

/** Pauses between checks of a full stream, in milliseconds. The pause doubles from the first value up to the last. */
const FIRST_PAUSE = 5
const LAST_PAUSE = 100

/** The initial state goes out in chunks of about this many bytes: the cost of a chunk hardly depends on its length. */
const FIRST_CHUNK_BYTES = 32 * 1024

/** Events in the order of their versions. The batch holds every selected event up to and including version `through`. */
export interface SharedBatch {
  readonly events: readonly SharedEvent[]
  readonly through: number
}

/** The source of events, and the hub that a watcher joins after it has caught up. */
export interface CatchUpSource {
  /** The last version that watchers may see. */
  readonly durableResourceVersion: number
  readonly compactedResourceVersion: number
  readonly timers: Timers
  /** A watcher whose full stream is not read for this long is closed. */
  readonly stallMilliseconds: number
  /** Events go out in chunks of about this many bytes. */
  readonly chunkBytes: number
  /** The byte budget for the unread initial states of all watchers. */
  readonly initial: Budget
  /** The part of that budget that one watcher reserves. */
  readonly initialBytes: number
  read(watcher: Watcher, last: number): SharedBatch
  /** Called when the watcher has received everything up to durableResourceVersion. */
  join(watcher: Watcher): void
  now(): number
}

/**
 * A byte budget that watchers share. A watcher that finds it used up waits; waiting watchers are admitted first in, first out, one
 * after the other: two for one share would let the second lose its place.
 */
export class Budget {
  readonly #total: number
  #used = 0
  #waiting: (() => void)[] = []
  /** `soon` until the next waiting watcher runs, `now` while it does. */
  #admission: 'none' | 'soon' | 'now' = 'none'

  constructor(total: number) {
    this.#total = total
  }

  /** Whether the calling watcher may use some of the budget. If not, `later` runs when some is returned. */
  isFree(later: () => void): boolean {
    const isNext = this.#admission === 'now' || this.#waiting.length === 0
    if (isNext && this.#used < this.#total) return true
    this.#waiting.push(later)
    return false
  }

  /** Changes the use of one watcher from `from` bytes to `to` bytes. */
  change(from: number, to: number): void {
    this.#used += to - from
    if (to < from) this.#admit()
  }

  /** Admits waiting watchers as long as some of the budget is left. One that has ended takes nothing. */
  #admit(): void {
    if (this.#admission !== 'none' || this.#used >= this.#total || this.#waiting.length === 0) return
    this.#admission = 'soon'
    queueMicrotask(() => {
      const next = this.#waiting.shift()
      this.#admission = 'now'
      next?.()
      this.#admission = 'none'
      this.#admit()
    })
  }
}

/** Runs one watcher's catch-up. `first`, the initial state, is sent before any event. */
export class CatchUp {
  readonly #watcher: Watcher
  readonly #source: CatchUpSource
  #first: Iterator<Uint8Array> | undefined
  readonly #initial: InitialState | undefined
  /** The bytes that this watcher uses of the shared budget for initial states. */
  #reserved = 0
  #pause = FIRST_PAUSE
  #lastQueued = Number.NaN
  #readAt: number
  #preparedAt = -1

  constructor(watcher: Watcher, source: CatchUpSource, first?: InitialState) {
    this.#watcher = watcher
    this.#source = source
    this.#initial = first
    this.#first = first?.[Symbol.iterator]()
    this.#readAt = source.now()
  }

  /** Does a bounded part of the work, then schedules itself until the watcher has joined the hub or ended. */
  run(): void {
    if (this.#watcher.ended) {
      this.#end()
      return
    }
    try {
      const delay = this.#step()
      const { missing } = this.#watcher
      if (missing !== undefined) this.#await(missing)
      else if (delay !== undefined) this.#source.timers.after(delay, () => this.run())
    } catch (error) {
      logError('a watch could not be continued', error)
      this.#watcher.fail('the watch could not be continued')
    }
    // An ended watcher is not run again: return its share of the budget.
    if (this.#watcher.ended) this.#end()
  }

  #end(): void {
    this.#reserve(0)
    this.#first?.return?.()
    this.#first = undefined
  }

  /** Continues when the fetch that the next event needs has finished. */
  #await(missing: MissingLookups): void {
    this.#watcher.missing = undefined
    resolveInObject(missing).then(
      (release) => {
        this.run()
        release()
      },
      (error: unknown) => {
        this.#watcher.refuse(error)
        this.#end()
      },
    )
  }

  /**
   * Does one step. @returns the delay in milliseconds until the next step, or undefined if it has finished or waits for something
   * else
   */
  #step(): number | undefined {
    // A slow reader's stream is filled to a quarter at most.
    if (!this.#isRoomy()) {
      this.#initial?.release?.()
      return this.#wait()
    }
    if (this.#first !== undefined) {
      if (this.#reserved === 0 && !this.#source.initial.isFree(() => this.run())) return undefined
      const delay = this.#sendFirst(this.#first)
      this.#reserve(this.#first === undefined ? this.#watcher.queued : Math.max(this.#watcher.queued, this.#source.initialBytes))
      return delay
    }
    this.#reserve(0)
    this.#pause = FIRST_PAUSE
    this.#lastQueued = Number.NaN
    return this.#replay()
  }

  /**
   * Whether the stream has room. Few watchers receive their initial state at the same time, so each of them has more room than a
   * watcher that follows the log.
   */
  #isRoomy(): boolean {
    return this.#first === undefined ? this.#watcher.roomy : this.#watcher.queued <= this.#source.initialBytes / 2
  }

  #reserve(bytes: number): void {
    this.#source.initial.change(this.#reserved, bytes)
    this.#reserved = bytes
  }

  #sendFirst(first: Iterator<Uint8Array>): number {
    this.#pause = FIRST_PAUSE
    this.#lastQueued = Number.NaN
    while (this.#isRoomy()) {
      const chunks: Uint8Array[] = []
      for (let bytes = 0; bytes < FIRST_CHUNK_BYTES; ) {
        const next = this.#nextOf(first)
        if (next === undefined) break
        if (next.done) {
          this.#first = undefined
          break
        }
        chunks.push(next.value)
        bytes += next.value.byteLength
      }
      if (chunks.length > 0) this.#watcher.sendState(joined(chunks), chunks.length, this.#initial?.after ?? '')
      if (this.#first === undefined) this.#watcher.endState()
      if (this.#first === undefined || this.#watcher.missing !== undefined) break
    }
    return 0
  }

  /** Returns undefined if the next chunk needs a fetch first; it is requested again after that. */
  #nextOf(first: Iterator<Uint8Array>): IteratorResult<Uint8Array> | undefined {
    try {
      return first.next()
    } catch (error) {
      if (!(error instanceof MissingLookups)) throw error
      this.#watcher.missing = error
      return undefined
    }
  }

  #replay(): number | undefined {
    const watcher = this.#watcher
    const last = this.#source.durableResourceVersion
    if (watcher.position < last) {
      if (watcher.position < this.#source.compactedResourceVersion) {
        // The watch begins again from its last version and then gets 410 Expired.
        watcher.restart()
        return undefined
      }
      const { events, through } = this.#source.read(watcher, last)
      if (!this.#isPrepared(events)) return 0
      const all = watcher.deliver(new JoinedEvents(events, watcher.view, this.#source.chunkBytes))
      if (all) watcher.position = Math.max(watcher.position, through)
    }
    if (watcher.ended) return undefined
    if (watcher.position < last) return 0
    this.#source.join(watcher)
    return undefined
  }

  /** Fetches together everything that the events need. Once per position: the results may have been evicted since. */
  #isPrepared(events: readonly SharedEvent[]): boolean {
    const { request, position } = this.#watcher
    const { prepare } = request.encoder
    if (prepare === undefined || this.#preparedAt === position) return true
    this.#preparedAt = position
    try {
      prepare(events.flatMap(({ event: { object, previous } }) => (previous === undefined ? [object] : [object, previous])))
      return true
    } catch (error) {
      if (!(error instanceof MissingLookups)) throw error
      this.#watcher.missing = error
      return false
    }
  }

  #wait(): number | undefined {
    const now = this.#source.now()
    const { queued } = this.#watcher
    if (queued !== this.#lastQueued) {
      this.#lastQueued = queued
      this.#readAt = now
    } else if (now - this.#readAt >= this.#source.stallMilliseconds) {
      this.#watcher.fail('the watch was not read for too long')
      return undefined
    }
    this.#pause = Math.min(this.#pause * 2, LAST_PAUSE)
    return this.#pause
  }
}
