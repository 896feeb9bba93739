/** The events of a watch in protobuf: one frame for each. */
import type { Kind } from '../catalog/kind.ts'
import { messages } from '../catalog/protobuf-messages.ts'
import type { JsonObject } from '../go/json-value.ts'
import { writeEnvelope } from '../protobuf/envelope.ts'
import { writeWatchEvent } from '../protobuf/watch-event.ts'
import { encodeMessage, type Writer } from '../protobuf/writer.ts'
import { encodedObjectsOf } from './encoded-objects.ts'
import {
  type BookmarkWriter,
  bookmarkValue,
  type EncodedCollection,
  type EventEncoding,
  type EventWriter,
  endAnnotations,
  type KindSource,
  statusOf,
  waiting,
  writerName,
} from './event-writer.ts'
import { protobufViewOf } from './kind-views.ts'
import type { ProtobufView } from './protobuf-view.ts'

const encoder = new TextEncoder()

/** Writes an event whose object `write` writes. */
const event = (view: ProtobufView, type: string, write: (writer: Writer) => void): Uint8Array =>
  encodeMessage((writer) => writeWatchEvent(writer, type, () => writeEnvelope(writer, view.object, () => write(writer))))

const failure: EventEncoding['failure'] = (error) => {
  const status = statusOf(error) as JsonObject & { readonly apiVersion: string; readonly kind: string }
  return encodeMessage((writer) =>
    writeWatchEvent(writer, 'ERROR', () => writeEnvelope(writer, status, () => messages.write('meta/v1.Status', writer, status))),
  )
}

function bookmarks(kinds: KindSource, kind: Kind, view: ProtobufView): BookmarkWriter {
  const bookmark = (resourceVersion: number, annotations?: Record<string, string>): Uint8Array =>
    event(view, 'BOOKMARK', (writer) =>
      view.write(writer, encoder.encode(bookmarkValue(kinds, kind, resourceVersion, annotations)), 0),
    )
  return {
    name: writerName(kind, view),
    bookmark: (resourceVersion) => bookmark(resourceVersion),
    initialEventsEnd: (resourceVersion) => bookmark(resourceVersion, endAnnotations),
    // A heartbeat is impossible: the client decodes every frame as an event.
    heartbeat: () => undefined,
  }
}

function writer(collection: EncodedCollection, kind: Kind, view: ProtobufView): EventWriter {
  const encode: EventWriter['encode'] = (type, object) => {
    // A DELETED event, also of an object that no longer matches the selectors, has the old state with the resourceVersion of the
    // event, which identifies another state in the cache.
    if (type === 'DELETED')
      return event(view, type, (message) => view.write(message, encoder.encode(kind.codec.valueOf(object)), 0))
    const { bytes, start, end } = encodedObjectsOf(collection.store).of(view, object)
    return event(view, type, (message) => message.writeBytes(bytes.subarray(start, end)))
  }
  const { following: _, ...shared } = bookmarks(collection, kind, view)
  return { ...shared, encode, ...waiting(kind, failure) }
}

/** The events of a watch in protobuf. */
export const protobufEvents: EventEncoding = {
  writer: (collection, kind, view) => writer(collection, kind, protobufViewOf(kind, view, 'object')),
  bookmarks: (kinds, kind, view) => bookmarks(kinds, kind, protobufViewOf(kind, view, 'object')),
  failure,
}
