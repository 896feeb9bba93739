/** Subresources that show their object as one of another kind. */
import type { Kind } from '../../catalog/kind.ts'
import type { Printer } from '../../catalog/printers/printer.ts'
import type { Target } from '../../clusters/operation.ts'
import { parseJson } from '../../go/json.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { notFound } from '../../meta/errors.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { get } from '../get.ts'
import type { Registry, WriteResult } from '../registry.ts'
import { keyOf } from '../stored-object.ts'
import type { UpdateInput } from '../update.ts'
import { commitWrite, type WriteRequest, type WriteScope } from '../write-scope.ts'

/** How a subresource shows the object that it belongs to, and what writes to it mean. */
export interface SubresourceView {
  /** The kind of answers and of the bodies of writes. */
  readonly kind: Kind
  /** How Tables show it. */
  readonly printer: Printer
  /** Makes the whole answer of a get. */
  readonly show: (object: KubernetesObject) => JsonObject
  /** Makes the whole object to which patches are applied. */
  readonly beforePatch: (kind: Kind, object: KubernetesObject) => JsonObject
  /** Changes the existing object as the given one, which is of the view's kind, says; answers the view of the result. */
  readonly updateIn: (scope: WriteScope, input: UpdateInput) => WriteResult
}

/** get, through a view. */
export async function getView(
  view: SubresourceView,
  registry: Registry,
  kind: Kind,
  target: Target,
  resourceVersion: string,
): Promise<WriteResult> {
  const { code, text } = await get(registry, kind, target, resourceVersion)
  return { code, text: JSON.stringify(view.show(parseJson(text) as unknown as KubernetesObject)) }
}

/**
 * update, through a view.
 * @param text the body, of the view's kind, decoded by the Worker
 * @throws ApiError as the update of the object itself does
 */
export function updateView(view: SubresourceView, request: WriteRequest, text: string): Promise<WriteResult> {
  const { kind, target } = request
  const object = parseJson(text, 'verbatim') as unknown as KubernetesObject
  return commitWrite(request, (scope) => {
    const existing = scope.transaction.get(keyOf(kind, target.namespace, target.name))
    if (existing === undefined) throw notFound(kind, target.name)
    return view.updateIn(scope, { existing, object })
  })
}
