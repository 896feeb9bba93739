/** Compacts the history of a store, step by step. */
import { nextCompaction } from '../storage/compaction.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import type { AlarmPart } from './alarms.ts'

/** The pause before the next step of an unfinished compaction, in milliseconds: requests come in between. */
const pause = 10

/** The alarm's part that compacts. */
export class Compactor implements AlarmPart {
  readonly name = 'compaction'
  readonly #store: SqliteStore
  /** The time of the next step of an unfinished compaction. */
  #stepAt: number | undefined

  constructor(store: SqliteStore) {
    this.#store = store
  }

  nextAlarm(now: number): number | undefined {
    return this.#stepAt ?? nextCompaction(this.#store.compactionState, now)
  }

  work(now: number): void {
    this.#stepAt = this.#store.compact(now) ? now + pause : undefined
  }
}
