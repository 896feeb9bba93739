/** The table of encodings, with the place where each of them runs. */
import type { Kind } from '../catalog/kind.ts'
import { parseJson } from '../go/json.ts'
import type { Store } from '../storage/store.ts'
import { renderYaml } from '../yaml/write.ts'
import type { AnswerFields } from './answer-fields.ts'
import { bytesBody, chunkedBody } from './body.ts'
import { cborEvents, renderCbor } from './cbor.ts'
import { cborListChunks } from './cbor-list.ts'
import type { Encoding, ObjectEncoding } from './encoding.ts'
import type { BookmarkWriter, EncodedCollection, EventWriter, KindSource } from './event-writer.ts'
import { indentedChunks } from './indent.ts'
import { renderJson } from './json.ts'
import { jsonEvents } from './json-events.ts'
import { jsonListWriter } from './json-list.ts'
import type { ListWriter, WrittenList } from './list-writer.ts'
import { cborMediaType, cborSequence, type ProtobufMediaType, protobufMediaType } from './media-type.ts'
import { protobufOfText, renderProtobuf } from './protobuf.ts'
import { protobufEvents } from './protobuf-events.ts'
import { protobufListWriter } from './protobuf-list.ts'
import { yamlChunks, yamlListChunks } from './yaml.ts'

const jsonBesideData: ObjectEncoding = { events: jsonEvents, list: (list) => jsonListWriter(list) }
const protobufBesideData: ObjectEncoding = { events: protobufEvents, list: protobufListWriter }

/** Objects are stored as the JSON that is sent: SQLite joins a list, and nothing is parsed (docs/decisions/stored-text.md). */
const json: Encoding = {
  name: 'json',
  mediaType: 'application/json',
  stream: 'application/json',
  value: (value) => renderJson(value, false),
  at: { object: jsonBesideData },
}

/** Only people ask for it, so the collection's Durable Object, of which there is one, spends no time on it. */
const indentedJson: Encoding = {
  name: 'indented json',
  mediaType: 'application/json',
  stream: 'application/json',
  value: (value) => renderJson(value, true),
  at: {
    object: jsonBesideData,
    worker: {
      holds: 'bytes',
      object: async ({ chunks }) => chunkedBody(indentedChunks(chunks())),
      list: async ({ chunks }) => chunkedBody(indentedChunks(chunks())),
    },
  },
}

/**
 * Lists and events are written beside the data, because there the encoding of an object is shared: a repeated list reads no values.
 * Single objects are written in the Worker, of which there may be many (docs/decisions/protobuf-beside-the-data.md).
 */
const protobuf: Encoding = {
  name: 'protobuf',
  mediaType: protobufMediaType,
  stream: `${protobufMediaType};stream=watch`,
  value: renderProtobuf,
  at: {
    object: protobufBesideData,
    worker: {
      holds: 'texts',
      object: async ({ text }) => bytesBody(protobufOfText(await text())),
      // The deleted objects of a deletecollection.
      list: async ({ text }) => bytesBody(protobufOfText(await text())),
    },
  },
}

/** Behind a feature gate that is off by default: nothing of it is kept, and nothing has been measured beside the data. */
const cbor: Encoding = {
  name: 'cbor',
  mediaType: cborMediaType,
  stream: cborSequence,
  value: renderCbor,
  at: {
    worker: {
      holds: 'texts',
      object: async ({ text }) => bytesBody(renderCbor(parseJson(await text()))),
      list: async ({ chunks }) => chunkedBody(cborListChunks(chunks())),
      events: cborEvents,
    },
  },
}

/** For people: a list takes 15 times the processor time of JSON, which is spent in the Worker, in slices and object by object. */
const yaml: Encoding = {
  name: 'yaml',
  mediaType: 'application/yaml',
  value: renderYaml,
  at: {
    worker: {
      holds: 'texts',
      object: async ({ text }) => chunkedBody(yamlChunks(await text())),
      list: async ({ chunks }) => chunkedBody(yamlListChunks(chunks())),
    },
  },
}

/** The encodings. */
export const encodings = { json, indentedJson, protobuf, cbor, yaml } as const

/** Returns the part of an encoding that a collection runs. */
const besideData = (mediaType: ProtobufMediaType | undefined): ObjectEncoding =>
  mediaType === undefined ? jsonBesideData : protobufBesideData

/** Returns the writer of a list in the encoding that a collection writes. @throws ApiError as `ObjectEncoding.list` does */
export const listWriterOf = (list: WrittenList, mediaType: ProtobufMediaType | undefined): ListWriter =>
  besideData(mediaType).list(list)

/** Returns the ERROR event with the Status that ends a watch. */
export const errorEvent = (
  error: Parameters<ObjectEncoding['events']['failure']>[0],
  mediaType: ProtobufMediaType | undefined,
): Uint8Array => besideData(mediaType).events.failure(error)

/**
 * Returns the writer of bookmarks and heartbeats.
 * @throws ApiError 400 for invalid Table options, 406 for views that events do not have
 */
export const bookmarksOf = (kinds: KindSource, kind: Kind, { mediaType, representation }: AnswerFields): BookmarkWriter =>
  besideData(mediaType).events.bookmarks(kinds, kind, representation)

/** By the store: operations have copies of the collection, and all watches of a store share the bytes of an event. */
const writers = new WeakMap<Store, WeakMap<Kind, Map<string, EventWriter>>>()

/**
 * Returns the writer of a kind's events in a view, shared by all watchers.
 * @throws ApiError 400 for invalid Table options, 406 for views that events do not have
 */
export function eventWriterOf(
  collection: EncodedCollection,
  kind: Kind,
  { mediaType, representation }: AnswerFields,
): EventWriter {
  const ofStore = writers.get(collection.store) ?? new WeakMap<Kind, Map<string, EventWriter>>()
  writers.set(collection.store, ofStore)
  const ofKind = ofStore.get(kind) ?? new Map<string, EventWriter>()
  ofStore.set(kind, ofKind)
  const writer = besideData(mediaType).events.writer(collection, kind, representation)
  const shared = ofKind.get(writer.name)
  if (shared !== undefined) return shared
  ofKind.set(writer.name, writer)
  return writer
}
