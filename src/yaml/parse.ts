/** YAML bodies become JSON before anything else looks at them: read as sigs.k8s.io/yaml reads them. */
import type { JsonValue } from '../go/json-value.ts'
import { compose } from './reader/compose.ts'
import type { Parts } from './reader/node.ts'
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

/** The steps that it takes to write a document as JSON: more than one slice of long work has. */
const stepsOfWriting = 1_000

/**
 * Reads the first document of a stream as Go's lenient reader does, part by part.
 * @throws YamlSyntaxError
 */
export function* readingYaml(text: string): Parts<YamlDocument> {
  const root = yield* compose(text)
  const reader = new ValueReader()
  const value = root === undefined ? null : yield* reader.read(root)
  yield stepsOfWriting
  return { value, json: JSON.stringify(value), duplicates: reader.duplicates }
}

/**
 * Reads the first document of a stream as Go's lenient reader does.
 * @throws YamlSyntaxError
 */
export function readYaml(text: string): YamlDocument {
  const reading = readingYaml(text)
  let part = reading.next()
  while (part.done !== true) part = reading.next()
  return part.value
}
