/** How events of a kind are written for the watchers of one form. */
import type { Kind } from '../../catalog/kind.ts'
import { messages } from '../../catalog/protobuf-messages.ts'
import { type ProtobufMediaType, protobufMediaType, type ResponseFormat } from '../../clusters/operation.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { writeEnvelope } from '../../protobuf/envelope.ts'
import { frameLength, writeWatchEvent } from '../../protobuf/watch-event.ts'
import { type Writer, written } from '../../protobuf/writer.ts'
import type { EventEncoder } from '../../storage/store.ts'
import type { Registry } from '../registry.ts'
import { encodedObjectsOf } from './encoded-objects.ts'
import type { Form } from './json.ts'
import type { ProtobufForm } from './protobuf.ts'
import { formOf, protobufFormOf } from './representation.ts'

/** What a WebSocket sends of an event: a line of text, or bytes. */
export type SocketMessage = string | Uint8Array

/** An encoder that also writes the bookmark behind the initial events, and for WebSockets. */
export interface FormEncoder extends EventEncoder {
  readonly following?: FormEncoder
  initialEventsEnd(resourceVersion: number): Uint8Array
  /** An event of this encoder as a message, which needs no mark of where it ends. */
  message(event: Uint8Array): SocketMessage
}

const bytes = new TextEncoder()
const text = new TextDecoder()
const heartbeat = bytes.encode('\n')
const endAnnotations = { 'k8s.io/initial-events-end': 'true' }

/** A bookmark's object: as Go has it when nothing is set but the version. */
function markValue(registry: Registry, kind: Kind, resourceVersion: number, annotations?: Record<string, string>): string {
  const { group, version, resource } = kind.storage
  const storageKind = registry.kindOf(group, version, resource) ?? kind
  const zero = storageKind.codec.zero() as unknown as KubernetesObject
  const object = { ...zero, metadata: annotations === undefined ? {} : { annotations } }
  return kind.codec.encode(object, String(resourceVersion))
}

const jsonLine = (type: string, object: string): Uint8Array => bytes.encode(`{"type":"${type}","object":${object}}\n`)

const nameOf = (kind: Kind, form: { readonly name: string }): string => `${kind.apiVersion}/${kind.resource} ${form.name}`

/** What an encoder does besides whose objects a webhook converts. */
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
    bookmark: (resourceVersion) => jsonLine('BOOKMARK', form.object(markValue(registry, kind, resourceVersion))),
    initialEventsEnd: (resourceVersion) =>
      jsonLine('BOOKMARK', endForm.object(markValue(registry, kind, resourceVersion, endAnnotations))),
    heartbeat: () => heartbeat,
    message: (event) => socketMessage(event, undefined),
    ...waiting(kind, undefined),
    ...(form.following !== undefined && { following: jsonEncoder(registry, kind, form.following) }),
  }
}

function protobufEncoder(registry: Registry, kind: Kind, form: ProtobufForm): FormEncoder {
  const event = (type: string, write: (writer: Writer) => void): Uint8Array =>
    written((writer) => writeWatchEvent(writer, type, () => writeEnvelope(writer, form.object, () => write(writer))))
  const mark = (resourceVersion: number, annotations?: Record<string, string>): Uint8Array =>
    event('BOOKMARK', (writer) => form.write(writer, bytes.encode(markValue(registry, kind, resourceVersion, annotations)), 0))
  const encode: FormEncoder['encode'] = (type, object) => {
    // A state that was left is shown under the version of the event, which is another state's.
    if (type === 'DELETED') return event(type, (writer) => form.write(writer, bytes.encode(kind.codec.valueOf(object)), 0))
    const { bytes: message, start, end } = encodedObjectsOf(registry).of(form, object)
    return event(type, (writer) => writer.writeBytes(message.subarray(start, end)))
  }
  return {
    name: nameOf(kind, form),
    encode,
    bookmark: (resourceVersion) => mark(resourceVersion),
    initialEventsEnd: (resourceVersion) => mark(resourceVersion, endAnnotations),
    // Every frame is an event to the client.
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
 * The encoder of a kind in a form: made once, whoever watches.
 * @throws ApiError 400 and 406 for forms that events do not have
 */
export function encoderOf(registry: Registry, kind: Kind, shown: ResponseFormat): FormEncoder {
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
  const made = makeEncoder(registry, kind, shown)
  const known = ofKind.get(made.name)
  if (known !== undefined) return known
  ofKind.set(made.name, made)
  return made
}

/** The ERROR event that tells why a watch does not go on. */
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
  return written((writer) =>
    writeWatchEvent(writer, 'ERROR', () =>
      writeEnvelope(writer, status, () => messages.write('meta/v1.Status', writer, status as unknown as JsonObject)),
    ),
  )
}

/** What a WebSocket sends of an event that an encoder, or `errorEvent`, wrote in this media type. */
export function socketMessage(event: Uint8Array, mediaType: ProtobufMediaType | undefined): SocketMessage {
  return mediaType === undefined ? text.decode(event) : event.subarray(frameLength)
}
