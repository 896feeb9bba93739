/** Reading objects: one by its key, or pages of a prefix, now or as of an older version. */
import { expired } from '../meta/errors.ts'
import { keyRange } from './key-range.ts'
import { countKeys, keyExists, type PageBounds, selectJoinedPage, selectPage } from './statements.ts'
import type { JoinedPage, Page, PageRequest } from './store.ts'

/**
 * The bytes of values in one page. Durable Objects hold no text of 2 MB or more, and the joined values are one:
 * the bound leaves room below it.
 */
export const PAGE_BYTES = 1_900_000

/** The versions between which lists can be made. */
export interface ReadableVersions {
  readonly resourceVersion: number
  readonly compactedResourceVersion: number
}

function boundsOf(request: PageRequest, versions: ReadableVersions): PageBounds {
  if (request.resourceVersion < versions.compactedResourceVersion) {
    throw expired('The resourceVersion for the provided list is too old.')
  }
  return {
    range: keyRange(request.prefix, request.after),
    limit: request.limit,
    bytes: PAGE_BYTES,
    resourceVersion: request.resourceVersion >= versions.resourceVersion ? undefined : request.resourceVersion,
  }
}

function hasMore(sql: SqlStorage, request: PageRequest, bounds: PageBounds, lastKey: string): boolean {
  return keyExists(sql, keyRange(request.prefix, lastKey), bounds.resourceVersion)
}

/** A page of objects. Throws expired when history does not reach the asked version. */
export function readPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): Page {
  const bounds = boundsOf(request, versions)
  const items = selectPage(sql, bounds)
  const last = items.at(-1)
  return { items, more: last !== undefined && hasMore(sql, request, bounds, last.key) }
}

/** The same page as readPage, its values joined inside SQLite. Throws expired when history does not reach the asked version. */
export function readJoinedPage(sql: SqlStorage, versions: ReadableVersions, request: PageRequest): JoinedPage {
  const bounds = boundsOf(request, versions)
  const page = selectJoinedPage(sql, bounds)
  if (page === undefined) return { bytes: new Uint8Array(0), count: 0, lastKey: '', more: false }
  const { count, lastKey } = page
  return { bytes: new Uint8Array(page.bytes), count, lastKey, more: hasMore(sql, request, bounds, lastKey) }
}

/** How many keys of the prefix follow `after` now. */
export function countAfter(sql: SqlStorage, prefix: string, after: string): number {
  return countKeys(sql, keyRange(prefix, after))
}
