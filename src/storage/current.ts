/** Reading objects: one by its key, or pages of a prefix, now or as of an older version. */
import { type ApiError, expired } from '../meta/errors.ts'
import { keyRange } from './key-range.ts'
import {
  countKeys,
  type KeySelection,
  selectHeads,
  selectJoined,
  selectJoinedOf,
  selectObjects,
  selectSize,
  selectSizesOf,
  selectValuesOf,
  selectVersionList,
  selectVersions,
  type VersionSize,
} from './statements.ts'
import type { HeadPage, JoinedPage, JoinedValues, Page, PageRequest, Stored, VersionPage } from './store.ts'

/**
 * The bytes of values in one page. Durable Objects hold no text of 2 MB or more, and the joined values are one:
 * the bound leaves room below it.
 */
const PAGE_BYTES = 1_900_000
/** The objects in one page, whatever was asked for: a page is read without a pause. */
const PAGE_OBJECTS = 2_000

/** The versions between which lists can be made. */
export interface ReadableVersions {
  readonly resourceVersion: number
  readonly compactedResourceVersion: number
}

const tooOld = (): ApiError => expired('The resourceVersion for the provided list is too old.')

function selectionOf(request: Omit<PageRequest, 'limit'>, versions: ReadableVersions): KeySelection {
  const { prefix, after, resourceVersion, indexHints: marks } = request
  if (resourceVersion < versions.compactedResourceVersion) {
    throw tooOld()
  }
  return {
    range: keyRange(prefix, after),
    resourceVersion: resourceVersion >= versions.resourceVersion ? undefined : resourceVersion,
    marks,
  }
}

/** The values that come before the page is full; one at least. */
function fitting(versions: readonly VersionSize[], limit: number): readonly VersionSize[] {
  let count = 0
  for (let bytes = 0; count < Math.min(limit, versions.length); count++) {
    bytes += versions[count]?.bytes ?? 0
    if (bytes > PAGE_BYTES && count > 0) break
  }
  return versions.slice(0, count)
}

/** A page of objects. Throws expired when history does not reach the asked version. */
export function readPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): Page {
  const of = selectionOf(request, versions)
  const limit = Math.min(request.limit, PAGE_OBJECTS)
  const found = selectVersions(sql, of, limit + 1)
  const page = fitting(found, limit)
  return {
    items:
      page.length === 0
        ? []
        : selectObjects(
            sql,
            page.map(({ resourceVersion }) => resourceVersion),
          ),
    more: found.length > page.length,
  }
}

/** A page of objects without values. Throws expired when history does not reach the asked version. */
export function readHeads(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): HeadPage {
  const limit = Math.min(request.limit, PAGE_OBJECTS)
  const found = selectHeads(sql, selectionOf(request, versions), limit + 1)
  return { items: found.slice(0, limit), more: found.length > limit }
}

/** The objects of these versions, in that order. Throws expired where one of them is not there anymore. */
export function readObjects(sql: SqlStorage, resourceVersions: readonly number[]): readonly Stored[] {
  const found = selectObjects(sql, resourceVersions)
  if (found.length < resourceVersions.length) throw tooOld()
  return found
}

/** Their values, joined. Throws expired where one of them is not there anymore. */
export function readJoined(sql: SqlStorage, resourceVersions: readonly number[], beginning: string): Uint8Array {
  const { bytes, count } = selectJoinedOf(sql, resourceVersions, beginning)
  if (count < resourceVersions.length) throw tooOld()
  return bytes
}

/** The versions of a page, of any length. Throws expired when history does not reach the asked version. */
export function readVersions(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): VersionPage {
  const of = selectionOf(request, versions)
  const page = selectVersionList(sql, of, request.limit)
  const isFull = page.resourceVersions.length === request.limit
  return { ...page, more: isFull && selectSize(sql, selectionOf({ ...request, after: page.lastKey }, versions), 1).count > 0 }
}

/** The versions, in parts whose values fit a page; those that are not there are in none. */
function* parts(sql: SqlStorage, resourceVersions: readonly number[]): Generator<readonly number[]> {
  const sizes = selectSizesOf(sql, resourceVersions)
  for (let from = 0; from < sizes.length; ) {
    const part = fitting(sizes.slice(from), PAGE_OBJECTS)
    yield part.map(({ resourceVersion }) => resourceVersion)
    from += part.length
  }
}

/**
 * The values of these versions, which ascend. Throws expired where one of them is not there anymore.
 * @param bytes of all of them, or more, where that is known: what fits one page is read at once
 */
export function* readValues(sql: SqlStorage, resourceVersions: readonly number[], bytes?: number): Generator<JoinedValues> {
  if (resourceVersions.length === 0) return
  let count = 0
  for (const part of bytes !== undefined && bytes <= PAGE_BYTES ? [resourceVersions] : parts(sql, resourceVersions)) {
    const values = selectValuesOf(sql, part)
    if (values.count < part.length) throw tooOld()
    count += values.count
    yield values
  }
  if (count < resourceVersions.length) throw tooOld()
}

/**
 * The same page as readPage, its values joined inside SQLite, each with another beginning in the place of its brace. Throws
 * expired when history does not reach the asked version.
 */
export function readJoinedPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest, beginning: string): JoinedPage {
  const of = selectionOf(request, versions)
  const limit = Math.min(request.limit, PAGE_OBJECTS)
  const size = selectSize(sql, of, limit + 1)
  const more = beginning.length - 1
  const longer = (version: VersionSize): VersionSize => ({ ...version, bytes: version.bytes + more })
  const fits =
    size.bytes + size.count * more <= PAGE_BYTES
      ? size.count
      : fitting(selectVersions(sql, of, limit + 1).map(longer), limit).length
  const count = Math.min(fits, limit)
  const joined = count === 0 ? undefined : selectJoined(sql, of, count, beginning)
  if (joined === undefined) return { bytes: new Uint8Array(0), count: 0, lastKey: '', more: false }
  return { bytes: new Uint8Array(joined.bytes), count, lastKey: joined.lastKey, more: size.count > count }
}

/** How many keys of the prefix followed `after` at the version of the request. Throws expired when history does not reach it. */
export function countAfter(sql: SqlStorage, versions: ReadableVersions, request: Omit<PageRequest, 'limit'>): number {
  return countKeys(sql, selectionOf(request, versions))
}
