/** Compacts the history of a store, step by step. */
import { nextCompaction } from '../storage/compaction.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import type { AlarmPart } from './alarms.ts'

/** The pause before the next step of an unfinished compaction, in milliseconds: requests come in between. */
const pause = 10

/** The pause while history is held, in milliseconds. */
const heldPause = 10_000

/** The alarm's part that compacts. */
export class Compactor implements AlarmPart {
  readonly name = 'compaction'
  readonly #store: SqliteStore
  readonly #isHeld: () => boolean
  /** The time of the next step of an unfinished compaction. */
  #stepAt: number | undefined

  /** @param isHeld whether someone reads the state at an earlier version, whose history must stay */
  constructor(store: SqliteStore, isHeld: () => boolean) {
    this.#store = store
    this.#isHeld = isHeld
  }

  nextAlarm(now: number): number | undefined {
    return this.#stepAt ?? nextCompaction(this.#store.compactionState, now)
  }

  work(now: number): void {
    this.#stepAt = this.#isHeld() ? now + heldPause : this.#compact(now)
  }

  /**
   * Compacts a step.
   * @returns the time of the next step if it is due; otherwise a steady stream of writes would give each step only a few changes
   */
  #compact(now: number): number | undefined {
    const hasCompacted = this.#store.compact(now)
    const due = nextCompaction(this.#store.compactionState, now)
    return hasCompacted && due !== undefined && due <= now ? now + pause : undefined
  }
}
