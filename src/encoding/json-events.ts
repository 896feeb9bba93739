/** The events of a watch in JSON: one line for each. */
import type { Kind } from '../catalog/kind.ts'
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
import type { JsonView } from './json-view.ts'
import { jsonViewOf } from './kind-views.ts'

const encoder = new TextEncoder()
const heartbeat = encoder.encode('\n')

const line = (type: string, object: string): Uint8Array => encoder.encode(`{"type":"${type}","object":${object}}\n`)

const failure: EventEncoding['failure'] = (error) => line('ERROR', JSON.stringify(statusOf(error)))

function bookmarks(kinds: KindSource, kind: Kind, view: JsonView): BookmarkWriter {
  const end = view.initialEventsEnd ?? view
  return {
    name: writerName(kind, view),
    bookmark: (resourceVersion) => line('BOOKMARK', view.object(bookmarkValue(kinds, kind, resourceVersion))),
    initialEventsEnd: (resourceVersion) =>
      line('BOOKMARK', end.object(bookmarkValue(kinds, kind, resourceVersion, endAnnotations))),
    heartbeat: () => heartbeat,
    ...(view.following !== undefined && { following: bookmarks(kinds, kind, view.following) }),
  }
}

function writer(collection: EncodedCollection, kind: Kind, view: JsonView): EventWriter {
  const { following: _, ...shared } = bookmarks(collection, kind, view)
  return {
    ...shared,
    encode: (type, object) => line(type, view.object(kind.codec.valueOf(object))),
    ...waiting(kind, failure),
    ...(view.following !== undefined && { following: writer(collection, kind, view.following) }),
  }
}

/** The events of a watch in JSON. */
export const jsonEvents: EventEncoding = {
  writer: (collection, kind, view) => writer(collection, kind, jsonViewOf(kind, view, 'object', collection.now)),
  bookmarks: (kinds, kind, view) => bookmarks(kinds, kind, jsonViewOf(kind, view, 'object', kinds.now)),
  failure,
}
