/** Keeps the record of requests for versions that a later release removes. Bounded: the clients that were seen last stay. */
import { type DeprecatedRequests, deprecatedRequestsKey, sumOfRequests } from '../clusters/deprecated-requests.ts'

/** The most entries, and the days after which one is removed. */
const mostEntries = 1000
const oldestDays = 30

const prefix = 'deprecated-requests/'

/** The record of one cluster. Each entry has a key of its own, so that a report writes only what has changed. */
export class RequestRecord {
  readonly #kv: SyncKvStorage
  #entries: Map<string, DeprecatedRequests> | undefined

  constructor({ kv }: Pick<DurableObjectStorage, 'kv'>) {
    this.#kv = kv
  }

  /** Adds the requests of an isolate. @param now milliseconds since the epoch */
  add(reported: readonly DeprecatedRequests[], now: number): void {
    const entries = this.#read()
    for (const requests of reported) {
      const key = deprecatedRequestsKey(requests)
      const sum = sumOfRequests(entries.get(key), requests)
      // The order of the map is that of the reports.
      entries.delete(key)
      entries.set(key, sum)
      this.#kv.put(prefix + key, sum)
    }
    const oldest = new Date(now - oldestDays * 86_400_000).toISOString()
    let excess = entries.size - mostEntries
    for (const [key, { lastTime }] of entries) {
      if (excess-- <= 0 && lastTime >= oldest) break
      entries.delete(key)
      this.#kv.delete(prefix + key)
    }
  }

  /** Returns all entries. */
  entries(): readonly DeprecatedRequests[] {
    return [...this.#read().values()]
  }

  #read(): Map<string, DeprecatedRequests> {
    if (this.#entries === undefined) {
      const stored = [...this.#kv.list<DeprecatedRequests>({ prefix })].map(
        ([key, entry]) => [key.slice(prefix.length), entry] as const,
      )
      this.#entries = new Map(stored.toSorted(([, one], [, other]) => (one.lastTime < other.lastTime ? -1 : 1)))
    }
    return this.#entries
  }
}
