/**
 * The views of a kind's objects, in JSON and in protobuf. Follows doTransformObject of
 * k8s.io/apiserver/pkg/endpoints/handlers/response.go.
 */
import type { Kind } from '../catalog/kind.ts'
import type { Printer } from '../catalog/printers/printer.ts'
import type { JsonView } from './json-view.ts'
import { metadataInJson } from './metadata.ts'
import { convertedMetadata, type ProtobufView, protobufMetadata, protobufObjects } from './protobuf-view.ts'
import { tableInJson } from './table.ts'
import { checkMetadata, type Shown, type View } from './view.ts'

const objectViews = new WeakMap<Kind, JsonView>()

/** Returns the JSON of the objects themselves. Cached for each kind. */
function objectsInJson(kind: Kind): JsonView {
  const { codec } = kind
  const known = objectViews.get(kind)
  if (known !== undefined) return known
  const view: JsonView = {
    name: 'json',
    object: (value) => codec.withTypeMeta(value),
    list: (metadata) => codec.listFrame({ ...metadata }),
    emptyList: '[]',
    item: codec.item,
  }
  objectViews.set(kind, view)
  return view
}

/**
 * Returns a view in JSON.
 * @param view the view that the client requested; undefined for the object itself
 * @param now returns the time in milliseconds: Tables show ages
 * @param printer the printer of Tables, if not that of the kind
 * @throws ApiError 406 if a single object is requested of a list or vice versa, 400 for invalid Table options
 */
export function jsonViewOf(kind: Kind, view: View | undefined, shown: Shown, now: () => number, printer?: Printer): JsonView {
  if (view === undefined) return objectsInJson(kind)
  if (view.as === 'Table') return tableInJson(kind, view, now, printer)
  checkMetadata(kind, view, shown)
  return metadataInJson(kind, view.version)
}

/**
 * Returns a view in protobuf. Negotiation offers no Tables in protobuf.
 * @throws ApiError 406 if a single object is requested of a list or vice versa
 */
export function protobufViewOf(kind: Kind, view: View | undefined, shown: Shown): ProtobufView {
  if (view === undefined || view.as === 'Table') return protobufObjects(kind)
  checkMetadata(kind, view, shown)
  const isStored = kind.conversion?.remote === undefined && !kind.codec.hasOtherMetadata
  return isStored ? protobufMetadata(view.version) : convertedMetadata(view.version, kind)
}

/**
 * Converts the JSON of a response to the view that the client requested. Objects are converted, a Status is returned unchanged.
 * @throws ApiError as `jsonViewOf` does, even if a write has been committed before
 */
export function show(kind: Kind, text: string, view: View | undefined, now: () => number, printer?: Printer): string {
  if (view === undefined || !kind.codec.isObject(text)) return text
  if (kind.conversion?.remote !== undefined) return show(kind.asStored(), text, view, now)
  return jsonViewOf(kind, view, 'object', now, printer).object(kind.codec.storedValueOf(text))
}

/**
 * Returns the view of a stored value. Tables of built-in kinds show it without the conversion to the version of the request,
 * which does not keep everything: the order of metrics in autoscaling/v1.
 * @throws ApiError as `jsonViewOf` does
 */
export function showStored(kind: Kind, value: string, view: View | undefined, now: () => number): string {
  if (view === undefined || kind.conversion === undefined || kind.definition !== undefined)
    return show(kind, kind.codec.withTypeMeta(value), view, now)
  return jsonViewOf(kind, view, 'object', now).object(value)
}
