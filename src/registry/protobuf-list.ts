/**
 * list in protobuf. How long the list is stands in front of it, so all of it is looked at before the first byte goes out:
 * by then most objects are known as they are written, and the others are written a second time when their turn comes.
 */
import type { Kind } from '../catalog/kind.ts'
import type { ListOptions, Representation, Target } from '../clusters/operation.ts'
import type { JsonObject } from '../meta/json-value.ts'
import { envelopeAround } from '../protobuf/envelope.ts'
import { encodedLength, setVarint, written } from '../protobuf/writer.ts'
import { joined } from '../storage/shared-event.ts'
import type { Stored, VersionPage } from '../storage/store.ts'
import { type Body, protobufBody } from './body.ts'
import { type EncodedObject, encodedObjectsOf, readEncoded, type Versions } from './encoded-objects.ts'
import { chunks, continuationOf, type Listing, type ListMetadata, listMetadata, startList, take } from './list-pages.ts'
import type { ProtobufForm } from './protobuf-form.ts'
import type { Registry } from './registry.ts'
import { protobufFormOf } from './representation.ts'

/** Objects that are looked at, and that are answered, at once. */
const pageObjects = 500

const encoder = new TextEncoder()

/** One list on its way. */
interface Reading {
  readonly registry: Registry
  readonly form: ProtobufForm
  readonly listing: Listing
  /** By which the objects are known that it uses. */
  readonly number: number
}

const encodedOf = ({ registry, form, number }: Reading, versions: Versions): readonly EncodedObject[] =>
  readEncoded(registry, form, versions, number)

/** The first objects behind a key, of a list that selects nothing: by their versions, which take no room, however many they are. */
function nextPage({ registry, listing }: Reading, after: string, limit: number): VersionPage {
  const { selected, start } = listing
  return registry.store.listVersions({ prefix: selected.prefix, after, limit, resourceVersion: start.resourceVersion })
}

async function* allPages(reading: Reading): AsyncGenerator<Versions> {
  const { registry, listing } = reading
  const { selected, start } = listing
  if (selected.matches !== undefined) {
    for await (const { items } of chunks(registry, selected, start)) {
      yield { resourceVersions: items.filter(selected.matches).map(({ resourceVersion }) => resourceVersion) }
    }
    return
  }
  for (let page = nextPage(reading, start.after, pageObjects); ; page = nextPage(reading, page.lastKey, pageObjects)) {
    yield page
    if (!page.more) return
  }
}

/** A page of at most as many objects as the client asked for, and how the list goes on. */
async function limitedPage(reading: Reading): Promise<{ readonly page: Versions; readonly next: string | undefined }> {
  const { registry, listing } = reading
  const { selected, start } = listing
  if (selected.matches === undefined) {
    const page = nextPage(reading, start.after, start.limit)
    return { page, next: page.more ? page.lastKey : undefined }
  }
  const { items, next } = await take(registry, selected, start)
  return { page: { resourceVersions: items.map(({ resourceVersion }) => resourceVersion) }, next }
}

const othersTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** What the list's objects are, and how many bytes they take in it. Others have their turn between the pages. */
async function measure(
  reading: Reading,
  pages: Iterable<Versions> | AsyncIterable<Versions>,
): Promise<{ readonly resourceVersions: readonly number[]; readonly length: number }> {
  const all: number[] = []
  let length = 0
  for await (const page of pages) {
    if (all.length > 0) await othersTurn()
    for (const resourceVersion of page.resourceVersions) all.push(resourceVersion)
    for (const { start, end } of encodedOf(reading, page)) length += 1 + encodedLength(end - start)
  }
  return { resourceVersions: all, length }
}

/** Objects as they stand in a list. */
function pageBytes(form: ProtobufForm, objects: readonly EncodedObject[]): Uint8Array {
  const page = new Uint8Array(objects.reduce((length, { start, end }) => length + 1 + encodedLength(end - start), 0))
  let at = 0
  for (const { bytes, start, end } of objects) {
    page[at++] = form.itemTag
    at = setVarint(page, at, end - start)
    page.set(bytes.subarray(start, end), at)
    at += end - start
  }
  return page
}

async function listBytes(
  reading: Reading,
  metadata: ListMetadata,
  pages: Iterable<Versions> | AsyncIterable<Versions>,
): Promise<Generator<Uint8Array>> {
  const { form } = reading
  const { resourceVersions, length } = await measure(reading, pages)
  const { before, behind } = form.frame(metadata as unknown as JsonObject)
  const { start, end } = envelopeAround(form.list, before.byteLength + length + behind.byteLength)
  return (function* () {
    yield joined([start, before])
    for (let from = 0; from < resourceVersions.length; from += pageObjects) {
      yield pageBytes(form, encodedOf(reading, { resourceVersions: resourceVersions.slice(from, from + pageObjects) }))
    }
    yield joined([behind, end])
  })()
}

/** Objects that a webhook has converted: of them, as of all custom resources, only metadata have a form in protobuf. */
async function convertedList(registry: Registry, form: ProtobufForm, { selected, start, only }: Listing): Promise<Body> {
  const encoded = ({ value }: Stored): EncodedObject => {
    const bytes = written((writer) => form.write(writer, encoder.encode(value), 0))
    return { bytes, start: 0, end: bytes.byteLength }
  }
  const objects: EncodedObject[] = (only ?? []).map(encoded)
  let next: string | undefined
  if (only === undefined && start.limit > 0) {
    const part = await take(registry, selected, start)
    objects.push(...part.items.map(encoded))
    next = part.next
  } else if (only === undefined) {
    for await (const { items } of chunks(registry, selected, start)) {
      for (const item of items) if (selected.matches?.(item) ?? true) objects.push(encoded(item))
    }
  }
  const metadata = listMetadata(start.resourceVersion, continuationOf(registry, selected, start, next))
  const { before, behind } = form.frame(metadata as unknown as JsonObject)
  const content = pageBytes(form, objects)
  const around = envelopeAround(form.list, before.byteLength + content.byteLength + behind.byteLength)
  return protobufBody([joined([around.start, before, content, behind, around.end])].values())
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
  const remote = kind.conversion?.remote
  const listing = await startList(registry, kind, target, options)
  const { selected, start, only } = listing
  if (remote !== undefined) return convertedList(registry, protobufFormOf(remote.shown, representation, 'list'), listing)
  const form = protobufFormOf(kind, representation, 'list')
  const reading: Reading = { registry, form, listing, number: encodedObjectsOf(registry).beginReading() }
  const whole = listMetadata(start.resourceVersion, undefined)
  if (only !== undefined) {
    const resourceVersions = only.map(({ resourceVersion }) => resourceVersion)
    return protobufBody(await listBytes(reading, whole, [{ resourceVersions }]))
  }
  if (start.limit === 0) return protobufBody(await listBytes(reading, whole, allPages(reading)))
  const { page, next } = await limitedPage(reading)
  const metadata = listMetadata(start.resourceVersion, continuationOf(registry, selected, start, next))
  return protobufBody(await listBytes(reading, metadata, [page]))
}
