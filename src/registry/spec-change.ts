/** Decides whether an update changes more than the metadata and the status of an object: such a change increments the generation. */
import { equalValues } from '../apply/value.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { containsExplicitEmpty } from '../schema/explicit-empty.ts'

const specOf = ({ metadata: _metadata, status: _status, apiVersion: _apiVersion, kind: _kind, ...rest }: KubernetesObject) =>
  rest as JsonObject

/** Whether all fields except metadata and status are unchanged. Follows equality.Semantic of k8s.io/apimachinery. */
export function isSpecUnchanged(object: KubernetesObject, old: KubernetesObject): boolean {
  return equalValues(specOf(object), specOf(old))
}

/**
 * Whether all fields except metadata and status are unchanged for kinds that compare with Go's reflect.DeepEqual: an explicitly
 * empty list or map is a change, because storage keeps none.
 */
export function isSpecIdentical(object: KubernetesObject, old: KubernetesObject): boolean {
  return isSpecUnchanged(object, old) && !containsExplicitEmpty(specOf(object))
}
