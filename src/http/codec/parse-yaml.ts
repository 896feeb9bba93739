/** YAML bodies become JSON before anything else looks at them: read as sigs.k8s.io/yaml reads them. */
import {
  boolCoreTag,
  boolYaml11Tag,
  CORE_SCHEMA,
  constructFromEvents,
  EVENT_ID,
  type Event,
  intCoreTag,
  intYaml11Tag,
  mergeTag,
  NOT_RESOLVED,
  parseEvents,
  Schema,
} from 'js-yaml'
import { parseJson } from '../../meta/json.ts'
import type { JsonValue } from '../../meta/json-value.ts'
import { aliasError } from './yaml-aliases.ts'
import { duplicateKeys } from './yaml-duplicates.ts'

/** A document that is no YAML; the message begins as Go's does. */
export class YamlSyntaxError extends Error {}

const maxDepth = 1000

/** YAML 1.1's integers (0755 is octal, 1_000 a thousand), but for the sexagesimal ones. */
const integers: typeof intYaml11Tag = {
  ...intYaml11Tag,
  resolve: (source, ...rest) => (source.includes(':') ? NOT_RESOLVED : intYaml11Tag.resolve(source, ...rest)),
}

/** `y`, `yes` and `on` are true; dates are texts; `<<` merges. */
const schema = new Schema([
  ...CORE_SCHEMA.tags.map((tag) => (tag === boolCoreTag ? boolYaml11Tag : tag === intCoreTag ? integers : tag)),
  mergeTag,
])

/** What js-yaml says where Go's reader says otherwise. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^bad indentation of a mapping entry$/, 'mapping values are not allowed in this context'],
  [/^unidentified alias "(.*)"$/, "unknown anchor '$1' referenced"],
  [/^tab characters must not be used in indentation$/, 'found a tab character that violates indentation'],
  [
    /^(?:unexpected end of the stream within a (?:double|single) quoted scalar|deficient indentation)$/,
    'found unexpected end of stream',
  ],
]

/** The first document of the stream: the others do not count. */
function firstDocument(events: readonly Event[]): Event[] {
  let depth = 0
  const end = events.findIndex(({ type }) => {
    if (type === EVENT_ID.POP) depth--
    else if (type !== EVENT_ID.SCALAR && type !== EVENT_ID.ALIAS) depth++
    return depth === 0
  })
  return events.slice(0, end + 1)
}

/** A document, read. */
export interface YamlDocument {
  readonly value: JsonValue
  /** The JSON text that stands for the document. */
  readonly json: string
  /** The complaints of a strict reader: `line 7: key "a" already set in map`. Of such keys the last value counts. */
  readonly duplicates: readonly string[]
}

/** What js-yaml tells of an error. */
interface Said {
  readonly reason?: string
  readonly mark?: { readonly line: number }
}

function syntaxError(error: unknown): YamlSyntaxError {
  if (!(error instanceof Error)) return new YamlSyntaxError('yaml: unreadable')
  const { reason = error.message, mark } = error as Said
  const [pattern, text] = reasons.find(([known]) => known.test(reason)) ?? [/^.*$/s, reason]
  // Go's reader counts lines from zero, and tells no line that is zero.
  const where = mark === undefined || mark.line === 0 || text.startsWith('unknown anchor') ? '' : `line ${mark.line + 1}: `
  return new YamlSyntaxError(`yaml: ${where}${reason.replace(pattern, text)}`)
}

/**
 * Reads a document as Go's lenient reader does.
 * @throws YamlSyntaxError
 */
export function readYaml(text: string): YamlDocument {
  let loaded: unknown
  let events: Event[]
  try {
    events = firstDocument(parseEvents(text, { maxDepth }))
    const unfolds = aliasError(events, text)
    if (unfolds !== undefined) throw new Error(unfolds)
    const [document] = constructFromEvents(events, { source: text, schema, maxAliases: Number.POSITIVE_INFINITY, json: true })
    loaded = document
  } catch (error) {
    throw syntaxError(error)
  }
  // An empty document is null for Go, and no document for js-yaml.
  const json = JSON.stringify(loaded ?? null)
  return { value: parseJson(json, 'verbatim'), json, duplicates: duplicateKeys(events, text) }
}

/**
 * Reads a document in which no key may be there twice.
 * @returns the value and the JSON text that stands for the document
 * @throws YamlSyntaxError
 */
export function parseYaml(text: string): { value: JsonValue; json: string } {
  const { value, json, duplicates } = readYaml(text)
  if (duplicates.length > 0) throw new YamlSyntaxError('yaml: duplicated mapping key')
  return { value, json }
}
