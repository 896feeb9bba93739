/** Leaves parts of an object as they were, whatever the write says of them. */
import type { Kind } from '../catalog/kind.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { ResetPaths } from './strategy-options.ts'

const asObject = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = object
  for (const field of path) at = asObject(at)?.[field]
  return at
}

function copyPath(to: JsonObject, from: JsonObject, path: readonly string[]): void {
  const [field, ...rest] = path
  if (field === undefined) return
  const value = from[field]
  if (rest.length > 0) {
    const below = asObject(to[field])
    if (below !== undefined) copyPath(below, asObject(value) ?? {}, rest)
    else if (valueAt(from, path) !== undefined) to[field] = structuredClone(value ?? {})
    return
  }
  if (value === undefined) delete to[field]
  else to[field] = value
}

/** Gives each of the paths in `object` the value that it has in `old`. */
export function resetPaths(object: KubernetesObject, old: KubernetesObject, resets: ResetPaths): void {
  for (const path of resets) {
    if (path.length === 1 && path[0] === 'metadata') keepMetadata(object, old)
    else copyPath(object as unknown as JsonObject, old as unknown as JsonObject, path)
  }
}

/** Gives each of the paths in a new object the value that it has if nothing is set. */
export function clearPaths(kind: Kind, object: KubernetesObject, resets: ResetPaths): void {
  if (resets.length === 0) return
  const zero = kind.codec.zero()
  for (const path of resets) copyPath(object as unknown as JsonObject, zero, path)
}

/** A write that leaves metadata alone still carries the version it is based on, and moves ownership. */
function keepMetadata(object: KubernetesObject, old: KubernetesObject): void {
  const { resourceVersion, managedFields } = object.metadata
  object.metadata = {
    ...old.metadata,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(managedFields !== undefined && { managedFields }),
  }
}
