/** The forms in which a client may have objects in protobuf: as they are, or their metadata alone. */
import type { Kind } from '../../catalog/kind.ts'
import { messageOf, messageOfKind, messages } from '../../catalog/protobuf-messages.ts'
import { metadataText } from '../../catalog/stored-value.ts'
import type { MetaVersion } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { TypeMeta } from '../../protobuf/envelope.ts'
import { endOfText } from '../../protobuf/text-reader.ts'
import { LENGTH_DELIMITED } from '../../protobuf/wire.ts'
import { type Writer, written } from '../../protobuf/writer.ts'

/** What stands before the objects of a list, and behind them: which of the two has the metadata is a matter of field numbers. */
export interface ListFrame {
  readonly before: Uint8Array
  readonly behind: Uint8Array
}

/** How a client gets the objects of a kind. A `value` is an object as it is stored. */
export interface ProtobufForm {
  /** Forms of the same name write the same. */
  readonly name: string
  /** What the envelopes of an object and of a list say. */
  readonly object: TypeMeta
  readonly list: TypeMeta
  /**
   * Writes the message of an object.
   * @param bytes hold a value, beginning at `at`
   * @returns where the value ends
   */
  readonly write: (writer: Writer, bytes: Uint8Array, at: number) => number
  /** Stands in front of each object's length in a list. */
  readonly itemTag: number
  readonly frame: (metadata: JsonObject) => ListFrame
}

const nothing = new Uint8Array()
const decoder = new TextDecoder()

/** What a form is made of: messages, by the names that the tables give them, and how values become them. */
interface Parts {
  readonly object: TypeMeta & { readonly message: string }
  readonly list: TypeMeta & { readonly message: string }
  readonly write: ProtobufForm['write']
}

function makeForm({ object, list, write }: Parts): ProtobufForm {
  const items = messages.numberOf(list.message, 'items')
  const inFront = messages.numberOf(list.message, 'metadata') < items
  return {
    name: `protobuf ${object.apiVersion} ${object.kind}`,
    object,
    list,
    write,
    itemTag: items * 8 + LENGTH_DELIMITED,
    frame: (metadata) => {
      const bytes = written((writer) => messages.write(list.message, writer, { metadata }))
      return inFront ? { before: bytes, behind: nothing } : { before: nothing, behind: bytes }
    },
  }
}

const asStored =
  (message: string): ProtobufForm['write'] =>
  (writer, bytes, at) =>
    messages.writeText(message, writer, bytes, at)

/** Values are written in the version in which they are served. */
function writeOfKind({ conversion }: Kind, message: string): ProtobufForm['write'] {
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

function makeKindForm(kind: Kind): ProtobufForm {
  const { apiVersion, listKind } = kind
  const message = messageOfKind(kind)
  // Who negotiates offers protobuf only where there is a message.
  if (message === undefined) throw new ApiError(406, 'NotAcceptable', `${kind.kind} has no form in protobuf`)
  return makeForm({
    object: { apiVersion, kind: kind.kind, message },
    list: { apiVersion, kind: listKind, message: reference(apiVersion, listKind) },
    write: writeOfKind(kind, message),
  })
}

function makeMetadataForm(version: MetaVersion): ProtobufForm {
  const apiVersion = `meta.k8s.io/${version}`
  const [object, list] = ['PartialObjectMetadata', 'PartialObjectMetadataList'].map((kind) => ({
    apiVersion,
    kind,
    message: reference(apiVersion, kind),
  }))
  if (object === undefined || list === undefined) throw new Error('no metadata')
  return makeForm({
    object,
    list,
    write: asStored(object.message),
  })
}

const kindForms = new WeakMap<Kind, ProtobufForm>()

/** The objects as they are. Made once for a kind. */
export function protobufObjects(kind: Kind): ProtobufForm {
  let form = kindForms.get(kind)
  if (form === undefined) {
    form = makeKindForm(kind)
    kindForms.set(kind, form)
  }
  return form
}

/** PartialObjectMetadata of objects that a webhook converts: each version of a kind has its own. */
export function convertedMetadata(version: MetaVersion, kind: Kind): ProtobufForm {
  const form = protobufMetadata(version)
  const message = reference(form.object.apiVersion, form.object.kind)
  return {
    ...form,
    name: `${form.name} of ${kind.version} ${kind.definition?.tag ?? ''}`,
    write: (writer, bytes, at) => {
      const end = endOfText(bytes, at)
      const shown = kind.codec.toRequestVersion(decoder.decode(bytes.subarray(at, end)))
      messages.write(message, writer, { metadata: parseJson(metadataText(shown)) })
      return end
    },
  }
}

const metadataForms = new Map<MetaVersion, ProtobufForm>()

/** PartialObjectMetadata and its list, the same for every kind. Made once for a version. */
export function protobufMetadata(version: MetaVersion): ProtobufForm {
  let form = metadataForms.get(version)
  if (form === undefined) {
    form = makeMetadataForm(version)
    metadataForms.set(version, form)
  }
  return form
}
