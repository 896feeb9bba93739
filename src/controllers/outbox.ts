/**
 * The outbox: work that follows from a commit and is done after it, at least once. Entries are written in the same commit and
 * worked off by the object's alarm.
 */

/** The key prefix of outbox entries. */
const outboxPrefix = 'outbox/'

/** The maximum number of entries per drain, so that other work of the alarm gets its turn. */
const atOnce = 500

/** The pause before a failed entry is retried, in milliseconds. */
const pause = 2000

/**
 * Identifies one drain. Facts that are read for one of its entries are newer than all its entries, so reconcilers may share them.
 */
export type Drain = object

/**
 * Reconciles one entry. Must be idempotent.
 * @param rest the entry without its kind
 * @returns false if the entry has to be retried later
 */
export type Reconciler = (rest: string, drain: Drain) => Promise<boolean>

/**
 * The outbox of one Durable Object.
 *
 * @example
 * ```ts
 * const outbox = new Outbox(ctx.storage, {
 *   namespace: async (name) => {
 *     await ensureDefaultServiceAccount(collections, name)
 *     return true
 *   },
 * })
 * outbox.add('namespace/shop') // in the same turn as the write of the namespace
 * await outbox.drain(Date.now()) // in the alarm
 * ```
 */
export class Outbox {
  readonly #storage: DurableObjectStorage
  /** The reconcilers by kind of entry: its text before the first slash. */
  readonly #reconcilers: Readonly<Record<string, Reconciler>>
  #dueAt: number | undefined
  /** Entries that were added again while they were being worked off: they stay. */
  readonly #again = new Set<string>()

  constructor(storage: DurableObjectStorage, reconcilers: Readonly<Record<string, Reconciler>>) {
    this.#storage = storage
    this.#reconcilers = reconcilers
    // Entries from before a restart are due at once.
    for (const _entry of storage.kv.list({ prefix: outboxPrefix, limit: 1 })) this.#dueAt = 0
  }

  /** Adds an entry, `<kind>/<rest>`, as part of the writes of this turn. */
  add(entry: string): void {
    this.#storage.kv.put(outboxPrefix + entry, true)
    this.#again.add(entry)
    this.#dueAt = 0
  }

  /** Returns the time of the next drain; undefined if the outbox is empty. */
  nextAlarm(): number | undefined {
    return this.#dueAt
  }

  /** Works off entries, if they are due. A finished entry is deleted; a failed one is retried. */
  async drain(now: number): Promise<void> {
    if (this.#dueAt === undefined || this.#dueAt > now) return
    this.#dueAt = undefined
    const entries = await this.#storage.list({ prefix: outboxPrefix, limit: atOnce })
    if (entries.size === atOnce) this.#dueAt = 0
    const drain: Drain = {}
    for (const key of entries.keys()) {
      const entry = key.slice(outboxPrefix.length)
      this.#again.delete(entry)
      if (!(await this.#isDone(entry, drain))) this.#dueAt ??= Date.now() + pause
      else if (!this.#again.has(entry)) this.#storage.kv.delete(key)
    }
  }

  async #isDone(entry: string, drain: Drain): Promise<boolean> {
    const slash = entry.indexOf('/')
    const work = this.#reconcilers[entry.slice(0, slash)]
    if (work === undefined) return true
    try {
      return await work(entry.slice(slash + 1), drain)
    } catch (error) {
      console.error(`${entry}:`, error)
      return false
    }
  }
}
