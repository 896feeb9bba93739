/** Work that follows from a commit and is done after it, at least once: noted in the same turn, drained by the object's alarm. */

/** Under which keys work waits. */
const outboxPrefix = 'outbox/'

/** Most entries that are worked off before other things of the alarm have their turn. */
const atOnce = 500

/** How long after a failure an entry is tried again, in milliseconds. */
const pause = 2000

/** Stands for entries that are worked off together: what is asked for one of them is asked after all of them were noted. */
export type Batch = object

/**
 * Does the work of one entry; doing it again changes nothing.
 * @param rest of the entry, behind its kind
 * @returns false where it has to be looked at again later
 */
export type Reconciler = (rest: string, drain: Batch) => Promise<boolean>

/** The entries of one Durable Object. */
export class Outbox {
  readonly #storage: DurableObjectStorage
  /** By the kind of an entry, which is what it begins with up to its first slash. */
  readonly #works: Readonly<Record<string, Reconciler>>
  #dueAt: number | undefined
  /** Noted since their work was begun: they stay. */
  readonly #again = new Set<string>()

  constructor(storage: DurableObjectStorage, works: Readonly<Record<string, Reconciler>>) {
    this.#storage = storage
    this.#works = works
    // Entries of before a restart.
    for (const _entry of storage.kv.list({ prefix: outboxPrefix, limit: 1 })) this.#dueAt = 0
  }

  /** Notes work, `<kind>/<rest>`, as part of the writes of this turn. */
  add(entry: string): void {
    this.#storage.kv.put(outboxPrefix + entry, true)
    this.#again.add(entry)
    this.#dueAt = 0
  }

  /** When there is something to do; undefined where nothing waits. */
  nextAlarm(): number | undefined {
    return this.#dueAt
  }

  /** Does what waits, if it is due. An entry goes when its work is done; what fails is tried again. */
  async drain(now: number): Promise<void> {
    if (this.#dueAt === undefined || this.#dueAt > now) return
    this.#dueAt = undefined
    const entries = await this.#storage.list({ prefix: outboxPrefix, limit: atOnce })
    if (entries.size === atOnce) this.#dueAt = 0
    const drain: Batch = {}
    for (const key of entries.keys()) {
      const entry = key.slice(outboxPrefix.length)
      this.#again.delete(entry)
      if (!(await this.#isDone(entry, drain))) this.#dueAt ??= Date.now() + pause
      else if (!this.#again.has(entry)) this.#storage.kv.delete(key)
    }
  }

  async #isDone(entry: string, drain: Batch): Promise<boolean> {
    const slash = entry.indexOf('/')
    const work = this.#works[entry.slice(0, slash)]
    if (work === undefined) return true
    try {
      return await work(entry.slice(slash + 1), drain)
    } catch (error) {
      console.error(`${entry}:`, error)
      return false
    }
  }
}
