/** A whole value in protobuf, in its envelope. */
import { messageOf, messages } from '../../catalog/protobuf-messages.ts'
import { parseJson } from '../../go/json.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
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

/** How the text of every object begins that a collection answers. */
const prologue = /^\{"kind":"([^"\\]*)","apiVersion":"([^"\\]*)"/
const encoder = new TextEncoder()

/** The same of the text of a value. */
export function protobufOfText(json: string): Uint8Array<ArrayBuffer> {
  const [, kind = '', apiVersion = ''] = prologue.exec(json) ?? []
  const message = messageOf(apiVersion, kind)
  if (message === undefined) return renderProtobuf(parseJson(json))
  return written((writer) =>
    writeEnvelope(writer, { apiVersion, kind }, () => void messages.writeText(message, writer, encoder.encode(json))),
  )
}
