/** list: a consistent state of a collection, streamed page by page. */
import type { Kind } from '../catalog/kind.ts'
import type { ListOptions, Representation, Target } from '../clusters/operation.ts'
import { type Body, streamBody, textBody } from './body.ts'
import { type Continuation, chunks, continuationOf, listMetadata, startList, take } from './list-pages.ts'
import type { Start } from './list-start.ts'
import type { Registry } from './registry.ts'
import { formOf } from './representation.ts'
import { type Form, itemsText, joinedItems, type ListFrame } from './representation-form.ts'
import type { Selected } from './selection.ts'

/** Rows that SQLite joins, and that are answered, at once. */
const pageRows = 500

const encoder = new TextEncoder()

/** What stands around the objects of a list. */
export function listFrame(form: Form, resourceVersion: number, more: Continuation | undefined): ListFrame {
  return form.list(listMetadata(resourceVersion, more))
}

/** A list of at most `limit` objects. What a token needs stands before the items, so they are read first. */
function limited(registry: Registry, form: Form, selected: Selected, start: Start): Body {
  const joined = joinedPage(registry, form, selected, start)
  if (joined !== undefined) return streamBody(joined)
  const { items, next } = take(registry, selected, start)
  const { head, end } = listFrame(form, start.resourceVersion, continuationOf(registry, selected, start, next))
  return textBody(`${head}${itemsText(form, items)}${end}\n`)
}

/** The same list as bytes, as far as objects go out as they are stored and one page of the store holds them; else undefined. */
function joinedPage(registry: Registry, form: Form, selected: Selected, start: Start): Iterator<Uint8Array> | undefined {
  const { after, limit, resourceVersion } = start
  const { item } = form
  if (selected.matches !== undefined || typeof item === 'function' || limit > pageRows) return undefined
  const page = registry.store.listJoined({ prefix: selected.prefix, after, limit, resourceVersion }, item.beginning)
  if (page.count === 0 || (page.more && page.count < limit)) return undefined
  const next = page.more ? page.lastKey : undefined
  const frame = listFrame(form, resourceVersion, continuationOf(registry, selected, start, next))
  // A stream gives a page back some chunks later: the end is cut small so that it does before it ends itself.
  const ends = [']', frame.end, '\n'].map((end) => encoder.encode(end))
  return [encoder.encode(`${frame.head}[`), page.bytes, ...ends].values()
}

/** Pages of objects as they stand in the list, without the commas between pages; none is empty. */
function* itemPages(registry: Registry, form: Form, selected: Selected, start: Start): Generator<Uint8Array> {
  const { item } = form
  if (selected.matches === undefined && typeof item !== 'function') {
    const { resourceVersion } = start
    for (let after = start.after; ; ) {
      const page = registry.store.listJoined({ prefix: selected.prefix, after, limit: pageRows, resourceVersion }, item.beginning)
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
  const { head, end } = listFrame(form, start.resourceVersion, undefined)
  yield encoder.encode(head)
  let before = '['
  for (const page of itemPages(registry, form, selected, start)) {
    yield encoder.encode(before)
    yield page
    before = ','
  }
  yield encoder.encode(`${before === '[' ? form.emptyList : ']'}${end}\n`)
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
  const { selected, start, only } = await startList(registry, kind, target, options)
  const form = formOf(kind, representation, 'list', registry.now)
  if (only !== undefined) {
    const { head, end } = listFrame(form, start.resourceVersion, undefined)
    return textBody(`${head}${itemsText(form, only)}${end}\n`)
  }
  if (start.limit > 0) return limited(registry, form, selected, start)
  return streamBody(pages(registry, form, selected, start))
}
