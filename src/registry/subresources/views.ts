/** The table of subresources whose kind differs from that of their object. */
import type { Kind } from '../../catalog/kind.ts'
import { bodyKindOf } from '../../catalog/scheme.ts'
import { type ScaleFields, scaleView } from './scale.ts'
import { builtInScaleFields, customScaleFields, formerScaleFields } from './scale-fields.ts'
import type { SubresourceView } from './view.ts'

/** Scale views by the kind of the object. */
const scaleViews = new WeakMap<Kind, SubresourceView>()

function fieldsOf({ definition }: Kind, scaleKind: Kind): ScaleFields {
  if (definition?.scale !== undefined) return customScaleFields(definition.scale)
  return scaleKind.group === 'autoscaling' ? builtInScaleFields : formerScaleFields
}

/** Returns the view of a subresource; undefined if the subresource has the kind of the object. */
export function viewOf(kind: Kind, subresource: string): SubresourceView | undefined {
  if (subresource !== 'scale') return undefined
  let view = scaleViews.get(kind)
  if (view === undefined) {
    const scaleKind = bodyKindOf(kind, subresource)
    view = scaleView(scaleKind, fieldsOf(kind, scaleKind))
    scaleViews.set(kind, view)
  }
  return view
}
