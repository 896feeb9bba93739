/** Reading objects: one by its key, or pages of a prefix, now or as of an older version. */
import { expired } from '../meta/errors.ts'
import { keyRange } from './key-range.ts'
import { countKeys, type KeySelection, selectJoined, selectObjects, selectSize, selectSizes } from './statements.ts'
import type { JoinedPage, Page, PageRequest } from './store.ts'

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

/** Where a page ends. */
interface PageCut {
  readonly of: KeySelection
  readonly count: number
  readonly more: boolean
}

function selectionOf(request: Omit<PageRequest, 'limit'>, versions: ReadableVersions): KeySelection {
  const { prefix, after, resourceVersion } = request
  if (resourceVersion < versions.compactedResourceVersion) {
    throw expired('The resourceVersion for the provided list is too old.')
  }
  return {
    range: keyRange(prefix, after),
    resourceVersion: resourceVersion >= versions.resourceVersion ? undefined : resourceVersion,
  }
}

/** How many of the values come before the page is full; one at least. */
function fitting(sizes: readonly number[]): number {
  let count = 0
  for (let bytes = 0; count < sizes.length; count++) {
    bytes += sizes[count] ?? 0
    if (bytes > PAGE_BYTES) break
  }
  return Math.max(1, count)
}

function cutPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): PageCut {
  const of = selectionOf(request, versions)
  const limit = Math.min(request.limit, PAGE_OBJECTS)
  const size = selectSize(sql, of, limit + 1)
  const fits = size.bytes <= PAGE_BYTES ? size.count : fitting(selectSizes(sql, of, limit + 1))
  const count = Math.min(fits, limit)
  return { of, count, more: size.count > count }
}

/** A page of objects. Throws expired when history does not reach the asked version. */
export function readPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): Page {
  const { of, count, more } = cutPage(sql, versions, request)
  return { items: count === 0 ? [] : selectObjects(sql, of, count), more }
}

/** The same page as readPage, its values joined inside SQLite. Throws expired when history does not reach the asked version. */
export function readJoinedPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): JoinedPage {
  const { of, count, more } = cutPage(sql, versions, request)
  const joined = count === 0 ? undefined : selectJoined(sql, of, count)
  if (joined === undefined) return { bytes: new Uint8Array(0), count: 0, lastKey: '', more: false }
  return { bytes: new Uint8Array(joined.bytes), count, lastKey: joined.lastKey, more }
}

/** How many keys of the prefix followed `after` at the version of the request. Throws expired when history does not reach it. */
export function countAfter(sql: SqlStorage, versions: ReadableVersions, request: Omit<PageRequest, 'limit'>): number {
  return countKeys(sql, selectionOf(request, versions))
}
