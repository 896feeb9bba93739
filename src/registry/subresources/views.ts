/** The table of subresources whose kind differs from that of their object. */
import type { Kind } from '../../catalog/kind.ts'
import { bodyKindOf } from '../../catalog/scheme.ts'
import { scaleView } from './scale.ts'
import { builtInScaleFields, customScaleFields } from './scale-fields.ts'
import type { SubresourceView } from './view.ts'

/** Scale views by the kind of the object. */
const scaleViews = new WeakMap<Kind, SubresourceView>()

/** Returns the view of a subresource; undefined if the subresource has the kind of the object. */
export function viewOf(kind: Kind, subresource: string): SubresourceView | undefined {
  if (subresource !== 'scale') return undefined
  let view = scaleViews.get(kind)
  if (view === undefined) {
    const paths = kind.definition?.scale
    view = scaleView(bodyKindOf(kind, subresource), paths === undefined ? builtInScaleFields : customScaleFields(paths))
    scaleViews.set(kind, view)
  }
  return view
}
