/**
 * Group commit: writes that arrive together run in one synchronous block with one fsync, then all are answered.
 *
 * One group is on its way to the disk at a time; what arrives meanwhile is the next group. The slower the disk,
 * the larger the groups.
 */
import { internalError } from '../meta/errors.ts'
import { insertChange } from './statements.ts'
import type { Stored, StoreEvent, Transaction } from './store.ts'
import { OperationTransaction } from './transaction.ts'

/** So many operations run in one synchronous block at most: others want to be served, too. */
const GROUP_OPERATIONS = 256
/** And for so long, in milliseconds: what takes longer goes on in the next group. */
const GROUP_TIME = 10

/** What group commit needs of the store around it. */
export interface CommitHost {
  get(key: string): Stored | undefined
  now(): number
  /** Runs within the commit for every change: what it writes to the database is part of it. */
  changed(event: StoreEvent): void
  /** Resolves when the next group may begin; undefined where it may at once. */
  ready(): Promise<void> | undefined
  /** The group is in the database: reads see it. */
  applied(resourceVersion: number, events: readonly StoreEvent[]): void
  /** The group is durable: watchers may see it. So many writes wait for the next one. */
  durable(events: readonly StoreEvent[], waiting: number): void
  /** A group was not applied: what `changed` told of it did not happen. */
  undone(): void
  /** A group was applied, but may not be durable. Whoever read it or waits for it must start again from what the disk holds. */
  lost(): void
}

interface Queued {
  /** Runs the operation, and gives what answers it. Throws what the operation throws. */
  readonly run: (transaction: Transaction) => () => void
  readonly reject: (error: unknown) => void
}

/** What became of a group: all of it takes effect when it is durable. */
interface GroupResult {
  readonly events: readonly StoreEvent[]
  readonly afterCommits: readonly (() => void)[]
  readonly answers: readonly (() => void)[]
}

/** The queue of writes. */
export class GroupCommit {
  readonly #storage: DurableObjectStorage
  readonly #host: CommitHost
  #queue: Queued[] = []
  #running = false
  /** The last version that was ever taken. Versions of failed operations and groups are skipped. */
  #taken: number
  #at = 0

  constructor(storage: DurableObjectStorage, host: CommitHost, resourceVersion: number) {
    this.#storage = storage
    this.#host = host
    this.#taken = resourceVersion
  }

  /** Runs the operation with the next group; answers its result when that is durable, or rejects with what it throws. */
  write<T>(operation: (transaction: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (transaction: Transaction): (() => void) => {
        const result = operation(transaction)
        return () => resolve(result)
      }
      this.#queue.push({ run, reject })
      if (this.#running) return
      this.#running = true
      // Requests that have arrived already get to queue theirs before the timer.
      setTimeout(() => void this.#drain(), 0)
    })
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
      // What was not done this time comes first next time.
      this.#queue.unshift(...group.splice(result.answers.length))
      const last = result.events.at(-1)
      if (last !== undefined) {
        this.#host.applied(last.object.resourceVersion, result.events)
        await this.#storage.sync()
      }
    } catch (error) {
      console.error('a group of writes failed', error)
      if (result === undefined) this.#host.undone()
      else this.#host.lost()
      for (const queued of group) queued.reject(internalError('the write could not be stored'))
      return
    }
    for (const run of result.afterCommits) runSafely(run)
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
    const result = { events: [] as StoreEvent[], afterCommits: [] as (() => void)[], answers: [] as (() => void)[] }
    const began = this.#host.now()
    for (const queued of group) {
      if (result.answers.length > 0 && this.#host.now() - began > GROUP_TIME) break
      const transaction = new OperationTransaction(source)
      try {
        result.answers.push(queued.run(transaction))
      } catch (error) {
        // Only told when the group is durable: the refusal may rest on a change before it in the group.
        result.answers.push(() => queued.reject(error))
        continue
      } finally {
        transaction.end()
      }
      this.#insert(transaction, known)
      for (const { event } of transaction.changes) result.events.push(event)
      result.afterCommits.push(...transaction.afterCommits)
    }
    return result
  }

  #insert(transaction: OperationTransaction, known: Map<string, Stored | undefined>): void {
    for (const { event, bytes } of transaction.changes) {
      const { type, object, previous } = event
      insertChange(this.#storage.sql, {
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

function runSafely(run: () => void): void {
  try {
    run()
  } catch (error) {
    console.error('a callback after a commit failed', error)
  }
}
