/** Restores fields that a write must not change. */
import type { Kind } from '../catalog/kind.ts'
import { copyOf } from '../go/json-object.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { ResetPaths, StatusMetadata } from './strategy-options.ts'

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
    else if (valueAt(from, path) !== undefined) to[field] = copyOf(value ?? {})
    return
  }
  if (value === undefined) delete to[field]
  else to[field] = value
}

/** Sets each path of `object` to its value in `old`, except all of metadata, for which there is `resetMetadata`. */
export function resetPaths(object: KubernetesObject, old: KubernetesObject, resets: ResetPaths): void {
  for (const path of resets) {
    if (path.length === 1 && path[0] === 'metadata') continue
    copyPath(object as unknown as JsonObject, old as unknown as JsonObject, path)
  }
}

/** Sets each path of a new object to its value in Go's zero object of the kind. */
export function clearPaths(kind: Kind, object: KubernetesObject, resets: ResetPaths): void {
  if (resets.length === 0) return
  const zero = kind.codec.zero()
  for (const path of resets) copyPath(object as unknown as JsonObject, zero, path)
}

/** The fields that ResetObjectMetaForStatus restores. */
const metadataOfStatus: ResetPaths = [
  ...['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations', 'finalizers', 'ownerReferences'],
].map((field) => ['metadata', field])

/** Restores the metadata that a write to the status must not change. */
export function resetMetadata(object: KubernetesObject, old: KubernetesObject, which: StatusMetadata): void {
  if (which === 'restored') keepMetadata(object, old)
  else if (which === 'reset') resetPaths(object, old, metadataOfStatus)
}

/** Restores metadata except resourceVersion and managedFields, which every write updates. */
function keepMetadata(object: KubernetesObject, old: KubernetesObject): void {
  const { resourceVersion, managedFields } = object.metadata
  const { managedFields: _before, ...kept } = old.metadata
  object.metadata = {
    ...kept,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(managedFields !== undefined && { managedFields }),
  }
}
