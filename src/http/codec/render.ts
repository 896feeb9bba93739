/** A value in the representation that was negotiated. */
import { protobufMediaType } from '../../clusters/operation.ts'
import { escapeHtml } from '../../meta/go-text.ts'
import { parseJson } from '../../meta/json.ts'
import type { JsonValue } from '../../meta/json-value.ts'
import { renderCbor } from './cbor.ts'
import { indented, renderJson } from './json.ts'
import { cborMediaType, type OutputMediaType } from './negotiate.ts'
import { protobufOfText, renderProtobuf } from './protobuf.ts'
import { renderYaml } from './yaml.ts'

/** What goes out as a value's body. Only JSON knows `pretty`. */
export function render(
  value: JsonValue,
  { mediaType, pretty }: Pick<OutputMediaType, 'mediaType' | 'pretty'>,
): string | Uint8Array<ArrayBuffer> {
  if (mediaType === protobufMediaType) return renderProtobuf(value)
  if (mediaType === cborMediaType) return renderCbor(value)
  return mediaType === 'application/yaml' ? renderYaml(value) : renderJson(value, pretty)
}

/** The same of the text of a value in JSON. */
export function renderText(
  json: string,
  output: Pick<OutputMediaType, 'mediaType' | 'pretty'>,
): string | Uint8Array<ArrayBuffer> {
  if (output.mediaType === protobufMediaType) return protobufOfText(json)
  if (output.mediaType === cborMediaType) return renderCbor(parseJson(json))
  if (output.mediaType === 'application/yaml') return renderYaml(parseJson(json))
  return escapeHtml(output.pretty ? indented(json) : `${json.trimEnd()}\n`)
}
