/** All SQL of backups: the objects of a restore that has not ended, and the replacement of a store's contents. */
import type { Stored } from './store.ts'

const REPLACE_LOG = 'INSERT OR REPLACE INTO log (rv, key, type, prev_rv, at, labels, value) VALUES (?1, ?2, 0, 0, ?3, ?4, ?5)'
const REPLACE_CURRENT = 'INSERT OR REPLACE INTO current (key, rv, bytes, labels) VALUES (?1, ?2, octet_length(?3), ?4)'

/** Writes an object as the only version of its key. */
export function replaceObject(sql: SqlStorage, { key, resourceVersion, labels, value }: Stored, at: number): void {
  sql.exec(REPLACE_LOG, resourceVersion, key, at, labels, value)
  sql.exec(REPLACE_CURRENT, key, resourceVersion, value, labels)
}

/** The tables of the objects, and those that follow from them. */
const contents = ['current', 'log', 'dependents', 'owners', 'introductions', 'deletions', 'dependent_places'] as const

/** Deletes all rows that belong to the objects of the store, and the facts about its history. */
export function deleteContents(sql: SqlStorage): void {
  for (const table of contents) sql.exec(`DELETE FROM ${table}`)
  sql.exec("DELETE FROM meta WHERE name IN ('compacted', 'counted')")
}

/** Counts the objects of all collections in the store. */
export function countObjects(sql: SqlStorage): number {
  return sql.exec<{ objects: number }>('SELECT count(*) AS objects FROM current').one().objects
}

/** The objects of a restore wait in a table of their own: the contents stay until the restore replaces them. */
const CREATE_STAGED = `CREATE TABLE IF NOT EXISTS staged (
  key TEXT PRIMARY KEY, rv INTEGER NOT NULL UNIQUE, labels TEXT NOT NULL, value TEXT NOT NULL
) WITHOUT ROWID`

const REPLACE_STAGED = `INSERT INTO staged (key, rv, labels, value) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (key) DO UPDATE SET rv = excluded.rv, labels = excluded.labels, value = excluded.value`

/** The size of staged objects. */
export interface StagedSize {
  readonly objects: number
  /** The sum of their keys, labels and values. */
  readonly bytes: number
}

/** Makes the table of staged objects. */
export const createStaged = (sql: SqlStorage): void => void sql.exec(CREATE_STAGED)

/** Drops the staged objects. */
export const dropStaged = (sql: SqlStorage): void => void sql.exec('DROP TABLE IF EXISTS staged')

/** Stages an object, instead of the one with the same key if there is one. @throws Error if another one has its version */
export function stageObject(sql: SqlStorage, { key, resourceVersion, labels, value }: Stored): void {
  sql.exec(REPLACE_STAGED, key, resourceVersion, labels, value)
}

const SIZE = `SELECT count(*) AS objects,
  coalesce(sum(octet_length(key) + octet_length(labels) + octet_length(value)), 0) AS bytes FROM staged`

/** Measures the staged objects. */
export function sizeOfStaged(sql: SqlStorage): StagedSize {
  const { objects, bytes } = sql.exec<{ objects: number; bytes: number }>(SIZE).one()
  return { objects, bytes }
}

const SIZES = 'SELECT key, octet_length(value) AS bytes FROM staged ORDER BY key LIMIT ?1'

interface StagedRow extends Record<string, SqlStorageValue> {
  key: string
  rv: number
  labels: string
  value: string
}

/** Takes the first staged objects out, at most as many as `most`, and fewer if they have more bytes. */
export function takeStaged(sql: SqlStorage, most: number, mostBytes: number): Stored[] {
  // All rows are read: the table cannot be dropped while a cursor is open.
  let last: string | undefined
  let sum = 0
  for (const { key, bytes } of sql.exec<{ key: string; bytes: number }>(SIZES, most).toArray()) {
    if (sum < mostBytes) last = key
    sum += bytes
  }
  if (last === undefined) return []
  const rows = sql.exec<StagedRow>('SELECT * FROM staged WHERE key <= ?1 ORDER BY key', last).toArray()
  sql.exec('DELETE FROM staged WHERE key <= ?1', last)
  return rows.map(({ key, rv, labels, value }) => ({ key, resourceVersion: rv, labels, value }))
}
