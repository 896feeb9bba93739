/**
 * Adapts owned paths to a type that has changed, or that a client's fieldsV1 does not match. Follows ReconcileFieldSetWithSchema.
 */
import type { PathSet, PathSetBuilder } from './path-set.ts'
import { EMPTY, SELF } from './path-set.ts'
import { fieldNamed, type Shape } from './schema.ts'
import { isEmptyObject } from './value.ts'

/** Returns the shape below a path element; undefined if the type has none. */
export function shapeBelow(shape: Shape, element: string): Shape | undefined {
  switch (shape.kind) {
    case 'struct':
      return element.startsWith('f:') ? fieldNamed(shape, element.slice(2))?.shape : undefined
    case 'map':
      return shape.value
    case 'set':
    case 'list-map':
      return shape.item
    default:
      return undefined
  }
}

const isWhole = (shape: Shape): boolean => shape.kind === 'leaf' && shape.atomic

/** Replaces owned paths below a value that is now atomic by the value itself. Returns `set` itself if nothing changes. */
export function reconcile(shape: Shape, set: PathSet): PathSet {
  let result: PathSetBuilder | undefined
  for (const element in set) {
    const node = set[element] ?? EMPTY
    const below = element === SELF || isEmptyObject(node) ? undefined : shapeBelow(shape, element)
    if (below === undefined) continue
    const reconciled = isWhole(below) ? EMPTY : reconcile(below, node)
    if (reconciled === node) continue
    result ??= { ...set }
    result[element] = reconciled
  }
  return result ?? set
}
