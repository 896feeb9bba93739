/** Decides whether an update changes more than the metadata and the status of an object: such a change increments the generation. */
import { equalValues } from '../apply/value.ts'
import type { JsonObject } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'

/** Returns an object without its metadata and status. */
export const specOf = ({
  metadata: _metadata,
  status: _status,
  apiVersion: _apiVersion,
  kind: _kind,
  ...rest
}: KubernetesObject) => rest as JsonObject

/** Whether all fields except metadata and status are unchanged. Follows equality.Semantic of k8s.io/apimachinery. */
export function isSpecUnchanged(object: KubernetesObject, old: KubernetesObject): boolean {
  return equalValues(specOf(object), specOf(old))
}
