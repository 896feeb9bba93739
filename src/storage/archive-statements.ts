/** All SQL of backups: rows besides the objects, and the replacement of a store's contents. */
import type { Stored } from './store.ts'

/** The tables besides `current` and `log` whose rows a backup contains, with their columns. */
const archivedColumns = {
  deletions: ['uid', 'place', 'key', 'phase', 'attempt', 'due'],
  dependent_places: ['prefix', 'place'],
} as const

/** A table besides those of the objects. */
export type ArchivedTable = keyof typeof archivedColumns

export const archivedTables = Object.keys(archivedColumns) as ArchivedTable[]

/** The values of a row, in the order of its columns. */
export type ArchivedRow = readonly (string | number | null)[]

/** Returns the number of columns of a table; undefined if backups contain no such table. */
export function columnsOf(table: string): number | undefined {
  return Object.hasOwn(archivedColumns, table) ? archivedColumns[table as ArchivedTable].length : undefined
}

/** Returns the rows of a table. */
export function selectRows(sql: SqlStorage, table: ArchivedTable): ArchivedRow[] {
  return [...sql.exec(`SELECT ${archivedColumns[table].join(', ')} FROM ${table}`).raw()] as ArchivedRow[]
}

/** Writes a row of a table, instead of the row with the same primary key if there is one. */
export function replaceRow(sql: SqlStorage, table: ArchivedTable, row: ArchivedRow): void {
  const columns = archivedColumns[table]
  sql.exec(
    `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, i) => `?${i + 1}`).join(', ')})`,
    ...row,
  )
}

const REPLACE_LOG = 'INSERT OR REPLACE INTO log (rv, key, type, prev_rv, at, labels, value) VALUES (?1, ?2, 0, 0, ?3, ?4, ?5)'
const REPLACE_CURRENT = 'INSERT OR REPLACE INTO current (key, rv, bytes, labels) VALUES (?1, ?2, octet_length(?3), ?4)'

/** Writes an object as the only version of its key. */
export function replaceObject(sql: SqlStorage, { key, resourceVersion, labels, value }: Stored, at: number): void {
  sql.exec(REPLACE_LOG, resourceVersion, key, at, labels, value)
  sql.exec(REPLACE_CURRENT, key, resourceVersion, value, labels)
}

/** The tables that a restored object rebuilds, and those whose rows come from the backup. */
const replacedTables = ['current', 'log', 'dependents', 'owners', 'introductions', ...archivedTables]

/** Deletes all rows that belong to the objects of the store, and the facts about its history. */
export function deleteContents(sql: SqlStorage): void {
  for (const table of replacedTables) sql.exec(`DELETE FROM ${table}`)
  sql.exec("DELETE FROM meta WHERE name IN ('compacted', 'counted')")
}

/** Counts the objects of all collections in the store. */
export function countObjects(sql: SqlStorage): number {
  return sql.exec<{ objects: number }>('SELECT count(*) AS objects FROM current').one().objects
}
