/**
 * list in protobuf. How long the list is stands in front of it: all of it is written before the first byte goes out, and what
 * does not fit in memory is written a second time, when its turn comes.
 */
import type { Kind } from '../catalog/kind.ts'
import type { ListOptions, Representation, Target } from '../clusters/operation.ts'
import type { JsonObject } from '../meta/json-value.ts'
import { envelopeAround } from '../protobuf/envelope.ts'
import { written } from '../protobuf/writer.ts'
import { joined } from '../storage/shared-event.ts'
import type { Stored } from '../storage/store.ts'
import { type Body, protobufBody } from './body.ts'
import { chunks, continuationOf, type Listing, type ListMetadata, listMetadata, startList, take } from './list-pages.ts'
import type { ProtobufForm } from './protobuf-form.ts'
import type { Registry } from './registry.ts'
import { protobufFormOf } from './representation.ts'

/** So many bytes of a list are kept between the first writing and the last. */
const keptBytes = 24 * 1024 * 1024
/** After so many pages others have their turn. */
const pagesAtOnce = 10

type Items = readonly Stored[]

/** Objects as they stand in a list. */
function pageBytes(form: ProtobufForm, items: Items): Uint8Array {
  return written((writer) => {
    for (let index = items.length - 1; index >= 0; index--) form.writeItem(writer, (items[index] as Stored).value)
  })
}

/** The pages of a list behind a key, selected; none is empty. */
function* selectedPages(registry: Registry, { selected, start }: Listing, after: string): Generator<Items> {
  for (const { items } of chunks(registry, selected, { ...start, after })) {
    const wanted = selected.matches === undefined ? items : items.filter(selected.matches)
    if (wanted.length > 0) yield wanted
  }
}

/** A list that is written as far as it fits. */
interface Measured {
  readonly kept: readonly Uint8Array[]
  /** The key behind which the rest begins; undefined where all is kept. */
  readonly after: string | undefined
  /** Of all objects together. */
  readonly length: number
}

const othersTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** @param before the key behind which the pages begin */
async function measure(form: ProtobufForm, pages: Iterable<Items>, before: string): Promise<Measured> {
  const kept: Uint8Array[] = []
  let after: string | undefined
  let last = before
  let length = 0
  let count = 0
  for (const items of pages) {
    const bytes = pageBytes(form, items)
    length += bytes.byteLength
    if (length <= keptBytes) kept.push(bytes)
    else after ??= last
    last = items.at(-1)?.key ?? last
    if (++count % pagesAtOnce === 0) await othersTurn()
  }
  return { kept, after, length }
}

/** The bytes of a list: its objects are `length` bytes. */
function* listBytes(
  form: ProtobufForm,
  metadata: ListMetadata,
  length: number,
  objects: Iterable<Uint8Array>,
): Generator<Uint8Array> {
  const { before, behind } = form.frame(metadata as unknown as JsonObject)
  const { start, end } = envelopeAround(form.list, before.byteLength + length + behind.byteLength)
  yield joined([start, before])
  yield* objects
  yield joined([behind, end])
}

function whole(form: ProtobufForm, metadata: ListMetadata, items: Items): Body {
  const bytes = pageBytes(form, items)
  return protobufBody(listBytes(form, metadata, bytes.byteLength, [bytes]))
}

/**
 * @returns the list's bytes
 * @throws ApiError as list does
 */
export async function protobufList(
  registry: Registry,
  kind: Kind,
  target: Target,
  options: ListOptions,
  representation: Representation | undefined,
): Promise<Body> {
  const listing = await startList(registry, kind, target, options)
  const { selected, start, only } = listing
  const form = protobufFormOf(kind, representation, 'list')
  if (only !== undefined) return whole(form, listMetadata(start.resourceVersion, undefined), only)
  if (start.limit > 0) {
    const { items, next } = take(registry, selected, start)
    return whole(form, listMetadata(start.resourceVersion, continuationOf(registry, selected, start, next)), items)
  }
  const { kept, after, length } = await measure(form, selectedPages(registry, listing, start.after), start.after)
  const objects = function* (): Generator<Uint8Array> {
    yield* kept
    if (after === undefined) return
    for (const items of selectedPages(registry, listing, after)) yield pageBytes(form, items)
  }
  return protobufBody(listBytes(form, listMetadata(start.resourceVersion, undefined), length, objects()))
}
