/**
 * The newest durable events, in memory: watchers that are only a little behind share them instead of reading the log one by one.
 */
import type { SharedEvent } from './shared-event.ts'
import type { LogSelection } from './store.ts'

/** A window over the newest events, bounded by the size of their values. */
export class RecentEvents {
  readonly #maxBytes: number
  #events: SharedEvent[] = []
  /** Events before this index are no longer kept. */
  #from = 0
  #keptBytes = 0
  /** All events after this version are kept. */
  #after: number

  constructor(bytes: number, resourceVersion: number) {
    this.#maxBytes = bytes
    this.#after = resourceVersion
  }

  /** Appends the next events. */
  push(events: readonly SharedEvent[]): void {
    for (const event of events) {
      this.#events.push(event)
      this.#keptBytes += sizeOf(event)
    }
    for (let oldest = this.#events[this.#from]; this.#keptBytes > this.#maxBytes && oldest !== undefined; ) {
      this.#keptBytes -= sizeOf(oldest)
      this.#after = oldest.resourceVersion
      oldest = this.#events[++this.#from]
    }
    if (this.#from * 2 <= this.#events.length) return
    this.#events = this.#events.slice(this.#from)
    this.#from = 0
  }

  /** Removes all events; the next one follows this version. */
  restart(resourceVersion: number): void {
    this.#events = []
    this.#from = 0
    this.#keptBytes = 0
    this.#after = resourceVersion
  }

  /** Returns the selected events after a version; undefined if some of them are no longer kept. */
  read({ prefix, key }: LogSelection, after: number): SharedEvent[] | undefined {
    if (after < this.#after) return undefined
    const found: SharedEvent[] = []
    for (let at = this.#events.length - 1; at >= this.#from; at--) {
      const shared = this.#events[at]
      if (shared === undefined || shared.resourceVersion <= after) break
      const eventKey = shared.event.object.key
      if (key === undefined ? eventKey.startsWith(prefix) : eventKey === key) found.push(shared)
    }
    return found.reverse()
  }
}

const sizeOf = ({ event }: SharedEvent): number => event.object.value.length + (event.previous?.value.length ?? 0) + 200
