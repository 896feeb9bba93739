/** YAML bodies become JSON before anything else looks at them: read as sigs.k8s.io/yaml reads them. */
import { boolCoreTag, boolYaml11Tag, CORE_SCHEMA, intCoreTag, intYaml11Tag, load, NOT_RESOLVED, Schema } from 'js-yaml'
import { parseJson } from '../../meta/json.ts'
import type { JsonValue } from '../../meta/json-value.ts'

/** A document that is no YAML; the message begins as Go's does. */
export class YamlSyntaxError extends Error {}

/** Aliases of one document: enough for people, too few for a document that unfolds into gigabytes. */
const maxAliases = 100
const maxDepth = 1000

/** YAML 1.1's integers (0755 is octal, 1_000 a thousand), but for the sexagesimal ones. */
const integers: typeof intYaml11Tag = {
  ...intYaml11Tag,
  resolve: (source, ...rest) => (source.includes(':') ? NOT_RESOLVED : intYaml11Tag.resolve(source, ...rest)),
}

/** `y`, `yes` and `on` are true; dates are texts. */
const schema = new Schema(
  CORE_SCHEMA.tags.map((tag) => (tag === boolCoreTag ? boolYaml11Tag : tag === intCoreTag ? integers : tag)),
)

/** What js-yaml says where Go's reader says otherwise. */
const reasons: Readonly<Record<string, string>> = {
  'bad indentation of a mapping entry': 'mapping values are not allowed in this context',
}

/**
 * @returns the value and the JSON text that stands for the document
 * @throws YamlSyntaxError
 */
export function parseYaml(text: string): { value: JsonValue; json: string } {
  let loaded: unknown
  try {
    // An empty document is null for Go, and no document for js-yaml.
    loaded = text.trim() === '' ? null : load(text, { schema, maxAliases, maxDepth })
  } catch (error) {
    const said = error instanceof Error ? ((error as { readonly reason?: string }).reason ?? error.message) : ''
    throw new YamlSyntaxError(`yaml: ${reasons[said] ?? said}`)
  }
  const json = JSON.stringify(loaded ?? null)
  return { value: parseJson(json, 'verbatim'), json }
}
