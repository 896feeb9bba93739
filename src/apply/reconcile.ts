/** Owned paths after their type has changed, or as a client made them up. Follows ReconcileFieldSetWithSchema. */
import type { PathSet, PathSetBuilder } from './path-set.ts'
import { EMPTY, SELF } from './path-set.ts'
import type { Shape } from './schema.ts'
import { isEmptyObject } from './value.ts'

/** The shape below a step, undefined where the type knows none. */
export function shapeBelow(shape: Shape, element: string): Shape | undefined {
  switch (shape.kind) {
    case 'struct':
      return element.startsWith('f:') ? shape.fields.get(element.slice(2))?.shape : undefined
    case 'map':
      return shape.value
    case 'set':
    case 'list-map':
      return shape.item
    default:
      return undefined
  }
}

/** The set in which what is owned within something that is now atomic is owned as a whole: `set` itself if nothing is. */
export function reconcile(shape: Shape, set: PathSet): PathSet {
  const result: PathSetBuilder = {}
  let changed = false
  for (const [element, node] of Object.entries(set)) {
    const below = element === SELF || isEmptyObject(node) ? undefined : shapeBelow(shape, element)
    if (below === undefined) result[element] = node
    else result[element] = below.kind === 'leaf' && below.atomic ? EMPTY : reconcile(below, node)
    if (result[element] !== node) changed = true
  }
  return changed ? result : set
}
