/** list: a consistent state of a collection, streamed page by page. */
import type { Kind } from '../catalog/kind.ts'
import type { ListOptions, Representation, Target } from '../clusters/operation.ts'
import { encodeContinue } from '../storage/continue-token.ts'
import type { Page, Stored } from '../storage/store.ts'
import { type Body, streamBody, textBody } from './body.ts'
import { type Start, startOf } from './list-start.ts'
import type { Registry } from './registry.ts'
import { formOf } from './representation.ts'
import { type Form, itemsText, joinedItems } from './representation-form.ts'
import { type Selected, select } from './selection.ts'

/** Rows that SQLite joins, and that are answered, at once. */
const pageRows = 500

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
interface Continuation {
  readonly continue: string
  /** Unknown where not all objects are selected. */
  readonly remaining: number | undefined
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

const encoder = new TextEncoder()

/** A list up to its objects. */
export function listHead(form: Form, resourceVersion: number, more: Continuation | undefined): string {
  return form.listHead(
    JSON.stringify({
      resourceVersion: String(resourceVersion),
      ...(more !== undefined && { continue: more.continue }),
      ...(more?.remaining !== undefined && { remainingItemCount: more.remaining }),
    }),
  )
}

/** A list of at most `limit` objects. What a token needs stands before the items, so they are read first. */
function limited(registry: Registry, form: Form, selected: Selected, start: Start): Body {
  const joined = joinedPage(registry, form, selected, start)
  if (joined !== undefined) return streamBody(joined)
  const { items, next } = take(registry, selected, start)
  const head = listHead(form, start.resourceVersion, continuationOf(registry, selected, start, next))
  return textBody(`${head}${itemsText(form, items)}}\n`)
}

/** The same list as bytes, as far as objects go out as they are stored and one page of the store holds them; else undefined. */
function joinedPage(registry: Registry, form: Form, selected: Selected, start: Start): Iterator<Uint8Array> | undefined {
  const { after, limit, resourceVersion } = start
  if (selected.matches !== undefined || form.item !== 'stored' || limit > pageRows) return undefined
  const page = registry.store.listJoined({ prefix: selected.prefix, after, limit, resourceVersion })
  if (page.count === 0 || (page.more && page.count < limit)) return undefined
  const next = page.more ? page.lastKey : undefined
  const head = `${listHead(form, resourceVersion, continuationOf(registry, selected, start, next))}[`
  // A stream gives a page back some chunks later: the end is cut small so that it does before it ends itself.
  return [encoder.encode(head), page.bytes, ...[']', '}', '\n'].map((end) => encoder.encode(end))].values()
}

/** Pages of objects as they stand in the list, without the commas between pages; none is empty. */
function* itemPages(registry: Registry, form: Form, selected: Selected, start: Start): Generator<Uint8Array> {
  const { item } = form
  if (selected.matches === undefined && item === 'stored') {
    for (let after = start.after; ; ) {
      const page = registry.store.listJoined({
        prefix: selected.prefix,
        after,
        limit: pageRows,
        resourceVersion: start.resourceVersion,
      })
      if (page.count > 0) yield page.bytes
      if (!page.more) return
      after = page.lastKey
    }
  }
  for (const page of chunks(registry, selected, start)) {
    const items = selected.matches === undefined ? page.items : page.items.filter(selected.matches)
    if (items.length > 0) yield encoder.encode(joinedItems(form, items))
  }
}

/** Pages as bytes, commas between the objects: one page in memory at a time. */
function* pages(registry: Registry, form: Form, selected: Selected, start: Start): Generator<Uint8Array> {
  yield encoder.encode(listHead(form, start.resourceVersion, undefined))
  let before = '['
  for (const page of itemPages(registry, form, selected, start)) {
    yield encoder.encode(before)
    yield page
    before = ','
  }
  yield encoder.encode(before === '[' ? `${form.emptyList}}\n` : ']}\n')
}

/**
 * @returns the list's JSON: text where it is limited, else a stream
 * @throws ApiError 400 for selectors, tokens and options of a Table, 406 for a form that lists do not have, 410 for versions
 *   that are gone, 504 for ones that have not come
 */
export async function list(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  representation: Representation | undefined,
): Promise<Body> {
  const selected = select(kind, target, options)
  const start = await startOf(registry.store, selected, options)
  const form = formOf(kind, representation, 'list', registry.now)
  if (selected.key !== undefined && options.continue === '' && start.resourceVersion === registry.store.resourceVersion) {
    const only = registry.store.get(selected.key)
    const items = only?.key.startsWith(selected.prefix) && (selected.matches?.(only) ?? true) ? [only] : []
    return textBody(`${listHead(form, start.resourceVersion, undefined)}${itemsText(form, items)}}\n`)
  }
  if (start.limit > 0) return limited(registry, form, selected, start)
  return streamBody(pages(registry, form, selected, start))
}
