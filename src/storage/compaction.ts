/** Compaction: how long history is kept, and how it is shortened. */
import {
  countChangesAfter,
  deleteHistory,
  selectCompactionStep,
  selectMeta,
  selectNthLastResourceVersion,
  selectTimeOfFirstAfter,
  upsertMeta,
} from './statements.ts'

/** The most changes that one step compacts, and the most bytes of values that it deletes: a few milliseconds of work. */
const STEP_CHANGES = 500
const STEP_BYTES = 4 * 1024 * 1024

/** The minimum of history that is kept; both bounds must be exceeded before a change is deleted. */
export interface HistoryBounds {
  readonly historySeconds: number
  readonly historyEvents: number
}

/** The state from which the next compaction is computed. */
export interface CompactionState extends HistoryBounds {
  /** Number of changes in history, counted up to `historyEvents` + 1. */
  readonly events: number
  /** The time at which the oldest of them was made, in milliseconds since the epoch. */
  readonly oldestAt: number | undefined
}

/**
 * Returns when compaction is due next, in milliseconds since the epoch; undefined if it is not due before further writes. A tenth
 * of the history time (1 s to 30 s) is added, so that a steady stream of writes is compacted in larger parts.
 */
export function nextCompaction(state: CompactionState, now: number): number | undefined {
  if (state.oldestAt === undefined || state.events <= state.historyEvents) return undefined
  const kept = state.historySeconds * 1000
  const slack = Math.min(Math.max(kept / 10, 1_000), 30_000)
  return Math.max(now, state.oldestAt + kept + slack)
}

/** Returns the version up to which history was deleted. */
export function readCompactedResourceVersion(sql: SqlStorage): number {
  return Number(selectMeta(sql, 'compacted') ?? 0)
}

/** Reads the compaction state from the database. */
export function readCompactionState(sql: SqlStorage, history: HistoryBounds, compacted: number): CompactionState {
  return {
    ...history,
    events: countChangesAfter(sql, compacted, history.historyEvents + 1),
    oldestAt: selectTimeOfFirstAfter(sql, compacted),
  }
}

/** The result of one compaction step. */
export interface CompactionStep {
  readonly compactedResourceVersion: number
  /** Whether the step deleted something, so that more may remain. */
  readonly more: boolean
}

/**
 * Deletes the oldest changes that exceed both bounds, up to the limits of one step, and records the new compacted version in the
 * same transaction. The state of every key at that version stays readable.
 */
export function compactStep(
  storage: DurableObjectStorage,
  history: HistoryBounds,
  compacted: number,
  now: number,
): CompactionStep {
  const { sql } = storage
  return storage.transactionSync(() => {
    const through = selectCompactionStep(sql, {
      after: compacted,
      through: selectNthLastResourceVersion(sql, history.historyEvents),
      madeBy: now - history.historySeconds * 1000,
      limit: STEP_CHANGES,
      bytes: STEP_BYTES,
    })
    if (through === undefined) return { compactedResourceVersion: compacted, more: false }
    deleteHistory(sql, compacted, through)
    upsertMeta(sql, 'compacted', String(through))
    return { compactedResourceVersion: through, more: true }
  })
}
