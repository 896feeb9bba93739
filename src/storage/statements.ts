/**
 * All SQL of the store, as typed functions. Statements are constant texts: the runtime caches prepared statements by their text.
 *
 * `current` names the live version of each key; `log` holds every version that history reaches, and so the only copy of each
 * value. A row of `log` names the version that it replaced in `prev_rv`, or 0 if the key did not exist. So a key that was deleted
 * and created again begins a new chain, and the first change of a key after version R is the one whose `prev_rv` is at most R.
 */
import { garbage } from '../meta/garbage.ts'
import type { EventType, Head, IndexHints, JoinedValues, Stored, VersionPage } from './store.ts'

/** The row that SQLite returns for a version of an object. */
export type ObjectRow = [rv: number, key: string, labels: string, value: string]

/** A range of keys; both bounds are exclusive. */
export interface KeyRange {
  readonly from: string
  readonly to: string
}

/** Selects the first keys of a range at a version. */
export interface KeySelection {
  readonly range: KeyRange
  /** The version to read at; absent for the present state. */
  readonly resourceVersion: number | undefined
  readonly indexHints: IndexHints | undefined
}

/** A row to append to the log. */
export interface LogEntry {
  readonly type: EventType
  readonly object: Stored
  readonly bytes: number
  readonly previousResourceVersion: number
  readonly at: number
}

/** A row of the log together with the version that it replaced. */
export interface LoggedChange {
  readonly type: EventType
  readonly object: Stored
  readonly previous: Stored | undefined
}

/** The types of changes; a row of the log has the index. */
export const eventTypes: readonly EventType[] = ['ADDED', 'MODIFIED', 'DELETED']
/** The index of a deletion. */
export const deleted = eventTypes.indexOf('DELETED')

/** Returns the object of a row. */
export function storedOf([resourceVersion, key, labels, value]: ObjectRow): Stored {
  garbage.handled(value)
  return { key, resourceVersion, value, labels }
}

/**
 * Returns all rows. A cursor that is not read to its end keeps its statement busy, and the next use would have to prepare it again.
 */
export const rows = <Row extends SqlStorageValue[]>(cursor: SqlStorageCursor<Record<string, SqlStorageValue>>): Row[] => [
  ...cursor.raw<Row>(),
]

const SELECT_OBJECT = 'SELECT rv, labels, value FROM log WHERE rv = (SELECT rv FROM current WHERE key = ?1)'

/** Returns the live version of a key. */
export function selectObject(sql: SqlStorage, key: string): Stored | undefined {
  // Every read and write comes through here: toArray crosses into the runtime once, an iterator once per row and once more.
  const row = sql.exec<{ rv: number; labels: string; value: string }>(SELECT_OBJECT, key).toArray()[0]
  return row && { key, resourceVersion: row.rv, value: row.value, labels: row.labels }
}

/**
 * The condition for index hints: ?5 to ?7 are texts that the labels contain, ?8 is the end of the key. Every text contains ''.
 */
const indexHintCondition = (labels: string, key: string): string => `
  AND instr(${labels}, ?5) AND instr(${labels}, ?6) AND instr(${labels}, ?7) AND substr(${key}, -length(?8), length(?8)) = ?8`

const keysNow = (indexHints: string): string =>
  `SELECT key, rv, bytes FROM current WHERE key > ?1 AND key < ?2 ${indexHints} ORDER BY key LIMIT ?3`

/**
 * One version in 64 is a milestone, scattered so that no regular pattern of writes misses them. A search back along `prev_rv`
 * begins at the first milestone after its goal. An index over all versions would make every write a tenth slower. Part of the
 * schema.
 */
export const isMilestone = '(((rv & 16777215) * 2654435761) & 4294967295) < 67108864'

/**
 * The version that a key had at version ?4; 0 if it did not exist. Searches back from `later`, a later version of the key with no
 * deletion in between.
 */
const versionAt = (key: string, later: string): string => `(
  WITH RECURSIVE back (rv) AS (
    VALUES (coalesce(
      (SELECT min(rv) FROM log INDEXED BY log_milestones WHERE key = ${key} AND rv > ?4 AND rv < ${later} AND ${isMilestone}),
      ${later}
    ))
    UNION ALL
    SELECT log.prev_rv FROM back CROSS JOIN log ON log.rv = back.rv WHERE back.rv > ?4
  )
  SELECT rv FROM back WHERE rv <= ?4)`

const firstDeletion = (key: string): string =>
  `(SELECT min(rv) FROM log INDEXED BY log_deletions WHERE type = 2 AND key = ${key} AND rv > ?4)`

// Keys that were not deleted since are looked up one by one, the others by their first deletion: the cost of a page does not
// depend on how often its keys have changed.
const keysOlder = (indexHints: string): string => `
  SELECT c.key AS key, l.rv AS rv, octet_length(l.value) AS bytes
  FROM current c CROSS JOIN log l ON l.rv = CASE
    WHEN c.rv <= ?4 THEN c.rv WHEN ${firstDeletion('c.key')} IS NULL THEN ${versionAt('c.key', 'c.rv')} END
  WHERE c.key > ?1 AND c.key < ?2 ${indexHints}
  UNION ALL
  SELECT d.key, l.rv, octet_length(l.value)
  FROM log d INDEXED BY log_deletions CROSS JOIN log l ON l.rv = ${versionAt('d.key', 'd.rv')}
  WHERE d.type = 2 AND d.key > ?1 AND d.key < ?2 AND d.rv > ?4 AND d.rv = ${firstDeletion('d.key')} ${indexHints}
  ORDER BY key LIMIT ?3`

const OBJECT_AT = `
  WITH last (rv) AS (SELECT coalesce(${firstDeletion('?1')}, (SELECT rv FROM current WHERE key = ?1)))
  SELECT l.rv, l.key, l.labels, l.value
  FROM last CROSS JOIN log l ON l.rv = CASE WHEN last.rv <= ?4 THEN last.rv ELSE ${versionAt('?1', 'last.rv')} END`

/** Returns the object that a key had at a version. */
export function selectObjectAt(sql: SqlStorage, key: string, resourceVersion: number): Stored | undefined {
  const row = rows<ObjectRow>(sql.exec(OBJECT_AT, key, null, null, resourceVersion))[0]
  return row && storedOf(row)
}

/** A statement over the first keys of a range, in four forms: at the present or an older version, with or without index hints. */
interface KeyStatement {
  readonly now: string
  readonly older: string
  readonly nowFiltered: string
  readonly olderFiltered: string
}

const overKeys = (text: (keys: string) => string): KeyStatement => ({
  now: text(keysNow('')),
  older: text(keysOlder('')),
  nowFiltered: text(keysNow(indexHintCondition('labels', 'key'))),
  olderFiltered: text(keysOlder(indexHintCondition('l.labels', 'l.key'))),
})

function execOverKeys<Row extends SqlStorageValue[]>(
  sql: SqlStorage,
  statement: KeyStatement,
  selection: KeySelection,
  limit: number,
): Row[] {
  const { range, resourceVersion, indexHints } = selection
  const { from, to } = range
  if (indexHints !== undefined) {
    const [first = '', second = '', third = ''] = indexHints.labels
    const text = resourceVersion === undefined ? statement.nowFiltered : statement.olderFiltered
    return rows<Row>(sql.exec(text, from, to, limit, resourceVersion ?? 0, first, second, third, indexHints.keyEnd))
  }
  return rows<Row>(
    resourceVersion === undefined
      ? sql.exec(statement.now, from, to, limit)
      : sql.exec(statement.older, from, to, limit, resourceVersion),
  )
}

const SIZE = overKeys((keys) => `SELECT count(*), total(bytes + 1) FROM (${keys})`)

/** Counts the selected keys up to `limit`, and the bytes of their values plus one comma each. */
export function selectSize(
  sql: SqlStorage,
  selection: KeySelection,
  limit: number,
): { readonly count: number; readonly bytes: number } {
  const row = execOverKeys<[number, number]>(sql, SIZE, selection, limit)[0]
  return { count: row?.[0] ?? 0, bytes: row?.[1] ?? 0 }
}

const VERSIONS = overKeys((keys) => `SELECT rv, bytes + 1 FROM (${keys})`)

/** A version of an object, with the size of its value plus a comma. */
export interface VersionSize {
  readonly resourceVersion: number
  readonly bytes: number
}

/** Returns the versions of the first keys, each with its size. */
export function selectVersions(sql: SqlStorage, selection: KeySelection, limit: number): VersionSize[] {
  return execOverKeys<[number, number]>(sql, VERSIONS, selection, limit).map(([resourceVersion, bytes]) => ({
    resourceVersion,
    bytes,
  }))
}

const VERSION_LIST = overKeys(
  (keys) => `
  SELECT json_group_array(rv), max(key), total(bytes + 1)
  FROM (SELECT p.key AS key, p.rv AS rv, p.bytes AS bytes FROM (${keys}) p ORDER BY p.key)`,
)

/** Returns the versions of the first keys, and the last key, as one row: a page without values costs next to nothing. */
export function selectVersionList(sql: SqlStorage, selection: KeySelection, limit: number): Omit<VersionPage, 'more'> {
  const row = execOverKeys<[string, string | null, number]>(sql, VERSION_LIST, selection, limit)[0]
  return { resourceVersions: JSON.parse(row?.[0] ?? '[]') as number[], bytes: row?.[2] ?? 0, lastKey: row?.[1] ?? '' }
}

const VERSIONS_GIVEN = 'FROM log WHERE rv IN (SELECT value FROM json_each(?1)) ORDER BY rv'
const SIZES_OF_VERSIONS = `SELECT rv, octet_length(value) + 1 ${VERSIONS_GIVEN}`

/** Returns the sizes of the given versions that are stored, ascending by version. */
export function selectSizesOf(sql: SqlStorage, resourceVersions: readonly number[]): VersionSize[] {
  const found = rows<[number, number]>(sql.exec(SIZES_OF_VERSIONS, JSON.stringify(resourceVersions)))
  return found.map(([resourceVersion, bytes]) => ({ resourceVersion, bytes }))
}

const VALUES_OF_VERSIONS = `SELECT CAST(group_concat(value, ',') AS BLOB), count(*) FROM (SELECT value ${VERSIONS_GIVEN})`

/** Returns the values of the given versions that are stored, joined with commas, ascending by version. */
export function selectValuesOf(sql: SqlStorage, resourceVersions: readonly number[]): JoinedValues {
  const row = rows<[ArrayBuffer | null, number]>(sql.exec(VALUES_OF_VERSIONS, JSON.stringify(resourceVersions)))[0]
  return { bytes: new Uint8Array(row?.[0] ?? new ArrayBuffer(0)), count: row?.[1] ?? 0 }
}

const OBJECTS_OF_VERSIONS = `
  SELECT l.rv, l.key, l.labels, l.value FROM json_each(?1) v CROSS JOIN log l ON l.rv = v.value ORDER BY v.key`

/** Returns the objects of the given versions, in the given order. */
export function selectObjects(sql: SqlStorage, resourceVersions: readonly number[]): Stored[] {
  const numbers = `[${resourceVersions.join(',')}]`
  return rows<ObjectRow>(sql.exec(OBJECTS_OF_VERSIONS, numbers)).map(storedOf)
}

const HEADS = overKeys(
  (keys) => `SELECT p.rv, p.key, l.labels, p.bytes FROM (${keys}) p CROSS JOIN log l ON l.rv = p.rv ORDER BY p.key`,
)

/** Returns the first objects without their values. */
export function selectHeads(sql: SqlStorage, selection: KeySelection, limit: number): Head[] {
  return execOverKeys<[number, string, string, number]>(sql, HEADS, selection, limit).map(
    ([resourceVersion, key, labels, bytes]) => ({
      key,
      resourceVersion,
      labels,
      bytes,
    }),
  )
}

const JOINED_OF_VERSIONS = `
  SELECT CAST(group_concat(value, ',') AS BLOB), count(*) FROM (
    SELECT ?2 || substr(l.value, 2) AS value FROM json_each(?1) v CROSS JOIN log l ON l.rv = v.value ORDER BY v.key
  )`

/**
 * Returns the values of the given versions that are stored, joined with commas in the given order. `beginning` replaces the
 * opening brace of each value.
 */
export function selectJoinedOf(sql: SqlStorage, resourceVersions: readonly number[], beginning: string): JoinedValues {
  const found = sql.exec(JOINED_OF_VERSIONS, JSON.stringify(resourceVersions), beginning)
  const row = rows<[ArrayBuffer | null, number]>(found)[0]
  return { bytes: new Uint8Array(row?.[0] ?? new ArrayBuffer(0)), count: row?.[1] ?? 0 }
}

const joined = (value: string): KeyStatement =>
  overKeys(
    (keys) => `
  SELECT CAST(group_concat(value, ',') AS BLOB), max(key)
  FROM (SELECT ${value} AS value, p.key AS key FROM (${keys}) p CROSS JOIN log l ON l.rv = p.rv ORDER BY p.key)`,
  )
type JoinedRow = [ArrayBuffer | null, string | null]

const JOINED = joined('l.value')
const JOINED_BEGUN = joined('?5 || substr(l.value, 2)')

/**
 * Returns the first values, joined with commas in the order of keys, and the last key; undefined if no key is selected.
 * @param beginning replaces the opening brace of each value
 */
export function selectJoined(
  sql: SqlStorage,
  selection: KeySelection,
  limit: number,
  beginning: string,
): { readonly bytes: ArrayBuffer; readonly lastKey: string } | undefined {
  const { range, resourceVersion } = selection
  const row =
    beginning === '{'
      ? execOverKeys<JoinedRow>(sql, JOINED, selection, limit)[0]
      : rows<JoinedRow>(
          sql.exec(
            resourceVersion === undefined ? JOINED_BEGUN.now : JOINED_BEGUN.older,
            range.from,
            range.to,
            limit,
            resourceVersion ?? 0,
            beginning,
          ),
        )[0]
  if (row === undefined || row[0] === null || row[1] === null) return undefined
  return { bytes: row[0], lastKey: row[1] }
}

const COUNT_NOW = 'SELECT count(*) FROM current WHERE key > ?1 AND key < ?2'
const COUNT_OLDER = `
  SELECT (SELECT count(*) FROM current WHERE key > ?1 AND key < ?2 AND rv <= ?4)
    + (SELECT count(*) FROM current c WHERE key > ?1 AND key < ?2 AND rv > ?4 AND ${firstDeletion('c.key')} IS NULL
      AND ${versionAt('c.key', 'c.rv')} > 0)
    + (SELECT count(*) FROM log d INDEXED BY log_deletions WHERE type = 2 AND key > ?1 AND key < ?2 AND rv > ?4
      AND rv = ${firstDeletion('d.key')} AND ${versionAt('d.key', 'd.rv')} > 0)`

/** Counts the selected keys. */
export function countKeys(sql: SqlStorage, { range, resourceVersion }: Omit<KeySelection, 'indexHints'>): number {
  const cursor =
    resourceVersion === undefined
      ? sql.exec(COUNT_NOW, range.from, range.to)
      : sql.exec(COUNT_OLDER, range.from, range.to, 0, resourceVersion)
  return rows<[number]>(cursor)[0]?.[0] ?? 0
}

/** Whether the database has a table. */
export function hasTable(sql: SqlStorage, name: string): boolean {
  return rows(sql.exec("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 LIMIT 1", name)).length > 0
}

/** Runs a statement of a migration. */
export function execute(sql: SqlStorage, statement: string): void {
  sql.exec(statement)
}

/** Returns a value of the meta table. */
export function selectMeta(sql: SqlStorage, name: string): string | undefined {
  return rows<[string]>(sql.exec('SELECT value FROM meta WHERE name = ?1', name))[0]?.[0]
}

/** Sets a value of the meta table. */
export function upsertMeta(sql: SqlStorage, name: string, value: string): void {
  sql.exec('INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value', name, value)
}
