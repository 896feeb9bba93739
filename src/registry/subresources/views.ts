/** Which subresources show their object as one of another kind. */
import { bodyKindOf } from '../../catalog/catalogue.ts'
import type { Kind } from '../../catalog/kind.ts'
import { scaleView } from './scale.ts'
import type { SubresourceView } from './view.ts'

const makers: ReadonlyMap<string, (bodyKind: Kind) => SubresourceView> = new Map([['scale', scaleView]])

const views = new WeakMap<Kind, SubresourceView>()

/** The view that a subresource is; undefined for those that are the object itself. */
export function viewOf(kind: Kind, subresource: string): SubresourceView | undefined {
  const make = makers.get(subresource)
  if (make === undefined) return undefined
  const bodyKind = bodyKindOf(kind, subresource)
  let view = views.get(bodyKind)
  if (view === undefined) {
    view = make(bodyKind)
    views.set(bodyKind, view)
  }
  return view
}
