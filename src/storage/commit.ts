/**
 * Group commit: writes that arrive together run in one synchronous block with one fsync, then all of them are answered.
 *
 * One group at a time is on its way to the disk; writes that arrive meanwhile form the next group. The slower the disk, the
 * larger the groups.
 */
import { internalError } from '../meta/errors.ts'
import { logError } from '../meta/log.ts'
import { MissingLookups } from '../meta/lookups.ts'
import type { Database } from './database.ts'
import { insertChange } from './log-statements.ts'
import type { Stored, StoreEvent, Transaction } from './store.ts'
import { OperationTransaction } from './transaction.ts'

/** The maximum of operations in one synchronous block, so that other requests get their turn. */
const GROUP_OPERATIONS = 256
/** The maximum duration of that block, in milliseconds; the remaining operations go to the next group. */
const GROUP_TIME = 10

/** The callbacks that group commit needs from the store. */
export interface CommitHost {
  get(key: string): Stored | undefined
  now(): number
  /** Called within the commit for every change: its own database writes are part of the commit. */
  changed(event: StoreEvent): void
  /** Resolves when the next group may begin; undefined if it may begin at once. */
  ready(): Promise<void> | undefined
  /** The group is in the database: reads see it. */
  applied(resourceVersion: number, events: readonly StoreEvent[]): void
  /** The group is durable: watchers may see it. `waiting` is the number of queued writes. */
  durable(events: readonly StoreEvent[], waiting: number): void
  /** The group was rolled back: the events given to `changed` did not happen. */
  undone(): void
  /** The group was applied, but may not be durable. Readers and watchers must start again from the state on disk. */
  lost(): void
}

interface Queued {
  /** Runs the operation and returns the function that resolves its promise. Throws the operation's error. */
  readonly run: (transaction: Transaction) => () => void
  readonly reject: (error: unknown) => void
}

/** The results of a group. All of them take effect when the group is durable. */
interface GroupResult {
  readonly events: readonly StoreEvent[]
  readonly answers: readonly (() => void)[]
}

/**
 * The queue of writes. `write` is the only way to change the objects of a store.
 * @example
 * const commit = new GroupCommit(ctx.storage, new Database(ctx.storage), host, resourceVersion)
 * const created = await commit.write((transaction) => {
 *   if (transaction.get(key) !== undefined) throw alreadyExists({ group: '', resource: 'pods' }, 'web')
 *   const resourceVersion = transaction.nextResourceVersion()
 *   transaction.put({ key, resourceVersion, labels: '', value: encode(pod, resourceVersion) })
 *   return resourceVersion
 * })
 */
export class GroupCommit {
  readonly #storage: DurableObjectStorage
  readonly #database: Database
  readonly #host: CommitHost
  #queue: Queued[] = []
  #running = false
  /** The last version that an operation took. Versions of failed operations and groups are skipped, never reused. */
  #taken: number
  /** The time of the last group, which no further group gets an earlier time than. */
  #at = 0

  constructor(storage: DurableObjectStorage, database: Database, host: CommitHost, resourceVersion: number) {
    this.#storage = storage
    this.#database = database
    this.#host = host
    this.#taken = resourceVersion
  }

  /**
   * Runs the operation with the next group.
   * @returns the operation's result, when the group is durable
   * @throws (rejects with) the operation's error; 500 InternalError if the group could not be stored
   */
  write<T>(operation: (transaction: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (transaction: Transaction): (() => void) => {
        const result = operation(transaction)
        return () => resolve(result)
      }
      this.#queue.push({ run, reject })
      if (this.#running) return
      this.#running = true
      // Requests that have already arrived can queue their writes before the timer fires.
      setTimeout(() => void this.#drain(), 0)
    })
  }

  /** The time of the last group, or a later one that was seen: milliseconds since the epoch. */
  get time(): number {
    return Math.max(this.#at, this.#host.now())
  }

  /** Makes all further groups get this time or a later one. */
  notBefore(at: number): void {
    this.#at = Math.max(this.#at, at)
  }

  /** Lets versions begin after one that was written otherwise. Versions that were taken are not used again. */
  continueAfter(resourceVersion: number): void {
    this.#taken = Math.max(this.#taken, resourceVersion)
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#host.ready()
      const group = this.#queue.splice(0, GROUP_OPERATIONS)
      await this.#commit(group)
    }
    this.#running = false
  }

  async #commit(group: Queued[]): Promise<void> {
    let result: GroupResult | undefined
    try {
      result = this.#storage.transactionSync(() => this.#apply(group))
      // Operations that found no time in this group come first in the next.
      this.#queue.unshift(...group.splice(result.answers.length))
      const last = result.events.at(-1)
      if (last !== undefined) {
        this.#host.applied(last.object.resourceVersion, result.events)
        await this.#storage.sync()
      }
    } catch (error) {
      logError('a group of writes failed', error)
      if (result === undefined) this.#host.undone()
      else this.#host.lost()
      for (const queued of group) queued.reject(internalError('the write could not be stored'))
      return
    }
    for (const answer of result.answers) answer()
    if (result.events.length > 0) this.#host.durable(result.events, this.#queue.length)
  }

  #apply(group: readonly Queued[]): GroupResult {
    const known = new Map<string, Stored | undefined>()
    const source = {
      get: (key: string) => {
        if (!known.has(key)) known.set(key, this.#host.get(key))
        return known.get(key)
      },
      nextResourceVersion: () => ++this.#taken,
    }
    this.#at = Math.max(this.#at, this.#host.now())
    const result = { events: [] as StoreEvent[], answers: [] as (() => void)[] }
    const began = this.#host.now()
    for (const queued of group) {
      if (result.answers.length > 0 && this.#host.now() - began > GROUP_TIME) break
      const transaction = new OperationTransaction(source)
      try {
        result.answers.push(queued.run(transaction))
      } catch (error) {
        // The error is reported only when the group is durable: it may result from an earlier change of the same group. Lookups need
        // not wait for the disk, because the operation runs again with their results.
        if (error instanceof MissingLookups) queued.reject(error)
        result.answers.push(() => queued.reject(error))
        continue
      } finally {
        transaction.end()
      }
      this.#insert(transaction, known)
      for (const { event } of transaction.changes) result.events.push(event)
    }
    return result
  }

  #insert(transaction: OperationTransaction, known: Map<string, Stored | undefined>): void {
    for (const run of transaction.alongsides) run()
    for (const { event, bytes } of transaction.changes) {
      const { type, object, previous } = event
      insertChange(this.#database.sql, {
        type,
        object,
        bytes,
        previousResourceVersion: previous?.resourceVersion ?? 0,
        at: this.#at,
      })
      known.set(object.key, type === 'DELETED' ? undefined : object)
      this.#host.changed(event)
    }
  }
}
