/** Reads the log in bounded batches: the changes after a version. */
import { keyRange } from './key-range.ts'
import { selectChanges } from './log-statements.ts'
import type { LogBatch, LogSelection } from './store.ts'

/** The most versions that one batch examines, and the most bytes of values that it reads. */
const BATCH_VERSIONS = 1_000
const BATCH_EVENTS = 250
const BATCH_BYTES = 256 * 1024

/** Returns the next events after version `after`, up to version `last`. */
export function readLog(sql: SqlStorage, selection: LogSelection, after: number, last: number): LogBatch {
  const through = Math.min(last, after + BATCH_VERSIONS)
  const range = selection.key === undefined ? keyRange(selection.prefix) : { from: selection.key, to: selection.key }
  const events = selectChanges(sql, { after, through, range, limit: BATCH_EVENTS, bytes: BATCH_BYTES })
  return { events, through: events.at(-1)?.object.resourceVersion ?? through }
}
