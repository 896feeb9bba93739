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

/** Reads the value of the first document of a stream, in parts. */
function* readingValue(text: string): Parts<Pick<YamlDocument, 'value' | 'duplicates'>> {
  const root = yield* compose(text)
  const reader = new ValueReader()
  return { value: root === undefined ? null : yield* reader.read(root), duplicates: reader.duplicates }
}

/** Runs all parts of a work at once. */
function resultOf<T>(parts: Parts<T>): T {
  let part = parts.next()
  while (part.done !== true) part = parts.next()
  return part.value
}

/**
 * Reads the first document of a stream as sigs.k8s.io/yaml's lenient decoder does, in parts.
 * @throws YamlSyntaxError with Go's message
 */
export function* readingYaml(text: string): Parts<YamlDocument> {
  const { value, duplicates } = yield* readingValue(text)
  yield stepsOfWriting
  return { value, json: JSON.stringify(value), duplicates }
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
  return resultOf(readingYaml(text))
}

/**
 * Reads the value of the first document alone. Unlike `readYaml` it works in releases of Node that cannot write long numbers as JSON.
 * @throws YamlSyntaxError as `readYaml`
 */
export const readYamlValue = (text: string): JsonValue => resultOf(readingValue(text)).value
