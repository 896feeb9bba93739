/** Encodes the watch events of a kind for one representation. */
import type { Kind } from '../../catalog/kind.ts'
import { messages } from '../../catalog/protobuf-messages.ts'
import { type ProtobufMediaType, protobufMediaType, type ResponseFormat } from '../../clusters/operation.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { writeEnvelope } from '../../protobuf/envelope.ts'
import { frameLength, writeWatchEvent } from '../../protobuf/watch-event.ts'
import { encodeMessage, type Writer } from '../../protobuf/writer.ts'
import type { EventEncoder } from '../../storage/store.ts'
import type { Registry } from '../registry.ts'
import { encodedObjectsOf } from './encoded-objects.ts'
import type { Form } from './json.ts'
import type { ProtobufForm } from './protobuf.ts'
import { formOf, protobufFormOf } from './representation.ts'

/** The WebSocket message of an event: a line of text, or bytes. */
export type SocketMessage = string | Uint8Array

/** An encoder that also writes the bookmark after the initial events, and WebSocket messages. */
export interface FormEncoder extends EventEncoder {
  readonly following?: FormEncoder
  /** Returns the bookmark that ends the initial events of a streaming list (`sendInitialEvents`). */
  initialEventsEnd(resourceVersion: number): Uint8Array
  /** Converts an event of this encoder to a WebSocket message, which needs no frame. */
  message(event: Uint8Array): SocketMessage
}

const bytes = new TextEncoder()
const text = new TextDecoder()
const heartbeat = bytes.encode('\n')
const endAnnotations = { 'k8s.io/initial-events-end': 'true' }

/** Returns the object of a bookmark: Go's zero value of the kind with a resourceVersion, and annotations if given. */
function bookmarkValue(registry: Registry, kind: Kind, resourceVersion: number, annotations?: Record<string, string>): string {
  const { group, version, resource } = kind.storage
  const storageKind = registry.kindOf(group, version, resource) ?? kind
  const zero = storageKind.codec.zero() as unknown as KubernetesObject
  const object = { ...zero, metadata: annotations === undefined ? {} : { annotations } }
  return kind.codec.encode(object, String(resourceVersion))
}

const jsonLine = (type: string, object: string): Uint8Array => bytes.encode(`{"type":"${type}","object":${object}}\n`)

const nameOf = (kind: Kind, form: { readonly name: string }): string => `${kind.apiVersion}/${kind.resource} ${form.name}`

/** Returns the additional methods of an encoder whose objects are converted by a webhook. */
function waiting(kind: Kind, mediaType: ProtobufMediaType | undefined): Pick<FormEncoder, 'prepare' | 'failure'> {
  const remote = kind.conversion?.remote
  if (remote === undefined) return {}
  return {
    prepare: (objects) => remote.require(objects.map((object) => kind.codec.valueOf(object))),
    failure: (error) => (error instanceof ApiError ? errorEvent(error, mediaType) : undefined),
  }
}

function jsonEncoder(registry: Registry, kind: Kind, form: Form): FormEncoder {
  const endForm = form.initialEventsEnd ?? form
  return {
    name: nameOf(kind, form),
    encode: (type, object) => jsonLine(type, form.object(kind.codec.valueOf(object))),
    bookmark: (resourceVersion) => jsonLine('BOOKMARK', form.object(bookmarkValue(registry, kind, resourceVersion))),
    initialEventsEnd: (resourceVersion) =>
      jsonLine('BOOKMARK', endForm.object(bookmarkValue(registry, kind, resourceVersion, endAnnotations))),
    heartbeat: () => heartbeat,
    message: (event) => socketMessage(event, undefined),
    ...waiting(kind, undefined),
    ...(form.following !== undefined && { following: jsonEncoder(registry, kind, form.following) }),
  }
}

function protobufEncoder(registry: Registry, kind: Kind, form: ProtobufForm): FormEncoder {
  const event = (type: string, write: (writer: Writer) => void): Uint8Array =>
    encodeMessage((writer) => writeWatchEvent(writer, type, () => writeEnvelope(writer, form.object, () => write(writer))))
  const bookmark = (resourceVersion: number, annotations?: Record<string, string>): Uint8Array =>
    event('BOOKMARK', (writer) =>
      form.write(writer, bytes.encode(bookmarkValue(registry, kind, resourceVersion, annotations)), 0),
    )
  const encode: FormEncoder['encode'] = (type, object) => {
    // A DELETED event, also of an object that no longer matches the selectors, has the old state with the resourceVersion of the
    // event, which identifies another state in the cache.
    if (type === 'DELETED') return event(type, (writer) => form.write(writer, bytes.encode(kind.codec.valueOf(object)), 0))
    const { bytes: message, start, end } = encodedObjectsOf(registry).of(form, object)
    return event(type, (writer) => writer.writeBytes(message.subarray(start, end)))
  }
  return {
    name: nameOf(kind, form),
    encode,
    bookmark: (resourceVersion) => bookmark(resourceVersion),
    initialEventsEnd: (resourceVersion) => bookmark(resourceVersion, endAnnotations),
    // A heartbeat is impossible: the client decodes every frame as an event.
    heartbeat: () => undefined,
    message: (framed) => socketMessage(framed, protobufMediaType),
    ...waiting(kind, protobufMediaType),
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

/** Converts an event of an encoder, or of `errorEvent`, to a WebSocket message. */
export function socketMessage(event: Uint8Array, mediaType: ProtobufMediaType | undefined): SocketMessage {
  return mediaType === undefined ? text.decode(event) : event.subarray(frameLength)
}
