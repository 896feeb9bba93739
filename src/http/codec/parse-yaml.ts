/** YAML bodies become JSON before anything else looks at them. */
import { JSON_SCHEMA, load } from 'js-yaml'
import { badRequest } from '../../meta/errors.ts'
import { parseJson } from '../../meta/json.ts'
import type { JsonValue } from '../../meta/json-value.ts'

/**
 * @returns the value and the JSON text that stands for the document
 * @throws ApiError 400 for what is no YAML
 */
export function parseYaml(text: string): { value: JsonValue; json: string } {
  let loaded: unknown
  try {
    loaded = load(text, { schema: JSON_SCHEMA })
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
    throw badRequest(`error converting YAML to JSON: yaml: ${why}`)
  }
  const json = JSON.stringify(loaded ?? null)
  return { value: parseJson(json, 'verbatim'), json }
}
