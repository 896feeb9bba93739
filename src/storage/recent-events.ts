/** The newest durable events, in memory: watchers that are not far behind read them together instead of each the log. */
import type { SharedEvent } from './shared-event.ts'
import type { LogSelection } from './store.ts'

/** A window over the last events, bounded by the size of their values. */
export class RecentEvents {
  readonly #bytes: number
  #events: SharedEvent[] = []
  /** Events before this index are no longer kept. */
  #from = 0
  #held = 0
  /** All events after this version are here. */
  #after: number

  constructor(bytes: number, resourceVersion: number) {
    this.#bytes = bytes
    this.#after = resourceVersion
  }

  /** Takes over the next events. */
  push(events: readonly SharedEvent[]): void {
    for (const event of events) {
      this.#events.push(event)
      this.#held += sizeOf(event)
    }
    for (let oldest = this.#events[this.#from]; this.#held > this.#bytes && oldest !== undefined; ) {
      this.#held -= sizeOf(oldest)
      this.#after = oldest.resourceVersion
      oldest = this.#events[++this.#from]
    }
    if (this.#from * 2 <= this.#events.length) return
    this.#events = this.#events.slice(this.#from)
    this.#from = 0
  }

  /** Forgets all events: the next is the first after this version. */
  restart(resourceVersion: number): void {
    this.#events = []
    this.#from = 0
    this.#held = 0
    this.#after = resourceVersion
  }

  /** The events of the selection after a version; undefined where some of them are no longer kept. */
  read({ prefix, key }: LogSelection, after: number): SharedEvent[] | undefined {
    if (after < this.#after) return undefined
    const found: SharedEvent[] = []
    for (let at = this.#events.length - 1; at >= this.#from; at--) {
      const shared = this.#events[at]
      if (shared === undefined || shared.resourceVersion <= after) break
      const of = shared.event.object.key
      if (key === undefined ? of.startsWith(prefix) : of === key) found.push(shared)
    }
    return found.reverse()
  }
}

const sizeOf = ({ event }: SharedEvent): number => event.object.value.length + (event.previous?.value.length ?? 0) + 200
