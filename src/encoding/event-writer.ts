/** Writers of the watch events of a kind in one view. */
import type { Kind } from '../catalog/kind.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { EventEncoder, Store } from '../storage/store.ts'
import type { View } from './view.ts'

/** The parts of a collection that bookmarks need. */
export interface KindSource {
  /** Returns the kind of a resource in a version; undefined if it does not exist. */
  readonly kindOf: (group: string, version: string, resource: string) => Kind | undefined
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
}

/** The parts of a collection that encodings read. */
export interface EncodedCollection extends KindSource {
  readonly store: Store
}

/** A writer of the messages of a watch that are not events of objects. */
export interface BookmarkWriter extends Pick<EventEncoder, 'name' | 'bookmark' | 'heartbeat'> {
  readonly following?: BookmarkWriter
  /** Returns the bookmark that ends the initial events of a streaming list (`sendInitialEvents`). */
  initialEventsEnd(resourceVersion: number): Uint8Array
}

/** A writer of the events of objects and of bookmarks. */
export interface EventWriter extends EventEncoder, BookmarkWriter {
  readonly following?: EventWriter
}

/** The watch events of one encoding. */
export interface EventEncoding {
  /**
   * Returns the writer of a kind's events.
   * @throws ApiError 400 for invalid Table options, 406 for views that events do not have
   */
  readonly writer: (collection: EncodedCollection, kind: Kind, view: View | undefined) => EventWriter
  /** Returns the writer of bookmarks and heartbeats. @throws ApiError as `writer` does */
  readonly bookmarks: (kinds: KindSource, kind: Kind, view: View | undefined) => BookmarkWriter
  /** Returns the ERROR event with the Status that ends a watch. */
  readonly failure: (error: ApiError) => Uint8Array
}

/** The annotations of the bookmark after the initial events. */
export const endAnnotations = { 'k8s.io/initial-events-end': 'true' }

/** Returns the object of a bookmark: Go's zero value of the kind with a resourceVersion, and annotations if given. */
export function bookmarkValue(
  kinds: KindSource,
  kind: Kind,
  resourceVersion: number,
  annotations?: Record<string, string>,
): string {
  const { group, version, resource } = kind.storage
  const storageKind = kinds.kindOf(group, version, resource) ?? kind
  const zero = storageKind.codec.zero() as unknown as KubernetesObject
  const object = { ...zero, metadata: annotations === undefined ? {} : { annotations } }
  return kind.codec.encode(object, String(resourceVersion))
}

/** Returns the name of a writer: equal names mean equal bytes. */
export const writerName = ({ apiVersion, resource, older }: Kind, view: { readonly name: string }): string =>
  `${apiVersion}/${resource} ${older?.release ?? ''} ${view.name}`

/** Returns the additional methods of a writer whose objects are converted by a webhook. */
export function waiting(kind: Kind, failure: EventEncoding['failure']): Pick<EventWriter, 'prepare' | 'failure'> {
  const remote = kind.conversion?.remote
  if (remote === undefined) return {}
  return {
    prepare: (objects) => remote.require(objects.map((object) => kind.codec.valueOf(object))),
    failure: (error) => (error instanceof ApiError ? failure(error) : undefined),
  }
}

/** Returns the Status of an error that ends a watch. */
export const statusOf = (error: ApiError): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: error.message,
  reason: error.reason,
  ...(error.details !== undefined && { details: error.details }),
  code: error.code,
})
