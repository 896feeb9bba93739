/** Converts YAML bodies to JSON with the rules of sigs.k8s.io/yaml; all other code works on JSON. */
import type { JsonValue } from '../go/json-value.ts'
import { compose } from './reader/compose.ts'
import type { Parts } from './reader/node.ts'
import { ValueReader } from './reader/values.ts'

/** A parsed document. */
export interface YamlDocument {
  readonly value: JsonValue
  /** The JSON text of the document. */
  readonly json: string
  /** The errors of a strict decoder: `line 7: key "a" already set in map`. The last value of a duplicate key is used. */
  readonly duplicates: readonly string[]
}

/** Returns the error text of a strict decoder for duplicate keys. */
export const strictYamlError = (duplicates: readonly string[]): string =>
  `yaml: unmarshal errors:\n${duplicates.map((duplicate) => `  ${duplicate}`).join('\n')}`

/** The steps of writing a document as JSON: more than those of one slice, so that it gets a slice of its own. */
const stepsOfWriting = 1_000

/**
 * Reads the first document of a stream as sigs.k8s.io/yaml's lenient decoder does, in parts.
 * @throws YamlSyntaxError with Go's message
 */
export function* readingYaml(text: string): Parts<YamlDocument> {
  const root = yield* compose(text)
  const reader = new ValueReader()
  const value = root === undefined ? null : yield* reader.read(root)
  yield stepsOfWriting
  return { value, json: JSON.stringify(value), duplicates: reader.duplicates }
}

/**
 * Reads the first document of a stream as sigs.k8s.io/yaml's lenient decoder does.
 * @returns the value (null for an empty stream), its JSON text, and the errors that strict field validation would report
 * @throws YamlSyntaxError with Go's message, its lines counted as Go does
 * @example
 * readYaml('a: [1, yes]').json // '{"a":[1,true]}'
 * readYaml('a: 1\na: 2').duplicates // ['line 2: key "a" already set in map']
 * readYaml('a: [').json // throws YamlSyntaxError
 */
export function readYaml(text: string): YamlDocument {
  const reading = readingYaml(text)
  let part = reading.next()
  while (part.done !== true) part = reading.next()
  return part.value
}
