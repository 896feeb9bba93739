/** Encodes a whole value as protobuf, in the envelope runtime.Unknown. */
import { messageOf, messages } from '../catalog/protobuf-messages.ts'
import { parseJson } from '../go/json.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { writeEnvelope } from '../protobuf/envelope.ts'
import { encodeMessage } from '../protobuf/writer.ts'

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/**
 * Encodes an object, a list or a Status as protobuf, byte for byte as kube-apiserver does.
 * @throws Error for a kind without a message: negotiation offers protobuf only if the kind has one
 */
export function renderProtobuf(value: JsonValue): Uint8Array<ArrayBuffer> {
  const object = value as JsonObject
  const typeMeta = { apiVersion: text(object.apiVersion), kind: text(object.kind) }
  const message = messageOf(typeMeta.apiVersion, typeMeta.kind)
  if (message === undefined) throw new Error(`${typeMeta.apiVersion} ${typeMeta.kind} has no message`)
  return encodeMessage((writer) => writeEnvelope(writer, typeMeta, () => messages.write(message, writer, object)))
}

/** The first fields of every object that a collection returns. */
const prologue = /^\{"kind":"([^"\\]*)","apiVersion":"([^"\\]*)"/
const encoder = new TextEncoder()

/** Encodes the JSON text of an object, a list or a Status as protobuf, without parsing it if it begins with its kind. */
export function protobufOfText(json: string): Uint8Array<ArrayBuffer> {
  const [, kind = '', apiVersion = ''] = prologue.exec(json) ?? []
  const message = messageOf(apiVersion, kind)
  if (message === undefined) return renderProtobuf(parseJson(json))
  return encodeMessage((writer) =>
    writeEnvelope(writer, { apiVersion, kind }, () => void messages.writeText(message, writer, encoder.encode(json))),
  )
}
