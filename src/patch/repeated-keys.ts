/**
 * The repeated keys in the values of a JSON Patch. Like evanphx/json-patch, which keeps values as texts until an operation reaches
 * into them, kube-apiserver finds those that are left in the result.
 */
import { duplicateFields } from '../go/json-duplicates.ts'
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'

/** The objects of values with the keys that their texts repeat. */
type Repeated = ReadonlyMap<JsonObject, readonly string[]>

/** Returns the object with a key, and the key itself, for a path in the form of duplicateFields. */
function holderOf(value: JsonValue, path: string): readonly [JsonObject, string] | undefined {
  if (Array.isArray(value)) {
    const [element, index = ''] = /^\[(\d+)\]\.?/.exec(path) ?? []
    return element === undefined ? undefined : holderOf(value[Number(index)] ?? null, path.slice(element.length))
  }
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return [value, path]
  for (const key of Object.keys(value)) {
    const rest = path.slice(key.length)
    if (!path.startsWith(key) || !/^[.[]/.test(rest)) continue
    const found = holderOf(value[key] ?? null, rest.replace(/^\./, ''))
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Finds the repeated keys in the values of operations.
 * @param operations the parsed operations of the text
 */
export function repeatedKeys(text: string, operations: readonly (JsonObject | null)[]): Repeated {
  const repeated = new Map<JsonObject, string[]>()
  for (const field of duplicateFields(text)) {
    const [, index = '', path] = /^\[(\d+)\]\.value\.?(.+)$/s.exec(field) ?? []
    const found = path === undefined ? undefined : holderOf(operations[Number(index)]?.value ?? null, path)
    if (found !== undefined) repeated.set(found[0], [...(repeated.get(found[0]) ?? []), found[1]])
  }
  return repeated
}

/** Returns the paths of the repeated keys that are left in a document, which has the same objects. */
export function repeatedIn(repeated: Repeated, document: JsonValue): string[] {
  if (repeated.size === 0) return []
  const paths: string[] = []
  const visit = (value: JsonValue, path: string): void => {
    if (Array.isArray(value)) for (const [index, element] of value.entries()) visit(element, `${path}[${index}]`)
    else if (isObject(value)) {
      const below = (key: string): string => (path === '' ? key : `${path}.${key}`)
      for (const key of repeated.get(value) ?? []) paths.push(below(key))
      for (const key of Object.keys(value)) visit(value[key] ?? null, below(key))
    }
  }
  visit(document, '')
  return paths
}
