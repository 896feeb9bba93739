/** The SQL of the log: its writes, the changes in it, and the deletion of old ones. See statements.ts for the tables. */
import { garbage } from '../meta/garbage.ts'
import {
  deleted,
  eventTypes,
  type KeyRange,
  type LogEntry,
  type LoggedChange,
  type ObjectRow,
  rows,
  storedOf,
} from './statements.ts'

const INSERT_LOG = 'INSERT INTO log (rv, key, type, prev_rv, at, labels, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)'
const UPSERT_CURRENT =
  'INSERT INTO current (key, rv, bytes, labels) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO UPDATE SET rv = excluded.rv, bytes = excluded.bytes, labels = excluded.labels'

/** Appends a change to the log and updates `current`. */
export function insertChange(sql: SqlStorage, entry: LogEntry): void {
  const { key, resourceVersion, labels, value } = entry.object
  garbage.handled(value)
  sql.exec(
    INSERT_LOG,
    resourceVersion,
    key,
    eventTypes.indexOf(entry.type),
    entry.previousResourceVersion,
    entry.at,
    labels,
    value,
  )
  if (entry.type === 'DELETED') sql.exec('DELETE FROM current WHERE key = ?1', key)
  else sql.exec(UPSERT_CURRENT, key, resourceVersion, entry.bytes, labels)
}

const INSERT_LOG_ROWS = `
  INSERT INTO log (rv, key, type, prev_rv, at, labels, value)
  SELECT value ->> 0, value ->> 1, 0, 0, ?2, value ->> 2, value ->> 3 FROM json_each(?1)`
const INSERT_CURRENT_OF_LOG =
  'INSERT INTO current (key, rv, bytes, labels) SELECT key, rv, octet_length(value), labels FROM log ORDER BY key'

/**
 * Inserts many objects at once into an empty store.
 * @param objects a list of `[version, key, labels, value]` in JSON, sorted by version, each key once
 */
export function insertObjects(sql: SqlStorage, objects: string, at: number): void {
  sql.exec(INSERT_LOG_ROWS, objects, at)
  sql.exec(INSERT_CURRENT_OF_LOG)
}

/** The part of the log to read: changes after `after` up to `through`, of keys of the range, bounded by number and bytes. */
export interface ChangeBounds {
  readonly after: number
  readonly through: number
  readonly range: KeyRange
  readonly limit: number
  readonly bytes: number
}

type ChangeRow = [...ObjectRow, type: number, prevRv: number | null, prevLabels: string | null, prevValue: string | null]

const SELECT_CHANGES = `
  SELECT l.rv, l.key, l.labels, l.value, l.type, p.rv, p.labels, p.value FROM (
    SELECT rv, bytes, sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS total FROM (
      SELECT rv, octet_length(value) AS bytes FROM log
      WHERE rv > ?1 AND rv <= ?2 AND key BETWEEN ?3 AND ?4 ORDER BY rv LIMIT ?5
    )
  ) e CROSS JOIN log l ON l.rv = e.rv LEFT JOIN log p ON p.rv = l.prev_rv
  WHERE e.total <= ?6 OR e.total = e.bytes ORDER BY e.rv`

function changeOf([rv, key, labels, value, type, prevRv, prevLabels, prevValue]: ChangeRow): LoggedChange {
  const hasPrevious = prevRv !== null && prevLabels !== null && prevValue !== null
  return {
    type: eventTypes[type] ?? 'MODIFIED',
    object: storedOf([rv, key, labels, value]),
    previous: hasPrevious ? storedOf([prevRv, key, prevLabels, prevValue]) : undefined,
  }
}

/** Returns changes in their order, at least one if any is selected. The bounds of the range are inclusive here. */
export function selectChanges(sql: SqlStorage, bounds: ChangeBounds): LoggedChange[] {
  const { after, through, range, limit, bytes } = bounds
  return rows<ChangeRow>(sql.exec(SELECT_CHANGES, after, through, range.from, range.to, limit, bytes)).map(changeOf)
}

/** Returns the last key of a range; '' without one. */
export function selectLastKey(sql: SqlStorage, { from, to }: KeyRange): string {
  const cursor = sql.exec('SELECT key FROM current WHERE key > ?1 AND key < ?2 ORDER BY key DESC LIMIT 1', from, to)
  return rows<[string]>(cursor)[0]?.[0] ?? ''
}

/** Returns the last version in the log; 0 if the log is empty. */
export function selectLastResourceVersion(sql: SqlStorage): number {
  return rows<[number | null]>(sql.exec('SELECT max(rv) FROM log'))[0]?.[0] ?? 0
}

/** Returns the version of the `offset`-th row from the log's end; 0 if the log is shorter. */
export function selectNthLastResourceVersion(sql: SqlStorage, offset: number): number {
  return rows<[number]>(sql.exec('SELECT rv FROM log ORDER BY rv DESC LIMIT 1 OFFSET ?1', offset))[0]?.[0] ?? 0
}

/** Returns when the first change after a version was made, in milliseconds since the epoch. */
export function selectTimeOfFirstAfter(sql: SqlStorage, after: number): number | undefined {
  return rows<[number]>(sql.exec('SELECT at FROM log WHERE rv > ?1 ORDER BY rv LIMIT 1', after))[0]?.[0]
}

/** Returns the last change up to a version: its version and its time; undefined without one. */
export function selectChangeUpTo(
  sql: SqlStorage,
  resourceVersion: number,
): { readonly resourceVersion: number; readonly at: number } | undefined {
  const row = rows<[number, number]>(
    sql.exec('SELECT rv, at FROM log WHERE rv <= ?1 ORDER BY rv DESC LIMIT 1', resourceVersion),
  )[0]
  return row && { resourceVersion: row[0], at: row[1] }
}

const TIMES = 'SELECT rv, at FROM log WHERE rv IN (SELECT value FROM json_each(?1))'

/** Returns the times of changes by their versions, in milliseconds since the epoch. */
export function selectTimesOf(sql: SqlStorage, resourceVersions: readonly number[]): ReadonlyMap<number, number> {
  return new Map(rows<[number, number]>(sql.exec(TIMES, `[${resourceVersions.join(',')}]`)))
}

/** Counts the changes after a version, up to `limit`. */
export function countChangesAfter(sql: SqlStorage, after: number, limit: number): number {
  const cursor = sql.exec('SELECT count(*) FROM (SELECT 1 FROM log WHERE rv > ?1 LIMIT ?2)', after, limit)
  return rows<[number]>(cursor)[0]?.[0] ?? 0
}

// Sizes are computed in the innermost select: a value that leaves it would be read as a whole.
const SELECT_STEP = `
  SELECT max(rv) FROM (
    SELECT rv, at, row_number() OVER w AS number, sum(replaced + deleted) OVER w AS total FROM (
      SELECT rv, at, CASE WHEN type = 2 THEN octet_length(value) ELSE 0 END AS deleted,
        coalesce((SELECT octet_length(p.value) FROM log p WHERE p.rv = log.prev_rv), 0) AS replaced
      FROM log WHERE rv > ?1 AND rv <= ?2 ORDER BY rv LIMIT ?3
    ) WINDOW w AS (ORDER BY rv)
  ) WHERE at <= ?4 AND (total <= ?5 OR number = 1)`

/** Selects the changes that may be compacted, and limits how many at once. */
export interface CompactionBounds {
  readonly after: number
  readonly through: number
  /** The time at or before which the changes were made, in milliseconds since the epoch. */
  readonly madeBy: number
  readonly limit: number
  /** The most bytes of values to delete; the first change may exceed it. */
  readonly bytes: number
}

/** Returns the version of the last change of the next compaction step; undefined if no change may be compacted. */
export function selectCompactionStep(sql: SqlStorage, bounds: CompactionBounds): number | undefined {
  const { after, through, limit, madeBy, bytes } = bounds
  return rows<[number | null]>(sql.exec(SELECT_STEP, after, through, limit, madeBy, bytes))[0]?.[0] ?? undefined
}

const DELETE_REPLACED = `
  DELETE FROM log WHERE rv IN (SELECT prev_rv FROM log WHERE rv > ?1 AND rv <= ?2 AND prev_rv > 0)`
const DELETE_DELETIONS = 'DELETE FROM log WHERE rv > ?1 AND rv <= ?2 AND type = ?3'

/** Deletes the rows that only a reader before `through` needs: replaced versions and deletions. */
export function deleteHistory(sql: SqlStorage, after: number, through: number): void {
  sql.exec(DELETE_REPLACED, after, through)
  sql.exec(DELETE_DELETIONS, after, through, deleted)
}
