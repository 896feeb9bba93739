/** YAML bodies become JSON before anything else looks at them: read as sigs.k8s.io/yaml reads them. */
import type { JsonValue } from '../go/json-value.ts'
import { compose } from './reader/compose.ts'
import { ValueReader } from './reader/values.ts'

/** A document, read. */
export interface YamlDocument {
  readonly value: JsonValue
  /** The JSON text that stands for the document. */
  readonly json: string
  /** The complaints of a strict reader: `line 7: key "a" already set in map`. Of such keys the last value counts. */
  readonly duplicates: readonly string[]
}

/** What a strict reader says of keys that are there twice. */
export const strictYamlError = (duplicates: readonly string[]): string =>
  `yaml: unmarshal errors:\n${duplicates.map((duplicate) => `  ${duplicate}`).join('\n')}`

/**
 * Reads the first document of a stream as Go's lenient reader does.
 * @throws YamlSyntaxError
 */
export function readYaml(text: string): YamlDocument {
  const root = compose(text)
  const reader = new ValueReader()
  const value = root === undefined ? null : reader.read(root)
  return { value, json: JSON.stringify(value), duplicates: reader.duplicates }
}
