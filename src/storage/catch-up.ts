/**
 * How a watcher gets from its version to the present: from the log, in bounded batches, no faster than its client reads.
 * Also the way back for one whose client was too slow for the live events: the log is its backlog, not memory.
 */
import { MissingLookups, resolveInObject } from '../meta/lookups.ts'
import { JoinedEvents, joined, type SharedEvent } from './shared-event.ts'
import type { InitialState } from './store.ts'
import type { Timers } from './timers.ts'
import type { Watcher } from './watcher.ts'

/** Pauses between looks at a full stream, in milliseconds: from the first, doubled up to the last. */
const FIRST_PAUSE = 5
const LAST_PAUSE = 100

/** What is sent first goes out in chunks of about so many bytes: one costs much the same, be it long or short. */
const FIRST_CHUNK_BYTES = 32 * 1024

/** Events in their order. All that the watcher selects up to and including version `through` are among them. */
export interface SharedBatch {
  readonly events: readonly SharedEvent[]
  readonly through: number
}

/** Where events are read from, and where a watcher goes that has caught up. */
export interface CatchUpSource {
  /** The last version that watchers may see. */
  readonly durableResourceVersion: number
  readonly compactedResourceVersion: number
  readonly timers: Timers
  /** A watcher that leaves a full stream unread for so long is closed. */
  readonly stallMilliseconds: number
  /** Events go out in chunks of about so many bytes. */
  readonly chunkBytes: number
  /** What waits in the streams of all watchers for their initial states to be read. */
  readonly initial: Budget
  /** The share of one. */
  readonly initialBytes: number
  read(watcher: Watcher, last: number): SharedBatch
  /** The watcher has everything up to durableResourceVersion. */
  join(watcher: Watcher): void
  now(): number
}

/** Bytes that watchers share. Whoever finds none waits, and is let in in the order of coming. */
export class Budget {
  readonly #total: number
  #used = 0
  #waiting: (() => void)[] = []

  constructor(total: number) {
    this.#total = total
  }

  /** Whether there is something left; `later` is run when there is, otherwise. */
  isFree(later: () => void): boolean {
    if (this.#used < this.#total) return true
    this.#waiting.push(later)
    return false
  }

  /** `from` bytes were used by somebody who now uses `to`. */
  change(from: number, to: number): void {
    this.#used += to - from
    for (let free = this.#total - this.#used; free > 0 && to < from; free -= from) {
      if (!this.passOn()) return
    }
  }

  /** Lets in the next of those who wait: also where one that was let in needs nothing any more. */
  passOn(): boolean {
    const next = this.#waiting.shift()
    if (next !== undefined) queueMicrotask(next)
    return next !== undefined
  }
}

/** Catches up. `first` is sent before any event. */
export class CatchUp {
  readonly #watcher: Watcher
  readonly #source: CatchUpSource
  #first: Iterator<Uint8Array> | undefined
  readonly #initial: InitialState | undefined
  /** How much of what all watchers may have waiting of their initial states is this one's. */
  #held = 0
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

  /** Does a bounded part, and goes on by itself until the watcher has joined or ended. */
  run(): void {
    if (this.#watcher.ended) {
      if (this.#held === 0) this.#source.initial.passOn()
      this.#end()
      return
    }
    try {
      const delay = this.#step()
      const { missing } = this.#watcher
      if (missing !== undefined) this.#await(missing)
      else if (delay !== undefined) this.#source.timers.after(delay, () => this.run())
    } catch (error) {
      console.error('a watch could not be continued', error)
      this.#watcher.fail('the watch could not be continued')
    }
    // Nobody runs it again: what it holds is for others.
    if (this.#watcher.ended) this.#end()
  }

  #end(): void {
    this.#hold(0)
    this.#first?.return?.()
    this.#first = undefined
  }

  /** Goes on when what the next event waits for has come. */
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

  /** When to go on, in milliseconds from now; undefined when done. */
  #step(): number | undefined {
    // No more than a quarter of the stream is filled ahead of a slow reader.
    if (!this.#isRoomy()) {
      this.#initial?.release?.()
      return this.#wait()
    }
    if (this.#first !== undefined) {
      if (this.#held === 0 && !this.#source.initial.isFree(() => this.run())) return undefined
      const delay = this.#sendFirst(this.#first)
      this.#hold(this.#first === undefined ? this.#watcher.queued : Math.max(this.#watcher.queued, this.#source.initialBytes))
      return delay
    }
    this.#hold(0)
    this.#pause = FIRST_PAUSE
    this.#lastQueued = Number.NaN
    return this.#replay()
  }

  /** Few are sent their initial state at a time, so that each has more room than those that follow. */
  #isRoomy(): boolean {
    return this.#first === undefined ? this.#watcher.roomy : this.#watcher.queued <= this.#source.initialBytes / 2
  }

  #hold(bytes: number): void {
    this.#source.initial.change(this.#held, bytes)
    this.#held = bytes
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
      if (chunks.length > 0) this.#watcher.send(joined(chunks), chunks.length)
      if (this.#first === undefined || this.#watcher.missing !== undefined) break
    }
    return 0
  }

  /** Undefined where it has to be waited for: it is asked for again then. */
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
        // The client asks again from its last version, and is told there that it has expired.
        watcher.close()
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

  /** Has what the events need fetched together; once, as what has come need not stay. */
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
