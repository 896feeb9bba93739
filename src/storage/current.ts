/** Reads objects: one by its key, or pages of a prefix, at the present or at an older version. */
import { type ApiError, expired } from '../meta/errors.ts'
import { keyRange } from './key-range.ts'
import {
  countKeys,
  type KeySelection,
  selectHeads,
  selectJoined,
  selectJoinedOf,
  selectObjectAt,
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
 * The maximum of bytes in one page. Durable Objects cannot hold a text of 2 MB, and the joined values are one text: the bound
 * leaves some room.
 */
const PAGE_BYTES = 1_900_000
/** The maximum of objects in one page, for any limit: a page is read without a pause. */
const PAGE_OBJECTS = 2_000

/** The range of versions at which lists can be read. */
export interface ReadableVersions {
  readonly resourceVersion: number
  readonly compactedResourceVersion: number
}

const tooOld = (): ApiError => expired('The resourceVersion for the provided list is too old.')

function selectionOf(request: Omit<PageRequest, 'limit'>, versions: ReadableVersions): KeySelection {
  const { prefix, after, resourceVersion, indexHints } = request
  if (resourceVersion < versions.compactedResourceVersion) {
    throw tooOld()
  }
  return {
    range: keyRange(prefix, after),
    resourceVersion: resourceVersion >= versions.resourceVersion ? undefined : resourceVersion,
    indexHints: indexHints,
  }
}

/** Returns the versions whose values fit the page; at least one. */
function fitting(versions: readonly VersionSize[], limit: number): readonly VersionSize[] {
  let count = 0
  for (let bytes = 0; count < Math.min(limit, versions.length); count++) {
    bytes += versions[count]?.bytes ?? 0
    if (bytes > PAGE_BYTES && count > 0) break
  }
  return versions.slice(0, count)
}

/**
 * Reads a page of objects.
 * @throws ApiError 410 Expired if history does not reach the requested version
 */
export function readPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): Page {
  const selection = selectionOf(request, versions)
  const limit = Math.min(request.limit, PAGE_OBJECTS)
  const found = selectVersions(sql, selection, limit + 1)
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

/**
 * Reads the object that a key had at a version.
 * @throws ApiError 410 Expired if history does not reach the version
 */
export function readObjectAt(
  sql: SqlStorage,
  versions: ReadableVersions,
  key: string,
  resourceVersion: number,
): Stored | undefined {
  if (resourceVersion < versions.compactedResourceVersion) throw tooOld()
  return selectObjectAt(sql, key, resourceVersion)
}

/**
 * Reads a page of objects without their values.
 * @throws ApiError 410 Expired if history does not reach the requested version
 */
export function readHeads(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): HeadPage {
  const limit = Math.min(request.limit, PAGE_OBJECTS)
  const found = selectHeads(sql, selectionOf(request, versions), limit + 1)
  return { items: found.slice(0, limit), more: found.length > limit }
}

/**
 * Reads the objects of these versions, in the given order.
 * @throws ApiError 410 Expired if one of the versions is no longer stored
 */
export function readObjects(sql: SqlStorage, resourceVersions: readonly number[]): readonly Stored[] {
  const found = selectObjects(sql, resourceVersions)
  if (found.length < resourceVersions.length) throw tooOld()
  return found
}

/**
 * Reads the values of these versions, joined.
 * @throws ApiError 410 Expired if one of the versions is no longer stored
 */
export function readJoined(sql: SqlStorage, resourceVersions: readonly number[], beginning: string): Uint8Array {
  const { bytes, count } = selectJoinedOf(sql, resourceVersions, beginning)
  if (count < resourceVersions.length) throw tooOld()
  return bytes
}

/**
 * Reads the versions of a page of any length.
 * @throws ApiError 410 Expired if history does not reach the requested version
 */
export function readVersions(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): VersionPage {
  const selection = selectionOf(request, versions)
  const page = selectVersionList(sql, selection, request.limit)
  const isFull = page.resourceVersions.length === request.limit
  return { ...page, more: isFull && selectSize(sql, selectionOf({ ...request, after: page.lastKey }, versions), 1).count > 0 }
}

/** Splits the versions into parts whose values fit a page. Versions that are not stored are left out. */
function* parts(sql: SqlStorage, resourceVersions: readonly number[]): Generator<readonly number[]> {
  const sizes = selectSizesOf(sql, resourceVersions)
  for (let from = 0; from < sizes.length; ) {
    const part = fitting(sizes.slice(from), PAGE_OBJECTS)
    yield part.map(({ resourceVersion }) => resourceVersion)
    from += part.length
  }
}

/**
 * Reads the values of these versions, which must ascend.
 * @param bytes the size of all values or an upper bound, if known: values that fit one page are then read at once
 * @throws ApiError 410 Expired if one of the versions is no longer stored
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
 * Reads the same page as readPage with its values joined inside SQLite. `beginning` replaces the opening brace of each value.
 * @throws ApiError 410 Expired if history does not reach the requested version
 */
export function readJoinedPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest, beginning: string): JoinedPage {
  const selection = selectionOf(request, versions)
  const limit = Math.min(request.limit, PAGE_OBJECTS)
  const size = selectSize(sql, selection, limit + 1)
  const more = beginning.length - 1
  const longer = (version: VersionSize): VersionSize => ({ ...version, bytes: version.bytes + more })
  const fits =
    size.bytes + size.count * more <= PAGE_BYTES
      ? size.count
      : fitting(selectVersions(sql, selection, limit + 1).map(longer), limit).length
  const count = Math.min(fits, limit)
  const joined = count === 0 ? undefined : selectJoined(sql, selection, count, beginning)
  if (joined === undefined) return { bytes: new Uint8Array(0), count: 0, lastKey: '', more: false }
  return { bytes: new Uint8Array(joined.bytes), count, lastKey: joined.lastKey, more: size.count > count }
}

/**
 * Counts the keys of the prefix that followed `after` at the requested version.
 * @throws ApiError 410 Expired if history does not reach that version
 */
export function countAfter(sql: SqlStorage, versions: ReadableVersions, request: Omit<PageRequest, 'limit'>): number {
  return countKeys(sql, selectionOf(request, versions))
}
