/**
 * The outbox: work that follows from a commit and is done after it, at least once. Entries are written in the same commit and
 * worked off by the object's alarm.
 */

import { logError } from '../meta/log.ts'
import { type AlarmPart, pauseAfter } from './alarms.ts'
import type { Due } from './due-items.ts'

/** The name and the key prefix of an outbox. */
interface OutboxName {
  readonly name: string
  readonly prefix: string
}

const ordinary: OutboxName = { name: 'outbox', prefix: 'outbox/' }
/** The outbox of work for which the response of a write waits. */
export const outboxOfWrites: OutboxName = { name: 'outbox-of-writes', prefix: 'outbox-of-writes/' }

/** The maximum number of entries per drain. */
const atOnce = 500

/** The number of entries that are read at once. */
const pageEntries = 500

/** The value of an entry: true, or after a failure the time and number of the next attempt. */
type Entry = true | Due

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
 * const outbox = new Outbox(ctx.storage)
 * outbox.handle({
 *   namespace: async (name) => {
 *     await ensureDefaultServiceAccount(collections, name)
 *     return true
 *   },
 * })
 * outbox.add('namespace/shop') // in the same turn as the write of the namespace
 * await outbox.work(Date.now()) // in the alarm
 * ```
 */
export class Outbox implements AlarmPart {
  readonly name: string
  readonly #prefix: string
  readonly #storage: DurableObjectStorage
  readonly #now: () => number
  /** The reconcilers by kind of entry: its text before the first slash. */
  readonly #reconcilers = new Map<string, Reconciler>()
  #dueAt: number | undefined
  /** Entries that were added again while they were being worked off: they stay. */
  readonly #again = new Set<string>()

  constructor(storage: DurableObjectStorage, { name, prefix }: OutboxName = ordinary, now = Date.now) {
    this.name = name
    this.#prefix = prefix
    this.#storage = storage
    this.#now = now
    // Entries from before a restart are due at once.
    for (const _entry of storage.kv.list({ prefix, limit: 1 })) this.#dueAt = 0
  }

  /** Adds reconcilers, by the kind of their entries. Entries of a kind without one are dropped: it belonged to an earlier release. */
  handle(reconcilers: Readonly<Record<string, Reconciler>>): void {
    for (const [kind, reconciler] of Object.entries(reconcilers)) this.#reconcilers.set(kind, reconciler)
  }

  /** Adds an entry, `<kind>/<rest>`, as part of the writes of this turn. */
  add(entry: string): void {
    this.#storage.kv.put<Entry>(this.#prefix + entry, true)
    this.#again.add(entry)
    this.#dueAt = 0
  }

  /** Returns the time of the next drain; undefined if the outbox is empty. */
  nextAlarm(): number | undefined {
    return this.#dueAt
  }

  /** Works off the entries that are due. A finished entry is deleted; a failed one is retried after a pause of its own. */
  async work(now: number): Promise<void> {
    if (this.#dueAt === undefined || this.#dueAt > now) return
    this.#dueAt = undefined
    const drain: Drain = {}
    try {
      let worked = 0
      for await (const [key, value] of this.#entries()) {
        const { at, attempt } = value === true ? { at: 0, attempt: 0 } : value
        if (at > now) this.#wakeAt(at)
        else if (worked++ < atOnce) await this.#reconcile(key, attempt, drain)
        else return this.#wakeAt(0)
      }
    } catch (error) {
      this.#dueAt = 0
      throw error
    }
  }

  /** Yields the entries in the order of their keys, read page by page. */
  async *#entries(): AsyncGenerator<[string, Entry]> {
    let last: string | undefined
    for (;;) {
      const page = await this.#storage.list<Entry>({
        prefix: this.#prefix,
        limit: pageEntries,
        ...(last !== undefined && { startAfter: last }),
      })
      yield* page
      if (page.size < pageEntries) return
      last = [...page.keys()].at(-1)
    }
  }

  async #reconcile(key: string, attempt: number, drain: Drain): Promise<void> {
    const entry = key.slice(this.#prefix.length)
    this.#again.delete(entry)
    const isDone = await this.#isDone(entry, drain)
    if (this.#again.has(entry)) return
    if (isDone) {
      this.#storage.kv.delete(key)
      return
    }
    const at = this.#now() + pauseAfter(attempt + 1)
    this.#storage.kv.put<Entry>(key, { at, attempt: attempt + 1 })
    this.#wakeAt(at)
  }

  #wakeAt(at: number): void {
    this.#dueAt = Math.min(this.#dueAt ?? at, at)
  }

  async #isDone(entry: string, drain: Drain): Promise<boolean> {
    const slash = entry.indexOf('/')
    const work = this.#reconcilers.get(entry.slice(0, slash))
    if (work === undefined) return true
    try {
      return await work(entry.slice(slash + 1), drain)
    } catch (error) {
      logError(`${entry}`, error)
      return false
    }
  }
}
