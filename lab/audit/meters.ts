/** The counters of the instrumented Worker: one meter for each Durable Object in memory, and the totals of the isolate. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { noUsage, type Quantity, type Reading } from './usage.ts'

const totals: Record<Quantity, number> = { ...noUsage }
const paths: Record<string, number> = {}
/** By the name of the object. */
const databaseBytes = new Map<string, number>()
const alarmsDue = new Map<string, number>()
const meters = new Set<Meter>()
const byObject = new WeakMap<object, Meter>()

const context = new AsyncLocalStorage<Meter>()

/** The object whose constructor runs: constructors are synchronous. */
let constructing: Meter | undefined

/** Adds to a quantity. */
export function count(quantity: Quantity, amount = 1): void {
  totals[quantity] += amount
}

/** Returns the object whose code runs; undefined in the Worker. */
export const currentMeter = (): Meter | undefined => context.getStore() ?? constructing

/** Returns the meter of a Durable Object. */
export function meterOfObject(object: object): Meter {
  const meter = byObject.get(object)
  if (meter === undefined) throw new Error('an event of an object that was not constructed')
  return meter
}

/** The meter of one Durable Object in memory. */
export class Meter {
  readonly name: string
  readonly #state: DurableObjectState
  /** The reasons for which the object cannot hibernate, each with the number of its occurrences. */
  readonly #holds = new Map<string, number>()
  #heldSince: number | undefined
  /** The cursors of the current event: their counts are complete at its end. */
  #cursors: SqlStorageCursor<never>[] = []

  constructor(state: DurableObjectState) {
    this.#state = state
    this.name = state.id.name ?? state.id.toString()
    constructing = this
    count('wakes')
    // An instance with the same name was evicted, and held nothing.
    for (const meter of meters) if (meter.name === this.name) meters.delete(meter)
    meters.add(this)
  }

  /** Ends the construction of the object. */
  constructed(object: object): void {
    constructing = undefined
    byObject.set(object, this)
  }

  /** Runs a function as the code of this object. */
  run<T>(code: () => T): T {
    return context.run(this, code)
  }

  /** Prevents hibernation until the returned function is called. */
  hold(reason: string): () => void {
    if (this.#holds.size === 0) this.#heldSince = Date.now()
    this.#holds.set(reason, (this.#holds.get(reason) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#release(reason)
      isHeld = false
    }
  }

  #release(reason: string): void {
    const left = (this.#holds.get(reason) ?? 0) - 1
    if (left > 0) this.#holds.set(reason, left)
    else this.#holds.delete(reason)
    this.countHeld()
    if (this.#holds.size === 0) this.#heldSince = undefined
  }

  /** Adds the time for which the object has been held since the last call. */
  countHeld(): void {
    if (this.#heldSince === undefined) return
    const now = Date.now()
    count('heldSeconds', (now - this.#heldSince) / 1000)
    this.#heldSince = now
  }

  get reasons(): readonly string[] {
    return [...this.#holds.keys()].sort()
  }

  /** Runs an event of the object, such as a request, which holds it until the result is there. */
  async event<T>(reason: string, handle: () => T | Promise<T>): Promise<T> {
    const release = this.hold(reason)
    try {
      return await this.run(handle)
    } finally {
      this.flush()
      release()
    }
  }

  executed(cursor: SqlStorageCursor<never>): void {
    this.#cursors.push(cursor)
  }

  alarmSet(at: number): void {
    alarmsDue.set(this.name, at)
  }

  /** Notes that the alarm runs or was deleted. */
  alarmGone(): void {
    alarmsDue.delete(this.name)
  }

  /** Adds the rows of the cursors, and notes the size of the database. */
  flush(): void {
    for (const cursor of this.#cursors.splice(0)) {
      count('rowsRead', cursor.rowsRead)
      count('rowsWritten', cursor.rowsWritten)
    }
    databaseBytes.set(this.name, this.#state.storage.sql.databaseSize)
  }
}

/** Counts a request to an object by its class, and its verb or inner path. */
export function countPath(path: string): void {
  paths[path] = (paths[path] ?? 0) + 1
}

/** Returns the present state of all counters. */
export function reading(): Reading {
  for (const meter of meters) meter.countHeld()
  const storedBytes = [...databaseBytes.values()].reduce((total, bytes) => total + bytes, 0)
  const held = [...meters].filter(({ reasons }) => reasons.length > 0).map(({ name, reasons }) => [name, reasons] as const)
  return {
    usage: { ...totals, storedBytes },
    paths: { ...paths },
    held: Object.fromEntries(held),
    alarmsDue: Object.fromEntries(alarmsDue),
  }
}
