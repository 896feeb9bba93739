/** The queue of a controller in one Durable Object: keys of work, which are stored, so that an eviction forgets none. */

import { logError } from '../meta/log.ts'
import { type AlarmPart, pauseAfter } from './alarms.ts'
import { type Controller, type Drain, type Outcome, type QueueName, type Reconciler, rowRoots } from './controller.ts'

/** The time of a key's next attempt in milliseconds since the epoch, and the number of attempts so far. */
interface Due {
  readonly at: number
  readonly attempt: number
}

/** Keys with their times, in the order of the keys. */
type Page = readonly (readonly [key: string, due: Due])[]

/** A stored key: its time, or true if it is due at once. */
type Row = true | Due

const atOnce: Due = { at: 0, attempt: 0 }

/** The number of keys that are read at once. */
const pageKeys = 100
/** The number of reconciled keys after which a run ends with the page. */
const maxKeys = 500

/** Decides how keys are reconciled. */
type Rules = QueueName & Pick<Controller<never>, 'workers' | 'pause'>

/** Returns the times of the first keys by the prefixes of their rows. All queues share few lists, because each is a read. */
export function firstTimes({ kv }: Pick<DurableObjectStorage, 'kv'>): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const root of rowRoots) {
    for (const [row, value] of kv.list<Row>({ prefix: `${root}/` })) {
      const rows = row.split('/', 2).join('/') + (row.includes('/', root.length + 1) ? '/' : '')
      times.set(rows, Math.min(times.get(rows) ?? Number.POSITIVE_INFINITY, dueOf(value).at))
    }
  }
  return times
}

/**
 * The queue of one controller.
 *
 * @example
 * ```ts
 * const queue = new Queue(ctx.storage, Date.now, { name: 'namespaces', rows: 'due/namespaces/' }, reconciler)
 * queue.add('shop') // in the turn of the commit that deletes the namespace
 * await queue.work(Date.now()) // in the alarm
 * ```
 */
export class Queue implements AlarmPart {
  readonly name: string
  readonly #rows: string
  readonly #storage: DurableObjectStorage
  readonly #now: () => number
  readonly #reconciler: Pick<Reconciler, 'reconcile'>
  readonly #workers: number
  readonly #pause: (attempt: number) => number | undefined
  /** No key is due before this time; undefined without keys. */
  #dueAt: number | undefined
  /** The keys that are being reconciled, and whether they were added meanwhile: those stay. */
  readonly #reconciling = new Map<string, 'once' | 'again'>()

  /** @param times the times of the first keys of all queues */
  constructor(
    storage: DurableObjectStorage,
    now: () => number,
    { name, rows, workers = 1, pause = (attempt) => pauseAfter(attempt + 1) }: Rules,
    reconciler: Pick<Reconciler, 'reconcile'>,
    times: ReadonlyMap<string, number> = firstTimes(storage),
  ) {
    this.name = name
    this.#rows = rows
    this.#storage = storage
    this.#now = now
    this.#reconciler = reconciler
    this.#workers = workers
    this.#pause = pause
    this.#dueAt = times.get(rows)
  }

  has(key: string): boolean {
    return this.#storage.kv.get<Row>(this.#rows + key) !== undefined
  }

  /**
   * Adds a key as part of the writes of this turn. One that waits after a failure is due at once.
   * @param after the milliseconds until it is due
   */
  add(key: string, after = 0): void {
    if (this.#reconciling.has(key)) this.#reconciling.set(key, 'again')
    this.#put(key, after === 0 ? atOnce : { at: this.#now() + after, attempt: 0 })
  }

  nextAlarm(): number | undefined {
    return this.#dueAt
  }

  /**
   * Reconciles the keys that are due, also those that are added meanwhile, up to a bound.
   * @throws the error of the key '': it is the only one, so that the alarm pauses. Other keys have pauses of their own
   */
  async work(now: number): Promise<void> {
    let count = 0
    try {
      while (count < maxKeys && this.#dueAt !== undefined && this.#dueAt <= now) count += await this.#scan(now, maxKeys - count)
    } catch (error) {
      this.#wakeAt(0)
      throw error
    }
  }

  /** Reads the keys in their order, and reconciles those that are due. @returns their number; beyond the bound, later pages wait */
  async #scan(now: number, bound: number): Promise<number> {
    this.#dueAt = undefined
    let count = 0
    for (let after = ''; ; ) {
      const page: Page = [...this.#page(after)]
      count += await this.#reconcilePage(page, now)
      if (page.length < pageKeys) return count
      after = page.at(-1)?.[0] ?? ''
      if (count < bound) continue
      this.#wakeAt(0)
      return count
    }
  }

  *#page(after: string): Generator<[key: string, due: Due]> {
    const { kv } = this.#storage
    const from = after === '' ? {} : { startAfter: this.#rows + after }
    for (const [row, value] of kv.list<Row>({ prefix: this.#rows, limit: pageKeys, ...from })) {
      yield [row.slice(this.#rows.length), dueOf(value)]
    }
  }

  /** Reconciles the keys of a page that are due. They share facts, because they were all added before. @returns their number */
  async #reconcilePage(page: Page, now: number): Promise<number> {
    const due = page.filter(([, { at }]) => at <= now)
    for (const [, { at }] of page) if (at > now) this.#wakeAt(at)
    for (const [key] of due) this.#reconciling.set(key, 'once')
    const drain: Drain = {}
    const keys = due.values()
    const work = async (): Promise<void> => {
      for (const [key, { attempt }] of keys) await this.#reconcile(key, attempt, drain)
    }
    try {
      await Promise.all(Array.from({ length: Math.min(this.#workers, due.length) }, work))
    } finally {
      this.#reconciling.clear()
    }
    return due.length
  }

  async #reconcile(key: string, attempt: number, drain: Drain): Promise<void> {
    const outcome = await this.#outcome(key, drain)
    if (this.#reconciling.get(key) === 'again') return
    // In the next run: this one would otherwise do the work of hours.
    if (outcome === 'more') return this.#put(key, { at: this.#now() + 1, attempt: 0 })
    const pause = outcome === 'done' ? undefined : this.#pause(attempt)
    if (pause === undefined) this.#storage.kv.delete(this.#rows + key)
    else this.#put(key, { at: this.#now() + pause, attempt: attempt + 1 })
  }

  async #outcome(key: string, drain: Drain): Promise<Outcome> {
    try {
      return await this.#reconciler.reconcile(key, drain)
    } catch (error) {
      if (key === '') throw error
      logError(`${this.name}: ${key}`, error)
      return 'later'
    }
  }

  /** The one key of a queue that has no others is true, as the previous release knows it. */
  #put(key: string, due: Due): void {
    this.#storage.kv.put<Row>(this.#rows + key, key === '' ? true : due)
    this.#wakeAt(due.at)
  }

  #wakeAt(at: number): void {
    this.#dueAt = Math.min(this.#dueAt ?? at, at)
  }
}

const dueOf = (row: Row): Due => (row === true ? atOnce : row)
