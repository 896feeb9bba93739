/** Compaction: how long history is kept, and how it is shortened. */
import {
  countChangesAfter,
  deleteHistory,
  selectChangeUpTo,
  selectCompactionStep,
  selectNthLastResourceVersion,
  selectTimeOfFirstAfter,
} from './log-statements.ts'
import { selectMeta, upsertMeta } from './statements.ts'

/** The most changes that one step compacts, and the most bytes of values that it deletes: a few milliseconds of work. */
const STEP_CHANGES = 500
const STEP_BYTES = 4 * 1024 * 1024

/** The minimum of history that is kept; both bounds must be exceeded before a change is deleted. They may change at any time. */
export interface HistoryBounds {
  readonly historySeconds: number
  readonly historyEvents: number
}

/** The changes in history. */
export interface HistoryChanges {
  /** Number of changes in history, or more: versions that no change has used may be included. */
  readonly events: number
  /** The time at which the oldest of them was made, in milliseconds since the epoch. */
  readonly oldestAt: number | undefined
}

/** The state from which the next compaction is computed. */
export interface CompactionState extends HistoryBounds, HistoryChanges {}

/** Returns the number of changes from which on the time decides whether compaction is due. */
const mostEvents = ({ historyEvents }: HistoryBounds): number => historyEvents + Math.floor(historyEvents / 10)

/**
 * Returns when compaction is due next, in milliseconds since the epoch; undefined if it is not due before further writes. A tenth
 * of each bound (of the time 1 s to 30 s) is added, so that a steady stream of writes is compacted in larger parts. Otherwise each
 * write to a collection with fewer writes than the bound of events would have an alarm of its own, such as each renewal of a Lease.
 */
export function nextCompaction(state: CompactionState, now: number): number | undefined {
  if (state.oldestAt === undefined || state.events <= mostEvents(state)) return undefined
  const kept = state.historySeconds * 1000
  const slack = Math.min(Math.max(kept / 10, 1_000), 30_000)
  return Math.max(now, state.oldestAt + kept + slack)
}

/** Returns the version up to which history was deleted. */
export function readCompactedResourceVersion(sql: SqlStorage): number {
  return Number(selectMeta(sql, 'compacted') ?? 0)
}

/** The versions that history spans. */
export interface HistorySpan {
  /** The version up to which history was deleted, or the first version of the store. */
  readonly after: number
  /** The version of the last write. */
  readonly through: number
}

/** The name in `meta` of the last count of changes: the version after which they were counted, the last version, and their number. */
const countedKey = 'counted'

/** Returns the changes in history. It reads two rows, however long the history is. */
export function readChanges(sql: SqlStorage, { after, through }: HistorySpan): HistoryChanges {
  const [countedAfter, countedThrough, count] = (selectMeta(sql, countedKey) ?? '').split(' ').map(Number)
  const isCounted = countedAfter === after && countedThrough !== undefined && count !== undefined && countedThrough <= through
  const events = isCounted ? count + through - countedThrough : through - after
  return { events, oldestAt: selectTimeOfFirstAfter(sql, after) }
}

/**
 * Counts the changes in history, as far as the next compaction depends on it, and records their number. Dry runs and failed writes
 * take versions that no change uses.
 */
export function countChanges(sql: SqlStorage, history: HistoryBounds, { after, through }: HistorySpan): HistoryChanges {
  const most = mostEvents(history)
  const events = countChangesAfter(sql, after, most + 1)
  if (events <= most) upsertMeta(sql, countedKey, `${after} ${through} ${events}`)
  return { events, oldestAt: selectTimeOfFirstAfter(sql, after) }
}

/** The name in `meta` of the time of the compacted version. */
const compactedAtKey = 'compactedAt'

/**
 * Returns the time from which on history reaches, in milliseconds since the epoch: that of the last change that was compacted. A
 * database that an earlier release compacted did not record it; then it is that of the first change after it.
 */
export function readHistoryStart(sql: SqlStorage, compacted: number): number {
  const recorded = selectMeta(sql, compactedAtKey)
  if (recorded !== undefined) return Number(recorded)
  return compacted === 0 ? 0 : (selectTimeOfFirstAfter(sql, compacted) ?? Number.POSITIVE_INFINITY)
}

/** Ends the history before a version. @param at the time of that version, in milliseconds since the epoch */
export function endHistoryAt(sql: SqlStorage, resourceVersion: number, at: number): void {
  upsertMeta(sql, 'compacted', String(resourceVersion))
  upsertMeta(sql, compactedAtKey, String(at))
}

/** The time of a compaction. */
export interface CompactionTime {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The time whose state must stay readable, however old it is, in milliseconds since the epoch; Infinity without one. */
  readonly keptFrom: number
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
  { now, keptFrom }: CompactionTime,
): CompactionStep {
  const { sql } = storage
  return storage.transactionSync(() => {
    const through = selectCompactionStep(sql, {
      after: compacted,
      through: selectNthLastResourceVersion(sql, history.historyEvents),
      madeBy: Math.min(now - history.historySeconds * 1000, keptFrom),
      limit: STEP_CHANGES,
      bytes: STEP_BYTES,
    })
    if (through === undefined) return { compactedResourceVersion: compacted, more: false }
    // Its own row may be deleted.
    upsertMeta(sql, compactedAtKey, String(selectChangeUpTo(sql, through)?.at ?? now))
    deleteHistory(sql, compacted, through)
    upsertMeta(sql, 'compacted', String(through))
    return { compactedResourceVersion: through, more: true }
  })
}
