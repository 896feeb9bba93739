/** JSON whose whole numbers keep all their digits. */
import { parseJson } from '../../go/json.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { readYamlValue } from '../../yaml/parse.ts'

/** Whether this release of Node tells the source of a number: those before 22 do not. */
const hasSources = 'rawJSON' in JSON

/** Parses the JSON of a server. */
export function parseExact(text: string): JsonValue {
  if (hasSources || !/\d{16}/.test(text)) return parseJson(text)
  // JSON is YAML, whose reader needs no help of Node's.
  return readYamlValue(text)
}
