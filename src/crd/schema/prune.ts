/**
 * Prunes fields that a schema does not declare, and nulls that are neither allowed nor replaced by a default. Follows "Structural
 * schemas" of KEP 20180731-crd-pruning.
 */
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { SchemaNode } from './node.ts'

/** The fields of every object, even if its schema does not declare them. */
export const typeFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** The maximum number of reported paths. */
const mostPaths = 100

/** Prunes one value. Collects the paths of pruned fields in `unknown`, unless it is undefined. */
class Pruner {
  readonly unknown: string[] | undefined
  readonly #path: (string | number)[] = []

  constructor(tracks: boolean) {
    this.unknown = tracks ? [] : undefined
  }

  value(value: JsonValue, node: SchemaNode | undefined, isRoot: boolean): void {
    if (Array.isArray(value)) this.#list(value, node)
    else if (isObject(value)) this.#object(value, node, isRoot)
  }

  #list(list: JsonValue[], node: SchemaNode | undefined): void {
    // Within preserved fields only declared ones are visited.
    if (node?.preservesUnknown === true && node.items === undefined) return
    for (let i = 0; i < list.length; i++) {
      this.#path.push(i)
      const item = list[i] ?? null
      if (node?.preservesUnknown === true && node.items !== undefined) this.#kept(item, node.items)
      else this.value(item, node?.items, false)
      this.#path.pop()
    }
  }

  /** Prunes an item of a preserved list: its own unknown fields are preserved too. */
  #kept(value: JsonValue, node: SchemaNode): void {
    this.value(value, { ...node, preservesUnknown: true }, false)
  }

  #object(object: JsonObject, node: SchemaNode | undefined, isRoot: boolean): void {
    const isResource = isRoot || node?.isEmbedded === true
    for (const key of Object.keys(object)) {
      if (isResource && typeFields.has(key)) continue
      const property = node?.properties.get(key)
      const known = property ?? node?.additional?.node
      if (property !== undefined || node?.additional !== undefined) {
        this.#path.push(key)
        this.value(object[key] ?? null, known, false)
        this.#path.pop()
      } else if (node?.preservesUnknown !== true) {
        if (!typeFields.has(key) || this.#path.length > 0) this.#tell(key)
        delete object[key]
      }
    }
  }

  #tell(key: string): void {
    if (this.unknown === undefined || this.unknown.length >= mostPaths) return
    let text = ''
    for (const step of [...this.#path, key]) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`
    this.unknown.push(text)
  }
}

/**
 * Prunes a value in place.
 * @param paths whether the paths of pruned fields are needed
 * @returns the paths, sorted; empty if they are not needed
 */
export function prune(value: JsonValue, node: SchemaNode, isRoot: boolean, paths: 'tell' | 'ignore'): string[] {
  const pruner = new Pruner(paths === 'tell')
  pruner.value(value, node, isRoot)
  return pruner.unknown?.sort() ?? []
}

const isForbiddenNull = (value: JsonValue | undefined, node: SchemaNode | undefined): boolean =>
  value === null && node !== undefined && !node.nullable

/** Whether validation accepts any type of value. */
const isUntyped = ({ schema }: SchemaNode): boolean => (schema.type ?? '') === '' && schema['x-kubernetes-int-or-string'] !== true

/**
 * Prunes nulls in fields that are not nullable and have no default.
 * @param fields all of them, or only those without a type: validation refuses a null in others
 */
export function pruneNulls(value: JsonValue, node: SchemaNode | undefined, fields: 'all' | 'untyped' = 'all'): void {
  if (node === undefined) return
  if (Array.isArray(value)) {
    for (const item of value) pruneNulls(item, node.items, fields)
    return
  }
  if (!isObject(value)) return
  for (const key of Object.keys(value)) {
    const child = node.properties.get(key) ?? node.additional?.node
    const inner = value[key] ?? null
    if (!isForbiddenNull(inner, child)) pruneNulls(inner, child, fields)
    else if (child?.default === undefined && (fields === 'all' || (child !== undefined && isUntyped(child)))) delete value[key]
  }
}
