/** Reading the log: what happened after a version, in bounded batches. */
import { keyRange } from './key-range.ts'
import { selectChanges } from './statements.ts'
import type { LogBatch, LogSelection } from './store.ts'

/** So many versions are looked at per batch at most, and so many bytes of values read. */
const BATCH_VERSIONS = 1_000
const BATCH_EVENTS = 250
const BATCH_BYTES = 256 * 1024

/** The next events after version `after`, up to version `last`. */
export function readLog(sql: SqlStorage, selection: LogSelection, after: number, last: number): LogBatch {
  const through = Math.min(last, after + BATCH_VERSIONS)
  const range = selection.key === undefined ? keyRange(selection.prefix) : { from: selection.key, to: selection.key }
  const events = selectChanges(sql, { after, through, range, limit: BATCH_EVENTS, bytes: BATCH_BYTES })
  return { events, through: events.at(-1)?.object.resourceVersion ?? through }
}
