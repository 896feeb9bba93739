/**
 * The contents of one Durable Object as lines of JSON, for backups. Each line is an entry of its key-value storage, a row of a
 * table, or an object in the form in which it is stored.
 */
import { badRequest } from '../meta/errors.ts'
import {
  type ArchivedRow,
  type ArchivedTable,
  archivedTables,
  columnsOf,
  replaceObject,
  replaceRow,
  selectRows,
} from './archive-statements.ts'
import type { Database } from './database.ts'
import { indexOwners } from './owners.ts'
import type { Store, Stored } from './store.ts'

/** A line of a backup. */
type ArchiveLine =
  | { readonly key: string; readonly value: unknown }
  | { readonly table: ArchivedTable; readonly row: ArchivedRow }
  | { readonly object: string; readonly version: number; readonly labels: string; readonly value: string }

const text = (line: ArchiveLine): string => `${JSON.stringify(line)}\n`

/** Whether a value survives JSON: everything that the server keeps in key-value storage does. */
const isJson = (value: unknown): boolean => JSON.stringify(value) !== undefined && !(value instanceof ArrayBuffer)

/**
 * Returns the lines of everything but the objects, as it is now.
 * @param isKept tells which keys of the key-value storage a backup contains
 */
export function stateLines(
  { kv }: Pick<DurableObjectStorage, 'kv'>,
  database: Database,
  isKept: (key: string) => boolean,
): string[] {
  const lines: string[] = []
  for (const [key, value] of kv.list<unknown>()) {
    if (!isKept(key)) continue
    if (!isJson(value)) throw new Error(`the entry ${key} cannot be written as JSON`)
    lines.push(text({ key, value }))
  }
  for (const table of archivedTables) {
    for (const row of selectRows(database.sql, table)) lines.push(text({ table, row }))
  }
  return lines
}

/** The number of objects that are read at once. */
const pageObjects = 200

/**
 * Yields the lines of all objects at a version, page by page. The store may change in between.
 * @param prefixes of the collections in the store
 * @throws ApiError 410 Expired if history does not reach the version any more
 */
export function* objectLines(store: Store, prefixes: readonly string[], resourceVersion: number): Generator<string[]> {
  for (const prefix of prefixes) {
    let after = ''
    for (let more = true; more; ) {
      const page = store.list({ prefix, after, limit: pageObjects, resourceVersion })
      yield page.items.map(({ key, resourceVersion: version, labels, value }) => text({ object: key, version, labels, value }))
      after = page.items.at(-1)?.key ?? ''
      more = page.more
    }
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isCell = (value: unknown): boolean => value === null || isText(value) || typeof value === 'number'

const malformed = (line: string): Error => badRequest(`not a line of a backup: ${JSON.stringify(line.slice(0, 80))}`)

/** Parses a line of a backup. @throws ApiError 400 */
function parseLine(line: string): ArchiveLine {
  let parsed: Readonly<Record<string, unknown>>
  try {
    parsed = JSON.parse(line) as Readonly<Record<string, unknown>>
  } catch {
    throw malformed(line)
  }
  const { object, version, labels, value, table, row, key } = parsed
  if (isText(object) && Number.isSafeInteger(version) && isText(labels) && isText(value)) {
    return { object, version: Number(version), labels, value }
  }
  if (isText(table) && Array.isArray(row) && row.length === columnsOf(table) && row.every(isCell)) {
    return { table: table as ArchivedTable, row: row as ArchivedRow }
  }
  if (isText(key) && value !== undefined) return { key, value }
  throw malformed(line)
}

/**
 * Writes lines of a backup, all or none. Lines that were written before are replaced, so that a request may be repeated. The
 * owners of objects are indexed again, as unknown: the backups of two collections are of different moments.
 * @throws ApiError 400 for any other line
 */
export function writeLines(storage: DurableObjectStorage, { sql }: Database, lines: readonly string[], now: number): void {
  const parsed = lines.map(parseLine)
  storage.transactionSync(() => {
    for (const line of parsed) {
      if ('object' in line) {
        const stored: Stored = { key: line.object, resourceVersion: line.version, labels: line.labels, value: line.value }
        replaceObject(sql, stored, now)
        indexOwners(sql, { type: 'ADDED', object: stored, previous: undefined }, now)
      } else if ('table' in line) replaceRow(sql, line.table, line.row)
      else storage.kv.put(line.key, line.value)
    }
  })
}
