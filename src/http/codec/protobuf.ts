/** A whole value in protobuf, in its envelope. */
import { messageOf, messages } from '../../catalog/messages.ts'
import { parseJson } from '../../meta/json.ts'
import type { JsonObject, JsonValue } from '../../meta/json-value.ts'
import { writeEnvelope } from '../../protobuf/envelope.ts'
import { written } from '../../protobuf/writer.ts'

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/**
 * The bytes of an object, a list or a Status, as kube-apiserver writes them.
 * @throws Error for a kind that has no message: who negotiates offers protobuf only where there is one
 */
export function renderProtobuf(value: JsonValue): Uint8Array<ArrayBuffer> {
  const object = value as JsonObject
  const said = { apiVersion: text(object.apiVersion), kind: text(object.kind) }
  const message = messageOf(said.apiVersion, said.kind)
  if (message === undefined) throw new Error(`${said.apiVersion} ${said.kind} has no message`)
  return written((writer) => writeEnvelope(writer, said, () => messages.write(message, writer, object)))
}

/** The same of the text of a value. */
export function protobufOfText(json: string): Uint8Array<ArrayBuffer> {
  const value = parseJson(json) as JsonObject
  const message = messageOf(text(value.apiVersion), text(value.kind))
  const verbatim = message !== undefined && messages.numbersOf(message) === 'verbatim'
  return renderProtobuf(verbatim ? parseJson(json, 'verbatim') : value)
}
