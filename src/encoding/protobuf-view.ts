/** Views of objects in protobuf: the object itself, or PartialObjectMetadata. */
import type { Kind } from '../catalog/kind.ts'
import { messageOf, messageOfKind, messages } from '../catalog/protobuf-messages.ts'
import { parseJson } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { TypeMeta } from '../protobuf/envelope.ts'
import { endOfText } from '../protobuf/text-reader.ts'
import { LENGTH_DELIMITED } from '../protobuf/wire.ts'
import { encodeMessage, type Writer } from '../protobuf/writer.ts'
import type { MetaVersion } from './view.ts'

/**
 * The bytes of a list before and after its items. Fields are written in the order of their numbers, so either can hold the
 * metadata.
 */
export interface ListFrame {
  readonly before: Uint8Array
  readonly behind: Uint8Array
}

/** Encodes the objects of a kind as protobuf. A `value` is the JSON of a stored object. */
export interface ProtobufView {
  /** The cache key: views with equal names write equal bytes. */
  readonly name: string
  /** The typeMeta in the envelope (runtime.Unknown) of an object and of a list. */
  readonly object: TypeMeta
  readonly list: TypeMeta
  /**
   * Writes the message of an object.
   * @param bytes hold a value that begins at offset `at`
   * @returns the offset of the end of the value
   */
  readonly write: (writer: Writer, bytes: Uint8Array, at: number) => number
  /** The tag before the length of each item of a list. */
  readonly itemTag: number
  readonly frame: (metadata: JsonObject) => ListFrame
}

const nothing = new Uint8Array()
const decoder = new TextDecoder()

/** The types of a view, with the names of their messages in the tables, and the writer of its objects. */
interface Parts {
  readonly object: TypeMeta & { readonly message: string }
  readonly list: TypeMeta & { readonly message: string }
  readonly write: ProtobufView['write']
  /** The release whose fields the objects have; absent for the newest one. */
  readonly release?: string
}

function makeView({ object, list, write, release = '' }: Parts): ProtobufView {
  const items = messages.numberOf(list.message, 'items')
  const inFront = messages.numberOf(list.message, 'metadata') < items
  return {
    name: `protobuf ${object.apiVersion} ${object.kind} ${release}`.trimEnd(),
    object,
    list,
    write,
    itemTag: items * 8 + LENGTH_DELIMITED,
    frame: (metadata) => {
      const bytes = encodeMessage((writer) => messages.write(list.message, writer, { metadata }))
      return inFront ? { before: bytes, behind: nothing } : { before: nothing, behind: bytes }
    },
  }
}

const asStored =
  (message: string): ProtobufView['write'] =>
  (writer, bytes, at) =>
    messages.writeText(message, writer, bytes, at)

/** Returns the writer that converts a stored value to the served version. */
function writeOfKind({ conversion }: Kind, message: string): ProtobufView['write'] {
  if (conversion === undefined) return asStored(message)
  const numbers = messages.numbersOf(message)
  return (writer, bytes, at) => {
    const end = endOfText(bytes, at)
    const stored = parseJson(decoder.decode(bytes.subarray(at, end)), numbers) as unknown as KubernetesObject
    messages.write(message, writer, conversion.fromStorage(stored) as unknown as JsonObject)
    return end
  }
}

function reference(apiVersion: string, kind: string): string {
  const message = messageOf(apiVersion, kind)
  if (message === undefined) throw new Error(`${apiVersion} ${kind} has no message`)
  return message
}

function makeKindView(kind: Kind): ProtobufView {
  const { apiVersion, listKind } = kind
  const message = messageOfKind(kind)
  // Content negotiation offers protobuf only for kinds that have a message.
  if (message === undefined) throw new ApiError(406, 'NotAcceptable', `${kind.kind} has no form in protobuf`)
  return makeView({
    object: { apiVersion, kind: kind.kind, message },
    list: { apiVersion, kind: listKind, message: reference(apiVersion, listKind) },
    write: writeOfKind(kind, message),
    ...(kind.older !== undefined && { release: kind.older.release }),
  })
}

function makeMetadataView(version: MetaVersion): ProtobufView {
  const apiVersion = `meta.k8s.io/${version}`
  const [object, list] = ['PartialObjectMetadata', 'PartialObjectMetadataList'].map((kind) => ({
    apiVersion,
    kind,
    message: reference(apiVersion, kind),
  }))
  if (object === undefined || list === undefined) throw new Error('no metadata')
  return makeView({
    object,
    list,
    write: asStored(object.message),
  })
}

const kindViews = new WeakMap<Kind, ProtobufView>()

/** Returns the view of the objects themselves. Cached for each kind. */
export function protobufObjects(kind: Kind): ProtobufView {
  let view = kindViews.get(kind)
  if (view === undefined) {
    view = makeKindView(kind)
    kindViews.set(kind, view)
  }
  return view
}

/** Returns the view of PartialObjectMetadata of objects whose stored metadata is not what clients receive. The bytes depend on the served version. */
export function convertedMetadata(version: MetaVersion, kind: Kind): ProtobufView {
  const view = protobufMetadata(version)
  const message = reference(view.object.apiVersion, view.object.kind)
  return {
    ...view,
    name: `${view.name} of ${kind.version} ${kind.definition?.tag ?? ''}`,
    write: (writer, bytes, at) => {
      const end = endOfText(bytes, at)
      const served = kind.codec.toRequestVersion(decoder.decode(bytes.subarray(at, end)))
      messages.write(message, writer, { metadata: parseJson(kind.codec.metadataText(served)) })
      return end
    },
  }
}

const metadataViews = new Map<MetaVersion, ProtobufView>()

/** Returns the view of PartialObjectMetadata and its list, equal for all kinds. Cached for each version of meta.k8s.io. */
export function protobufMetadata(version: MetaVersion): ProtobufView {
  let view = metadataViews.get(version)
  if (view === undefined) {
    view = makeMetadataView(version)
    metadataViews.set(version, view)
  }
  return view
}
