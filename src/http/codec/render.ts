/** Renders a value in the negotiated representation. */
import { protobufMediaType } from '../../clusters/operation.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { renderYaml } from '../../yaml/write.ts'
import { renderCbor } from './cbor.ts'
import { renderJson } from './json.ts'
import { cborMediaType, type OutputMediaType } from './negotiate.ts'
import { renderProtobuf } from './protobuf.ts'

/** Encodes the body of a response. `pretty` applies only to JSON. */
export function render(
  value: JsonValue,
  { mediaType, pretty }: Pick<OutputMediaType, 'mediaType' | 'pretty'>,
): string | Uint8Array<ArrayBuffer> {
  if (mediaType === protobufMediaType) return renderProtobuf(value)
  if (mediaType === cborMediaType) return renderCbor(value)
  return mediaType === 'application/yaml' ? renderYaml(value) : renderJson(value, pretty)
}
