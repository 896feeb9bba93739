/** Which subresources show their object as one of another kind. */

import type { Kind, ScalePaths } from '../../catalog/kind.ts'
import { bodyKindOf } from '../../catalog/scheme.ts'
import { customScaleView } from './custom-scale.ts'
import { scaleView } from './scale.ts'
import type { SubresourceView } from './view.ts'

const makers: ReadonlyMap<string, (bodyKind: Kind) => SubresourceView> = new Map([['scale', scaleView]])

const views = new WeakMap<Kind, SubresourceView>()

const customViews = new WeakMap<Kind, SubresourceView>()

function customViewOf(kind: Kind, paths: ScalePaths): SubresourceView {
  let view = customViews.get(kind)
  if (view === undefined) {
    view = customScaleView(bodyKindOf(kind, 'scale'), paths)
    customViews.set(kind, view)
  }
  return view
}

/** The view that a subresource is; undefined for those that are the object itself. */
export function viewOf(kind: Kind, subresource: string): SubresourceView | undefined {
  const make = makers.get(subresource)
  if (make === undefined) return undefined
  if (kind.custom?.scale !== undefined) return customViewOf(kind, kind.custom.scale)
  const bodyKind = bodyKindOf(kind, subresource)
  let view = views.get(bodyKind)
  if (view === undefined) {
    view = make(bodyKind)
    views.set(bodyKind, view)
  }
  return view
}
