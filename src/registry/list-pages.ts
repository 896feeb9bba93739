/** What a list is made of, whatever it is written in: its objects page by page, and its metadata. */
import type { Kind } from '../catalog/kind.ts'
import type { ListOptions, Target } from '../clusters/operation.ts'
import { encodeContinue } from '../storage/continue-token.ts'
import type { Page, Stored } from '../storage/store.ts'
import { type Start, startOf } from './list-start.ts'
import type { Registry } from './registry.ts'
import { type Selected, select } from './selection.ts'

/** A list made ready. */
export interface Listing {
  readonly selected: Selected
  readonly start: Start
  /** The objects where they are at most one, found without a search; else undefined. */
  readonly only: readonly Stored[] | undefined
}

/** @throws ApiError 400 for selectors and tokens, 410 for versions that are gone, 504 for ones that have not come */
export async function startList(registry: Registry, kind: Kind, target: Target, options: ListOptions): Promise<Listing> {
  const { store } = registry
  const selected = select(kind, target, options)
  const start = await startOf(store, selected, options)
  const byKey = options.continue === '' && start.resourceVersion === store.resourceVersion
  if (selected.key === undefined || !byKey) return { selected, start, only: undefined }
  const found = store.get(selected.key)
  const isSelected = found?.key.startsWith(selected.prefix) === true && (selected.matches?.(found) ?? true)
  return { selected, start, only: isSelected ? [found] : [] }
}

/**
 * Rows that are read one by one at once. Texts of larger pages outlive the young generation while their page is written, and
 * then gather by the hundred MB before the old one is collected.
 */
const readRows = 100

/** The pages of a list, not selected yet. */
export function* chunks(registry: Registry, selected: Selected, start: Start): Generator<Page> {
  let after = start.after
  for (;;) {
    const page = registry.store.list({
      prefix: selected.prefix,
      after,
      limit: readRows,
      resourceVersion: start.resourceVersion,
      marks: selected.marks,
    })
    yield page
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
  }
}

/** Up to `limit` selected objects, and the key of the last where more keys follow, be they selected or not. */
export function take(registry: Registry, selected: Selected, start: Start): { items: Stored[]; next: string | undefined } {
  const items: Stored[] = []
  for (const chunk of chunks(registry, selected, start)) {
    for (const item of chunk.items) {
      if (items.length === start.limit) return { items, next: items.at(-1)?.key }
      if (selected.matches?.(item) ?? true) items.push(item)
    }
  }
  const last = items.at(-1)?.key
  const follows = items.length === start.limit && last !== undefined && keyFollows(registry, selected, start, last)
  return { items, next: follows ? last : undefined }
}

/** Whether the list has a key behind this one, be it selected or not. */
function keyFollows(registry: Registry, { prefix }: Selected, { resourceVersion }: Start, after: string): boolean {
  return registry.store.list({ prefix, after, limit: 1, resourceVersion }).items.length > 0
}

/** How a list goes on. */
export interface Continuation {
  readonly continue: string
  /** Unknown where not all objects are selected. */
  readonly remaining: number | undefined
}

/** What a list says of itself. */
export interface ListMetadata {
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

/** @param next the last key of the list where more keys follow */
export function continuationOf(
  registry: Registry,
  selected: Selected,
  start: Start,
  next: string | undefined,
): Continuation | undefined {
  if (next === undefined) return undefined
  const after = next.slice(selected.prefix.length)
  return {
    continue: encodeContinue({ resourceVersion: start.resourceVersion, after }),
    remaining:
      selected.matches === undefined ? registry.store.countAfter(selected.prefix, next, start.resourceVersion) : undefined,
  }
}

/** The metadata of a list, in the order in which Go encodes it. */
export function listMetadata(resourceVersion: number, more: Continuation | undefined): ListMetadata {
  return {
    resourceVersion: String(resourceVersion),
    ...(more !== undefined && { continue: more.continue }),
    ...(more?.remaining !== undefined && { remainingItemCount: more.remaining }),
  }
}
