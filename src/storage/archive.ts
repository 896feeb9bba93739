/**
 * The contents of one Durable Object as lines of JSON, for backups. A line is an object in the form in which it is stored, or an
 * entry of the key-value storage.
 */
import { badRequest } from '../meta/errors.ts'
import type { Store } from './store.ts'

/** An object as a line. */
export interface ArchivedObject {
  /** Its key. */
  readonly object: string
  readonly version: number
  readonly labels: string
  readonly value: string
  readonly signature?: string
}

/** An entry of the key-value storage as a line. */
export interface ArchivedEntry {
  readonly key: string
  readonly value: unknown
  readonly signature?: string
}

export type ArchiveLine = ArchivedObject | ArchivedEntry

/** Returns a line as text. */
export const lineText = (line: ArchiveLine): string => `${JSON.stringify(line)}\n`

/** The number of objects that are read at once. */
const pageObjects = 200

/**
 * Yields all objects at a version, page by page. The store may change in between.
 * @param prefixes of the collections in the store
 * @throws ApiError 410 Expired if history does not reach the version any more
 */
export function* archivedObjects(
  store: Store,
  prefixes: readonly string[],
  resourceVersion: number,
): Generator<ArchivedObject[]> {
  for (const prefix of prefixes) {
    let after = ''
    for (let more = true; more; ) {
      const page = store.list({ prefix, after, limit: pageObjects, resourceVersion })
      yield page.items.map(({ key, resourceVersion: version, labels, value }) => ({ object: key, version, labels, value }))
      after = page.items.at(-1)?.key ?? ''
      more = page.more
    }
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** A version that leaves room for the later ones of the store. */
const isVersion = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= Number.MAX_SAFE_INTEGER / 2

const malformed = (line: string): Error => badRequest(`not a line of a backup: ${JSON.stringify(line.slice(0, 80))}`)

/**
 * Parses a line of a backup.
 * @returns 'other' for a line that earlier releases wrote and that is not restored: a row of a table besides the objects
 * @throws ApiError 400
 */
export function parseLine(line: string): ArchiveLine | 'other' {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    throw malformed(line)
  }
  if (typeof parsed !== 'object' || parsed === null) throw malformed(line)
  const { object, version, labels, value, key, table, signature } = parsed as Readonly<Record<string, unknown>>
  const signed = isText(signature) ? { signature } : {}
  if (isText(object) && isVersion(version) && isText(labels) && isText(value)) {
    return { object, version, labels, value, ...signed }
  }
  if (isText(key) && value !== undefined) return { key, value, ...signed }
  if (isText(table)) return 'other'
  throw malformed(line)
}
