/** A value in the representation that was negotiated. */
import type { JsonValue } from '../../meta/json-value.ts'
import { renderJson } from './json.ts'
import type { OutputMediaType } from './negotiate.ts'
import { renderYaml } from './yaml.ts'

/** The text of a value in a representation. Only JSON knows `pretty`. */
export function render(value: JsonValue, output: Pick<OutputMediaType, 'mediaType' | 'pretty'>): string {
  return output.mediaType === 'application/yaml' ? renderYaml(value) : renderJson(value, output.pretty)
}
