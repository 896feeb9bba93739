/**
 * The newest durable events, in memory: watchers that are only a little behind share them instead of reading the log one by one.
 */
import { type Cache, type CacheShare, type MemoryBudget, memoryBudget } from '../meta/memory-budget.ts'
import type { SharedEvent } from './shared-event.ts'
import type { LogSelection } from './store.ts'

/** A window over the newest events, bounded by the size of their values and encodings. */
export class RecentEvents implements Cache {
  readonly #maxBytes: number
  readonly #share: CacheShare
  #events: (SharedEvent | undefined)[] = []
  /** Events before this index are no longer kept. */
  #from = 0
  /** All events after this version are kept. */
  #after: number

  constructor(bytes: number, resourceVersion: number, budget: MemoryBudget = memoryBudget) {
    this.#maxBytes = bytes
    this.#after = resourceVersion
    this.#share = budget.share(this)
  }

  /** Appends the next events. */
  push(events: readonly SharedEvent[]): void {
    let size = 0
    for (const event of events) {
      this.#events.push(event)
      event.encoded = this.#onEncoded
      size += event.size
    }
    this.#added(size)
  }

  /** Removes all events; the next one follows this version. */
  restart(resourceVersion: number): void {
    this.#reduceTo(0)
    this.#after = resourceVersion
  }

  shed(bytes: number): void {
    this.#reduceTo(this.#share.bytes - bytes)
  }

  /** Returns the selected events after a version; undefined if some of them are no longer kept. */
  read({ prefix, key }: LogSelection, after: number): SharedEvent[] | undefined {
    if (after < this.#after) return undefined
    this.#share.use()
    const found: SharedEvent[] = []
    for (let at = this.#events.length - 1; at >= this.#from; at--) {
      const shared = this.#events[at]
      if (shared === undefined || shared.resourceVersion <= after) break
      const eventKey = shared.event.object.key
      if (key === undefined ? eventKey.startsWith(prefix) : eventKey === key) found.push(shared)
    }
    return found.reverse()
  }

  readonly #onEncoded = (bytes: number): void => this.#added(bytes)

  #added(bytes: number): void {
    this.#share.add(bytes)
    this.#reduceTo(this.#maxBytes)
  }

  /** Drops the oldest events until the others have at most so many bytes. */
  #reduceTo(bytes: number): void {
    for (let oldest = this.#events[this.#from]; this.#share.bytes > bytes && oldest !== undefined; ) {
      oldest.encoded = undefined
      this.#after = oldest.resourceVersion
      this.#share.remove(oldest.size)
      this.#events[this.#from] = undefined
      oldest = this.#events[++this.#from]
    }
    if (this.#from * 2 <= this.#events.length) return
    this.#events = this.#events.slice(this.#from)
    this.#from = 0
  }
}
