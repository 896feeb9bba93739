/** The forms in which a client may have objects in protobuf: as they are, or their metadata alone. */
import type { Kind } from '../catalog/kind.ts'
import { messageOf, messageOfKind, messages } from '../catalog/messages.ts'
import type { MetaVersion } from '../clusters/operation.ts'
import { ApiError } from '../meta/errors.ts'
import { parseJson } from '../meta/json.ts'
import type { JsonObject } from '../meta/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { TypeMeta } from '../protobuf/envelope.ts'
import { LENGTH_DELIMITED } from '../protobuf/wire.ts'
import { type Writer, written } from '../protobuf/writer.ts'
import { metadataText } from './representation-metadata.ts'
import { shownValue } from './stored-object.ts'

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
  /** Writes the message of an object. */
  readonly write: (writer: Writer, value: string) => void
  /** Stands in front of each object's length in a list. */
  readonly itemTag: number
  readonly frame: (metadata: JsonObject) => ListFrame
}

const nothing = new Uint8Array()

/** What a form is made of: messages, by the names that the tables give them, and how a stored value becomes an object. */
interface Parts {
  readonly object: TypeMeta & { readonly message: string }
  readonly list: TypeMeta & { readonly message: string }
  readonly objectOf: (value: string) => JsonObject
}

function makeForm({ object, list, objectOf }: Parts): ProtobufForm {
  const items = messages.numberOf(list.message, 'items')
  const inFront = messages.numberOf(list.message, 'metadata') < items
  return {
    name: `protobuf ${object.apiVersion} ${object.kind}`,
    object,
    list,
    write: (writer, value) => messages.write(object.message, writer, objectOf(value)),
    itemTag: items * 8 + LENGTH_DELIMITED,
    frame: (metadata) => {
      const bytes = written((writer) => messages.write(list.message, writer, { metadata }))
      return inFront ? { before: bytes, behind: nothing } : { before: nothing, behind: bytes }
    },
  }
}

/** The value in the version in which it is served. */
function objectOfKind({ conversion }: Kind, message: string): (value: string) => JsonObject {
  const numbers = messages.numbersOf(message)
  if (conversion === undefined) return (value) => parseJson(value, numbers) as JsonObject
  return (value) => conversion.fromStorage(parseJson(value, numbers) as unknown as KubernetesObject) as unknown as JsonObject
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
    objectOf: objectOfKind(kind, message),
  })
}

function makeMetadataForm(version: MetaVersion, shown: (value: string) => string = (value) => value): ProtobufForm {
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
    objectOf: (value) => ({ metadata: parseJson(metadataText(shown(value))) }),
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
  const form = makeMetadataForm(version, (value) => shownValue(kind, value))
  return { ...form, name: `${form.name} of ${kind.version} ${kind.custom?.tag ?? ''}` }
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
