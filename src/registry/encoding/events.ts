/** Encodes the watch events of a kind for one representation. */
import type { Kind } from '../../catalog/kind.ts'
import { messages } from '../../catalog/protobuf-messages.ts'
import { type ProtobufMediaType, protobufMediaType, type ResponseFormat } from '../../clusters/operation.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { writeEnvelope } from '../../protobuf/envelope.ts'
import { writeWatchEvent } from '../../protobuf/watch-event.ts'
import { encodeMessage, type Writer } from '../../protobuf/writer.ts'
import type { EventEncoder } from '../../storage/store.ts'
import type { Registry } from '../registry.ts'
import { encodedObjectsOf } from './encoded-objects.ts'
import type { Form } from './json.ts'
import type { ProtobufForm } from './protobuf.ts'
import { formOf, protobufFormOf } from './representation.ts'

/** The parts of a registry that bookmarks need. */
export type KindSource = Pick<Registry, 'kindOf' | 'now'>

/** An encoder of the messages of a watch that are not events of objects. */
export interface BookmarkEncoder extends Pick<EventEncoder, 'name' | 'bookmark' | 'heartbeat'> {
  readonly following?: BookmarkEncoder
  /** Returns the bookmark that ends the initial events of a streaming list (`sendInitialEvents`). */
  initialEventsEnd(resourceVersion: number): Uint8Array
}

/** An encoder that also writes the bookmark after the initial events. */
export interface FormEncoder extends EventEncoder, BookmarkEncoder {
  readonly following?: FormEncoder
}

const bytes = new TextEncoder()
const heartbeat = bytes.encode('\n')
const endAnnotations = { 'k8s.io/initial-events-end': 'true' }

/** Returns the object of a bookmark: Go's zero value of the kind with a resourceVersion, and annotations if given. */
function bookmarkValue(kinds: KindSource, kind: Kind, resourceVersion: number, annotations?: Record<string, string>): string {
  const { group, version, resource } = kind.storage
  const storageKind = kinds.kindOf(group, version, resource) ?? kind
  const zero = storageKind.codec.zero() as unknown as KubernetesObject
  const object = { ...zero, metadata: annotations === undefined ? {} : { annotations } }
  return kind.codec.encode(object, String(resourceVersion))
}

const jsonLine = (type: string, object: string): Uint8Array => bytes.encode(`{"type":"${type}","object":${object}}\n`)

const nameOf = ({ apiVersion, resource, older }: Kind, form: { readonly name: string }): string =>
  `${apiVersion}/${resource} ${older?.release ?? ''} ${form.name}`

/** Returns the additional methods of an encoder whose objects are converted by a webhook. */
function waiting(kind: Kind, mediaType: ProtobufMediaType | undefined): Pick<FormEncoder, 'prepare' | 'failure'> {
  const remote = kind.conversion?.remote
  if (remote === undefined) return {}
  return {
    prepare: (objects) => remote.require(objects.map((object) => kind.codec.valueOf(object))),
    failure: (error) => (error instanceof ApiError ? errorEvent(error, mediaType) : undefined),
  }
}

type Bookmarks = Omit<BookmarkEncoder, 'following'>

function jsonBookmarks(kinds: KindSource, kind: Kind, form: Form): Bookmarks {
  const endForm = form.initialEventsEnd ?? form
  return {
    name: nameOf(kind, form),
    bookmark: (resourceVersion) => jsonLine('BOOKMARK', form.object(bookmarkValue(kinds, kind, resourceVersion))),
    initialEventsEnd: (resourceVersion) =>
      jsonLine('BOOKMARK', endForm.object(bookmarkValue(kinds, kind, resourceVersion, endAnnotations))),
    heartbeat: () => heartbeat,
  }
}

function jsonEncoder(registry: Registry, kind: Kind, form: Form): FormEncoder {
  return {
    ...jsonBookmarks(registry, kind, form),
    encode: (type, object) => jsonLine(type, form.object(kind.codec.valueOf(object))),
    ...waiting(kind, undefined),
    ...(form.following !== undefined && { following: jsonEncoder(registry, kind, form.following) }),
  }
}

/** Encodes an event whose object `write` writes. */
const protobufEvent = (form: ProtobufForm, type: string, write: (writer: Writer) => void): Uint8Array =>
  encodeMessage((writer) => writeWatchEvent(writer, type, () => writeEnvelope(writer, form.object, () => write(writer))))

function protobufBookmarks(kinds: KindSource, kind: Kind, form: ProtobufForm): Bookmarks {
  const bookmark = (resourceVersion: number, annotations?: Record<string, string>): Uint8Array =>
    protobufEvent(form, 'BOOKMARK', (writer) =>
      form.write(writer, bytes.encode(bookmarkValue(kinds, kind, resourceVersion, annotations)), 0),
    )
  return {
    name: nameOf(kind, form),
    bookmark: (resourceVersion) => bookmark(resourceVersion),
    initialEventsEnd: (resourceVersion) => bookmark(resourceVersion, endAnnotations),
    // A heartbeat is impossible: the client decodes every frame as an event.
    heartbeat: () => undefined,
  }
}

function protobufEncoder(registry: Registry, kind: Kind, form: ProtobufForm): FormEncoder {
  const encode: FormEncoder['encode'] = (type, object) => {
    // A DELETED event, also of an object that no longer matches the selectors, has the old state with the resourceVersion of the
    // event, which identifies another state in the cache.
    if (type === 'DELETED')
      return protobufEvent(form, type, (writer) => form.write(writer, bytes.encode(kind.codec.valueOf(object)), 0))
    const { bytes: message, start, end } = encodedObjectsOf(registry).of(form, object)
    return protobufEvent(form, type, (writer) => writer.writeBytes(message.subarray(start, end)))
  }
  return { ...protobufBookmarks(registry, kind, form), encode, ...waiting(kind, protobufMediaType) }
}

/**
 * Returns the encoder of bookmarks and heartbeats.
 * @throws ApiError 400 for invalid Table options, 406 for representations that events do not have
 */
export function bookmarksOf(kinds: KindSource, kind: Kind, { mediaType, representation }: ResponseFormat): BookmarkEncoder {
  if (mediaType !== undefined) return protobufBookmarks(kinds, kind, protobufFormOf(kind, representation, 'object'))
  const form = formOf(kind, representation, 'object', kinds.now)
  const { following } = form
  return {
    ...jsonBookmarks(kinds, kind, form),
    ...(following !== undefined && { following: jsonBookmarks(kinds, kind, following) }),
  }
}

function makeEncoder(registry: Registry, kind: Kind, { mediaType, representation }: ResponseFormat): FormEncoder {
  return mediaType === undefined
    ? jsonEncoder(registry, kind, formOf(kind, representation, 'object', registry.now))
    : protobufEncoder(registry, kind, protobufFormOf(kind, representation, 'object'))
}

const encoders = new WeakMap<Registry, WeakMap<Kind, Map<string, FormEncoder>>>()

/**
 * Returns the encoder of a kind and representation, shared by all watchers.
 * @throws ApiError 400 for invalid Table options, 406 for representations that events do not have
 */
export function encoderOf(registry: Registry, kind: Kind, format: ResponseFormat): FormEncoder {
  let ofRegistry = encoders.get(registry)
  if (ofRegistry === undefined) {
    ofRegistry = new WeakMap()
    encoders.set(registry, ofRegistry)
  }
  let ofKind = ofRegistry.get(kind)
  if (ofKind === undefined) {
    ofKind = new Map()
    ofRegistry.set(kind, ofKind)
  }
  const made = makeEncoder(registry, kind, format)
  const known = ofKind.get(made.name)
  if (known !== undefined) return known
  ofKind.set(made.name, made)
  return made
}

/** Returns the ERROR event with the Status that ends a watch. */
export function errorEvent(error: ApiError, mediaType: ProtobufMediaType | undefined): Uint8Array {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: error.message,
    reason: error.reason,
    ...(error.details !== undefined && { details: error.details }),
    code: error.code,
  }
  if (mediaType === undefined) return jsonLine('ERROR', JSON.stringify(status))
  return encodeMessage((writer) =>
    writeWatchEvent(writer, 'ERROR', () =>
      writeEnvelope(writer, status, () => messages.write('meta/v1.Status', writer, status as unknown as JsonObject)),
    ),
  )
}
