/** A value in the representation that was negotiated. */
import { protobufMediaType } from '../../clusters/operation.ts'
import { ApiError } from '../../meta/errors.ts'
import { escapeHtml } from '../../meta/go-text.ts'
import { parseJson } from '../../meta/json.ts'
import type { JsonValue } from '../../meta/json-value.ts'
import { renderCbor } from './cbor.ts'
import { indented, renderJson } from './json.ts'
import { cborMediaType, type OutputMediaType } from './negotiate.ts'
import { protobufOfText, renderProtobuf } from './protobuf.ts'
import { renderYaml } from './yaml.ts'

/** Characters that YAML does not have, and JSON does not escape. */
const unwritable = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/

/** @throws ApiError 500 for a text with a character that YAML does not have, as kube-apiserver fails, which makes its YAML of JSON */
function yamlOf(json: string): string {
  if (unwritable.test(json)) throw new ApiError(500, '', 'yaml: control characters are not allowed')
  return renderYaml(parseJson(json))
}

/** What goes out as a value's body. Only JSON knows `pretty`. */
export function render(
  value: JsonValue,
  { mediaType, pretty }: Pick<OutputMediaType, 'mediaType' | 'pretty'>,
): string | Uint8Array<ArrayBuffer> {
  if (mediaType === protobufMediaType) return renderProtobuf(value)
  if (mediaType === cborMediaType) return renderCbor(value)
  return mediaType === 'application/yaml' ? yamlOf(JSON.stringify(value)) : renderJson(value, pretty)
}

/** The same of the text of a value in JSON. */
export function renderText(
  json: string,
  output: Pick<OutputMediaType, 'mediaType' | 'pretty'>,
): string | Uint8Array<ArrayBuffer> {
  if (output.mediaType === protobufMediaType) return protobufOfText(json)
  if (output.mediaType === cborMediaType) return renderCbor(parseJson(json))
  if (output.mediaType === 'application/yaml') return yamlOf(json)
  return escapeHtml(output.pretty ? indented(json) : `${json.trimEnd()}\n`)
}
