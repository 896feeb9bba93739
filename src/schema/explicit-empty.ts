/**
 * Explicitly empty lists and maps of request bodies. Storage and responses do not distinguish them from absent ones, so decoding
 * omits them. But kube-apiserver validates the decoded Go value, in which they differ. So they are recorded beside the fields,
 * visible only to callers of these functions.
 */

/** The path of an explicitly empty list or map. */
export interface ExplicitEmpty {
  readonly path: readonly (string | number)[]
  readonly shape: 'list' | 'map'
}

/** Further ones are not recorded, to bound the work for hostile bodies. */
export const maximumExplicitEmpty = 100

/** An explicitly empty map, recognised by its identity because an empty struct looks the same. */
export const emptyMap: Readonly<Record<string, never>> = Object.freeze({})

const ofFields = Symbol('explicitly empty fields')
const ofObject = Symbol('explicitly empty fields of the whole object')

interface Marked {
  [ofFields]?: Readonly<Record<string, ExplicitEmpty['shape']>>
  [ofObject]?: readonly ExplicitEmpty[]
}

function parentOf(object: object, path: ExplicitEmpty['path']): object | undefined {
  let at: unknown = object
  for (const step of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return typeof at === 'object' && at !== null ? at : undefined
}

/** Records explicitly empty fields in the object. Copies by spread syntax keep the record, JSON does not. */
export function recordExplicitEmpty(object: object, fields: readonly ExplicitEmpty[]): void {
  if (fields.length === 0) return
  const whole: Marked = object
  whole[ofObject] = fields
  for (const { path, shape } of fields) {
    const parent: Marked | undefined = parentOf(object, path)
    if (parent !== undefined) parent[ofFields] = { ...parent[ofFields], [String(path.at(-1))]: shape }
  }
}

/** Returns the fields that were recorded in the whole object. */
export const explicitEmptyOf = (object: object): readonly ExplicitEmpty[] => (object as Marked)[ofObject] ?? []

/** Returns a conversion of the object, with what was recorded in the object. */
export function withExplicitEmptyOf<T extends object>(object: object, converted: T): T {
  recordExplicitEmpty(converted, explicitEmptyOf(object))
  return converted
}

/** Sets the fields of the object that are null to the empty lists and maps that the request body had. */
export function restoreExplicitEmpty(object: object): void {
  for (const { path, shape } of explicitEmptyOf(object)) {
    const parent = parentOf(object, path) as Record<string | number, unknown> | undefined
    const field = path.at(-1) ?? ''
    if (parent?.[field] === null) parent[field] = shape === 'list' ? [] : {}
  }
}

/** Records in a copy which of its fields were explicitly empty in the original, except these. */
export function copyExplicitEmpty(original: object, copy: Marked, except: readonly string[]): void {
  const kept = Object.entries((original as Marked)[ofFields] ?? {}).filter(([name]) => !except.includes(name))
  if (kept.length > 0) copy[ofFields] = Object.fromEntries(kept)
}

/** Returns the names of the fields for which the body had an empty list or map. */
export const explicitEmptyFields = (object: object): readonly string[] => Object.keys((object as Marked)[ofFields] ?? {})

/** Whether a field of the object, or of any object within it, is an explicitly empty list or map that no default has replaced. */
export function containsExplicitEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Readonly<Record<string, unknown>>
  const isEmpty = explicitEmptyFields(value).some((name) => fields[name] === undefined || fields[name] === null)
  return isEmpty || Object.values(fields).some(containsExplicitEmpty)
}

/** Returns the empty list or map that the body had for the field; undefined otherwise. */
export function explicitEmpty(object: object, name: string): readonly never[] | Readonly<Record<string, never>> | undefined {
  const shape = (object as Marked)[ofFields]?.[name]
  if (shape === undefined) return undefined
  return shape === 'list' ? [] : emptyMap
}
