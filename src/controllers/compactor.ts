/** Compacts the history of a store, step by step. */
import { nextCompaction } from '../storage/compaction.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import type { AlarmPart } from './alarms.ts'

/** The pause before the next step of an unfinished compaction, in milliseconds: requests come in between. */
const pause = 10

/** The pauses while history is read, and while a fork needs it, in milliseconds. */
const readPause = 10_000
const heldPause = 600_000

/** The readers of history that compaction must not disturb. */
export interface HistoryReaders {
  /** Whether someone reads the state at an earlier version now. */
  readonly isBeingRead: () => boolean
  /** Resolves to the time from which on history has to be kept, in milliseconds since the epoch. */
  readonly keptFrom: () => Promise<number>
}

/** The alarm's part that compacts. */
export class Compactor implements AlarmPart {
  readonly name = 'compaction'
  readonly #store: SqliteStore
  readonly #readers: HistoryReaders
  /** The time of the next step of an unfinished or postponed compaction. */
  #stepAt: number | undefined

  constructor(store: SqliteStore, readers: HistoryReaders) {
    this.#store = store
    this.#readers = readers
  }

  nextAlarm(now: number): number | undefined {
    return this.#stepAt ?? nextCompaction(this.#store.compactionState, now)
  }

  async work(now: number): Promise<void> {
    if (this.#readers.isBeingRead()) this.#stepAt = now + readPause
    else this.#stepAt = this.#compact(now, await this.#readers.keptFrom())
  }

  /**
   * Compacts a step.
   * @returns the time of the next step if it is due; otherwise a steady stream of writes would give each step only a few changes
   */
  #compact(now: number, keptFrom: number): number | undefined {
    const hasCompacted = this.#store.compact(now, keptFrom)
    const due = nextCompaction(this.#store.compactionState, now)
    if (due === undefined || due > now) return undefined
    return now + (hasCompacted ? pause : heldPause)
  }
}
