/**
 * How a watcher gets from its version to the present: from the log, in bounded batches, no faster than its client reads.
 * Also the way back for one whose client was too slow for the live events: the log is its backlog, not memory.
 */
import type { LogBatch } from './store.ts'
import { SharedEvent, type Watcher, type WatchOptions } from './watcher.ts'

/** Pauses between looks at a full stream, in milliseconds: from the first, doubled up to the last. */
const FIRST_PAUSE = 5
const LAST_PAUSE = 100

/** Where events are read from, and where a watcher goes that has caught up. */
export interface CatchUpSource {
  /** The last version that watchers may see. */
  readonly durableResourceVersion: number
  readonly compactedResourceVersion: number
  read(watcher: Watcher, last: number): LogBatch
  /** The watcher has everything up to durableResourceVersion. */
  join(watcher: Watcher): void
  now(): number
}

/** Catches up. `first` is sent before any event. */
export class CatchUp {
  readonly #watcher: Watcher
  readonly #source: CatchUpSource
  readonly #options: WatchOptions
  #first: Iterator<Uint8Array> | undefined
  #pause = FIRST_PAUSE
  #lastRoom = Number.NaN
  #readAt: number

  constructor(watcher: Watcher, source: CatchUpSource, options: WatchOptions, first?: Iterable<Uint8Array>) {
    this.#watcher = watcher
    this.#source = source
    this.#options = options
    this.#first = first?.[Symbol.iterator]()
    this.#readAt = source.now()
  }

  /** Does a bounded part, and goes on by itself until the watcher has joined or ended. */
  run(): void {
    if (this.#watcher.ended) {
      this.#first?.return?.()
      return
    }
    try {
      const delay = this.#step()
      if (delay !== undefined) setTimeout(() => this.run(), delay)
    } catch (error) {
      console.error('a watch could not be continued', error)
      this.#watcher.fail('the watch could not be continued')
    }
  }

  /** When to go on, in milliseconds from now; undefined when done. */
  #step(): number | undefined {
    // No more than a quarter of the stream is filled ahead of a slow reader.
    if (this.#watcher.room < this.#options.backlogBytes * 0.75) return this.#wait()
    this.#pause = FIRST_PAUSE
    this.#lastRoom = Number.NaN
    if (this.#first !== undefined) return this.#sendFirst(this.#first)
    return this.#replay()
  }

  #sendFirst(first: Iterator<Uint8Array>): number {
    while (this.#watcher.room >= this.#options.backlogBytes * 0.75) {
      const next = first.next()
      if (next.done) {
        this.#first = undefined
        break
      }
      this.#watcher.send(next.value)
    }
    return 0
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
      const batch = this.#source.read(watcher, last)
      for (const event of batch.events) watcher.deliver(new SharedEvent(event))
      watcher.position = batch.through
    }
    if (watcher.ended) return undefined
    if (watcher.position < last) return 0
    this.#source.join(watcher)
    return undefined
  }

  #wait(): number | undefined {
    const now = this.#source.now()
    const { room } = this.#watcher
    if (room !== this.#lastRoom) {
      this.#lastRoom = room
      this.#readAt = now
    } else if (now - this.#readAt >= this.#options.stallMilliseconds) {
      this.#watcher.fail('the watch was not read for too long')
      return undefined
    }
    this.#pause = Math.min(this.#pause * 2, LAST_PAUSE)
    return this.#pause
  }
}
