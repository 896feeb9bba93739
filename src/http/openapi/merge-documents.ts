/**
 * Merges the OpenAPI 2 documents of other API servers into the own one. Paths of this server win; of two different definitions
 * with one name, that of the other server gets another name. Follows MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters
 * of k8s.io/kube-openapi/pkg/aggregator. Pure.
 */
import { equalValues } from '../../apply/value.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import {
  definitionPrefix,
  filtered,
  type OtherDocument,
  parameterPrefix,
  type Specification,
  withReferences,
} from './other-document.ts'

/** The additions of other servers to a document. */
export interface Additions {
  /** The paths by `apis/GROUP/VERSION`. */
  readonly paths: ReadonlyMap<string, JsonObject>
  /** Definitions with new names, and those of this server whose kinds have become more. */
  readonly definitions: ReadonlyMap<string, JsonValue>
  readonly parameters: ReadonlyMap<string, JsonValue>
}

export const noAdditions: Additions = { paths: new Map(), definitions: new Map(), parameters: new Map() }

const kindsKey = 'x-kubernetes-group-version-kind'

const withoutKinds = (schema: JsonValue): JsonValue => {
  if (!isObject(schema)) return schema
  const { [kindsKey]: _kinds, ...rest } = schema
  return rest
}

const isSameSchema = (a: JsonValue, b: JsonValue): boolean => equalValues(withoutKinds(a), withoutKinds(b))

const kindsOf = (schema: JsonValue): readonly JsonValue[] | undefined => {
  const kinds = isObject(schema) ? schema[kindsKey] : undefined
  return Array.isArray(kinds) ? kinds : undefined
}

const kindText = (kind: JsonValue): string => (isObject(kind) ? `${kind.group}/${kind.version}.${kind.kind}` : '')

/** Returns the schema with the kinds of both; undefined if the second adds none. */
function withKinds(own: JsonValue, other: JsonValue): JsonValue | undefined {
  const [before = [], more = []] = [kindsOf(own), kindsOf(other)]
  const known = new Set(before.map(kindText))
  const added = more.filter((kind) => !known.has(kindText(kind)))
  if (added.length === 0 || !isObject(own)) return undefined
  const all = [...before, ...added].map((kind) => [kindText(kind), kind] as const)
  return { ...own, [kindsKey]: all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind) }
}

type Named = ReadonlyMap<string, JsonValue>

/** Returns new names for values of the source that differ from those of the destination with the same name. */
function renamesOf(destination: Named, source: JsonObject, isSame: (a: JsonValue, b: JsonValue) => boolean): Map<string, string> {
  const renames = new Map<string, string>()
  const used = new Set(destination.keys())
  for (const [name, value] of Object.entries(source)) {
    const existing = destination.get(name)
    if (existing === undefined || isSame(existing, value)) continue
    // An equal value may have got its new name from another server.
    for (let number = 2; !renames.has(name); number++) {
      const next = `${name}_v${number}`
      const found = destination.get(next)
      const isFree = !used.has(next) && !Object.hasOwn(source, next)
      if (isFree || (found !== undefined && isSame(found, value))) renames.set(name, next)
    }
    used.add(renames.get(name) ?? name)
  }
  return renames
}

const prefixed = (prefix: string, renames: ReadonlyMap<string, string>): [string, string][] =>
  [...renames].map(([from, to]) => [prefix + from, prefix + to])

const renamed = (values: JsonObject, renames: ReadonlyMap<string, string>): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [renames.get(name) ?? name, value]))

/** The own document, as far as others may clash with it. */
export interface OwnNames {
  readonly paths: ReadonlySet<string>
  readonly definitions: Named
  readonly parameters: Named
}

/**
 * Merges documents one after the other.
 * @param others in the order of their priorities
 */
export function mergeDocuments(own: OwnNames, others: readonly OtherDocument[]): Additions {
  const paths = new Map<string, JsonObject>()
  const [definitions, parameters] = [new Map(own.definitions), new Map(own.parameters)]
  const changed = { definitions: new Map<string, JsonValue>(), parameters: new Map<string, JsonValue>() }
  for (const { part, text } of others) {
    const whole = JSON.parse(text) as Specification
    const source = filtered(whole, (path) => !own.paths.has(path))
    if (Object.keys(source.paths).length === 0) continue
    const newDefinitions = renamesOf(definitions, source.definitions, isSameSchema)
    const newParameters = renamesOf(parameters, source.parameters, equalValues)
    const references = new Map([...prefixed(definitionPrefix, newDefinitions), ...prefixed(parameterPrefix, newParameters)])
    const rename = (values: JsonObject): JsonObject =>
      references.size === 0 ? values : (withReferences(values, references) as JsonObject)
    paths.set(part, rename(source.paths))
    for (const [name, value] of Object.entries(renamed(rename(source.definitions), newDefinitions))) {
      const existing = definitions.get(name)
      const result = existing === undefined ? value : withKinds(existing, value)
      if (result === undefined) continue
      definitions.set(name, result)
      changed.definitions.set(name, result)
    }
    for (const [name, value] of Object.entries(renamed(rename(source.parameters), newParameters))) {
      if (parameters.has(name)) continue
      parameters.set(name, value)
      changed.parameters.set(name, value)
    }
  }
  return { paths, ...changed }
}
