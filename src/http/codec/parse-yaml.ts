/** YAML bodies become JSON before anything else looks at them: read as sigs.k8s.io/yaml reads them. */
import type { JsonValue } from '../../meta/json-value.ts'
import { atOnce, inSlices, isLong, type Parts } from '../../meta/parts.ts'
import { compose } from './yaml-reader/compose.ts'
import { ValueReader } from './yaml-reader/values.ts'

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

/** Steps of writing a document as JSON: a slice of its own, if it is long. */
const stepsOfWriting = 400

function* documentOf(text: string): Parts<YamlDocument> {
  const root = yield* compose(text)
  const reader = new ValueReader()
  const value = root === undefined ? null : yield* reader.read(root)
  if (isLong(text)) yield stepsOfWriting
  return { value, json: JSON.stringify(value), duplicates: reader.duplicates }
}

/**
 * Reads the first document of a stream as Go's lenient reader does.
 * @throws YamlSyntaxError
 */
export const readYaml = (text: string): YamlDocument => atOnce(documentOf(text))

/**
 * The same; a long text in slices.
 * @throws YamlSyntaxError
 */
export const readYamlInSlices = async (text: string): Promise<YamlDocument> =>
  isLong(text) ? inSlices(documentOf(text)) : readYaml(text)
