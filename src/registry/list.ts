/** list: a consistent state of a collection, streamed page by page. */
import type { Kind } from '../catalog/kind.ts'
import type { ListOptions, Target } from '../clusters/operation.ts'
import { badRequest, expired } from '../meta/errors.ts'
import { readListResourceVersion } from '../meta/resource-version.ts'
import { decodeContinue, encodeContinue } from '../storage/continue-token.ts'
import type { Page, Stored } from '../storage/store.ts'
import type { Registry } from './registry.ts'
import { type Selected, select } from './selection.ts'
import { shownValue } from './stored-object.ts'
import { tooLargeResourceVersion } from './versions.ts'

/** Rows that are read, and answered, at once. */
const pageRows = 500

/** Where a list begins, and at which version. */
interface Start {
  readonly resourceVersion: number
  readonly after: string
}

function startOf(registry: Registry, selected: Selected, options: ListOptions): Start {
  const { store } = registry
  if (options.continue !== '') {
    if (readListResourceVersion(options.resourceVersion) !== 0n) {
      throw badRequest('specifying resource version is not allowed when using continue')
    }
    const token = decodeContinue(registry.continueSecret, options.continue)
    const resourceVersion = token.resourceVersion > 0 ? token.resourceVersion : store.resourceVersion
    if (resourceVersion < store.compactedResourceVersion) {
      throw expired(
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
      )
    }
    return { resourceVersion, after: selected.prefix + token.after }
  }
  const asked = Number(readListResourceVersion(options.resourceVersion))
  if (asked > store.resourceVersion) throw tooLargeResourceVersion(asked, store.resourceVersion)
  const exact =
    options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0 && asked > 0)
  return { resourceVersion: exact && asked > 0 ? asked : store.resourceVersion, after: '' }
}

function* chunks(registry: Registry, selected: Selected, start: Start): Generator<Page> {
  let after = start.after
  for (;;) {
    const page = registry.store.list({
      prefix: selected.prefix,
      after,
      limit: pageRows,
      resourceVersion: start.resourceVersion,
      marks: selected.marks,
    })
    yield page
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
  }
}

/** Up to `limit` selected objects, and the key of the last where more keys follow, be they selected or not. */
function take(
  registry: Registry,
  selected: Selected,
  start: Start,
  limit: number,
): { items: Stored[]; next: string | undefined } {
  const items: Stored[] = []
  for (const chunk of chunks(registry, selected, start)) {
    for (const item of chunk.items) {
      if (items.length === limit) return { items, next: items.at(-1)?.key }
      if (selected.matches?.(item) ?? true) items.push(item)
    }
  }
  const last = items.at(-1)?.key
  const follows = items.length === limit && last !== undefined && keyFollows(registry, selected, start, last)
  return { items, next: follows ? last : undefined }
}

/** Whether the list has a key behind this one, be it selected or not. */
function keyFollows(registry: Registry, { prefix }: Selected, { resourceVersion }: Start, after: string): boolean {
  return registry.store.list({ prefix, after, limit: 1, resourceVersion }).items.length > 0
}

const encoder = new TextEncoder()

function listHead(
  kind: Kind,
  resourceVersion: number,
  more: { readonly continue: string; readonly remaining: number | undefined } | undefined,
): string {
  const metadata = {
    resourceVersion: String(resourceVersion),
    ...(more !== undefined && { continue: more.continue }),
    ...(more?.remaining !== undefined && { remainingItemCount: more.remaining }),
  }
  const { listKind, apiVersion } = kind
  return `{"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`
}

/** A list of at most `limit` objects. What a token needs stands before the items, so they are read first. */
function limited(registry: Registry, kind: Kind, selected: Selected, start: Start, limit: number): string {
  const { items, next } = take(registry, selected, start, limit)
  const more =
    next === undefined
      ? undefined
      : {
          continue: encodeContinue(registry.continueSecret, {
            resourceVersion: start.resourceVersion,
            after: next.slice(selected.prefix.length),
          }),
          remaining: selected.matches === undefined ? registry.store.countAfter(selected.prefix, next) : undefined,
        }
  return `${listHead(kind, start.resourceVersion, more)}${items.map((i) => shownValue(kind, i.value)).join(',')}]}\n`
}

/** Pages as bytes, commas between the objects: one page in memory at a time. */
function* pages(registry: Registry, kind: Kind, selected: Selected, start: Start): Generator<Uint8Array> {
  yield encoder.encode(listHead(kind, start.resourceVersion, undefined))
  let separator = ''
  if (selected.matches === undefined && kind.conversion === undefined) {
    for (let after = start.after; ; ) {
      const page = registry.store.listJoined({
        prefix: selected.prefix,
        after,
        limit: pageRows,
        resourceVersion: start.resourceVersion,
      })
      if (page.count > 0 && separator !== '') yield encoder.encode(separator)
      if (page.count > 0) yield page.bytes
      if (!page.more) break
      separator = ','
      after = page.lastKey
    }
  } else {
    for (const page of chunks(registry, selected, start)) {
      const items = selected.matches === undefined ? page.items : page.items.filter(selected.matches)
      if (items.length === 0) continue
      yield encoder.encode(separator + items.map((i) => shownValue(kind, i.value)).join(','))
      separator = ','
    }
  }
  yield encoder.encode(']}\n')
}

/**
 * A stream that makes its next chunk when the reader has taken the last. A page is memory outside the heap, of which V8 lets
 * 64 MiB gather before it looks: it is given back by hand, when the chunk after it has been taken too and so it has been sent.
 */
function streamOf(source: Generator<Uint8Array>): ReadableStream<Uint8Array> {
  const handedOut: ArrayBuffer[] = []
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = source.next()
        if (next.done === true) {
          controller.close()
          return
        }
        controller.enqueue(next.value)
        if (next.value.buffer instanceof ArrayBuffer) handedOut.push(next.value.buffer)
        if (handedOut.length > 3) handedOut.shift()?.transfer(0)
      },
    },
    { highWaterMark: 1 },
  )
}

/**
 * @returns the list's JSON: text where it is limited, else a stream
 * @throws ApiError 400 for selectors and tokens, 410 for versions that are gone, 504 for ones that have not come
 */
export function list(registry: Registry, kind: Kind, target: Target, options: ListOptions): string | ReadableStream<Uint8Array> {
  const selected = select(kind, target, options)
  const start = startOf(registry, selected, options)
  if (selected.key !== undefined && start.resourceVersion === registry.store.resourceVersion) {
    const only = registry.store.get(selected.key)
    const items = only?.key.startsWith(selected.prefix) && (selected.matches?.(only) ?? true) ? shownValue(kind, only.value) : ''
    return `${listHead(kind, start.resourceVersion, undefined)}${items}]}\n`
  }
  if (options.limit > 0) return limited(registry, kind, selected, start, options.limit)
  return streamOf(pages(registry, kind, selected, start))
}
