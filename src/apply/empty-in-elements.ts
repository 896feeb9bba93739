/**
 * Explicitly empty lists and maps within the elements of lists that are atomic or within an atomic value. structured-merge-diff
 * compares the Go values of such elements as a whole: an empty list is not an absent one there, so the write owns the atomic value
 * even if the stored one is equal.
 */
import { isObject } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { ExplicitEmpty } from '../schema/explicit-empty.ts'
import type { Type } from '../schema/type.ts'
import { shapeOf } from './schema.ts'

type Path = ExplicitEmpty['path']

/** Returns the type of a part of a value; undefined if the type does not tell. */
function typeAt(type: Type, step: string | number): Type | undefined {
  switch (type.kind) {
    case 'struct':
      return type.fields.get(String(step))?.type
    case 'map':
      return type.value
    case 'list':
      return type.element
    default:
      return undefined
  }
}

/** Whether the path leads through an element of a list in an atomic value. */
function isInElement(type: Type, path: Path): boolean {
  let at: Type | undefined = type
  let isAtomic = false
  for (const step of path) {
    if (at === undefined) return false
    const shape = shapeOf(at)
    isAtomic ||= shape.kind === 'leaf' && shape.atomic
    if (isAtomic && at.kind === 'list') return true
    at = typeAt(at, step)
  }
  return false
}

/** Returns a copy of the value that has `empty` at the path, unless something else is there. */
function withEmpty(value: JsonValue, [step, ...rest]: Path, empty: JsonValue): JsonValue {
  if (step === undefined) return value ?? empty
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withEmpty(item, rest, empty) : item))
  if (!isObject(value)) return value
  const part = value[step] ?? null
  if (part === null && rest.length > 0) return value
  return { ...value, [step]: withEmpty(part, rest, empty) }
}

/** Returns the object with the explicitly empty lists and maps within such elements, as it is compared with the stored one. */
export function withEmptyInElements(type: Type, object: JsonObject, found: readonly ExplicitEmpty[]): JsonObject {
  return found
    .filter(({ path }) => isInElement(type, path))
    .reduce<JsonValue>((whole, { path, shape }) => withEmpty(whole, path, shape === 'list' ? [] : {}), object) as JsonObject
}
