/** How long history is kept, and how it is shortened. */
import {
  countChangesAfter,
  deleteHistory,
  selectCompactionStep,
  selectMeta,
  selectNthLastResourceVersion,
  selectTimeOfFirstAfter,
  upsertMeta,
} from './statements.ts'

/** So many changes are compacted in one step, and values of so many bytes deleted: a few milliseconds. */
const STEP_CHANGES = 500
const STEP_BYTES = 4 * 1024 * 1024

/** The least of history that is kept: both bounds hold. */
export interface HistoryBounds {
  readonly historySeconds: number
  readonly historyEvents: number
}

/** What the next compaction depends on. */
export interface CompactionState extends HistoryBounds {
  /** Changes in history; counted no further than one above `historyEvents`. */
  readonly events: number
  /** When the oldest of them was made, in milliseconds. */
  readonly oldestAt: number | undefined
}

/**
 * When compaction has something to do next, in milliseconds; undefined where only further writes bring something.
 * A tenth of the time (at most 30 s, at least 1 s) is added, so that a steady stream of writes is compacted in larger parts.
 */
export function nextCompaction(state: CompactionState, now: number): number | undefined {
  if (state.oldestAt === undefined || state.events <= state.historyEvents) return undefined
  const kept = state.historySeconds * 1000
  const slack = Math.min(Math.max(kept / 10, 1_000), 30_000)
  return Math.max(now, state.oldestAt + kept + slack)
}

/** The version up to which history was deleted. */
export function readCompactedResourceVersion(sql: SqlStorage): number {
  return Number(selectMeta(sql, 'compacted') ?? 0)
}

/** The state as the database holds it. */
export function readCompactionState(sql: SqlStorage, history: HistoryBounds, compacted: number): CompactionState {
  return {
    ...history,
    events: countChangesAfter(sql, compacted, history.historyEvents + 1),
    oldestAt: selectTimeOfFirstAfter(sql, compacted),
  }
}

/** What a step did. */
export interface CompactionStep {
  readonly compactedResourceVersion: number
  /** Whether there was something to do, so that there may be more. */
  readonly more: boolean
}

/**
 * Deletes the oldest changes that are older than both bounds, as far as one step goes, and records how far history
 * reaches now in the same transaction. The state of every key at that version stays readable.
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
