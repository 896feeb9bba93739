/** Subresources whose kind differs from that of their object, such as scale. */
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

/** Converts an object to the kind of a subresource, and writes to the subresource to writes of the object. */
export interface SubresourceView {
  /** The kind of responses and of the bodies of writes. */
  readonly kind: Kind
  /** The printer of Tables. */
  readonly printer: Printer
  /** Returns the response of a get. */
  readonly show: (object: KubernetesObject) => JsonObject
  /** Returns the object to which patches are applied. */
  readonly beforePatch: (kind: Kind, object: KubernetesObject) => JsonObject
  /** Updates the existing object from an object of the view's kind. Returns the view of the result. */
  readonly updateIn: (scope: WriteScope, input: UpdateInput) => WriteResult
}

/** Gets an object as a view. */
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
 * Updates an object through a view.
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
