/**
 * Carries to the Durable Object what the JSON of a decoded object lacks, but kube-apiserver has in the Go value from
 * `runtime.Decoder` to `rest.BeforeCreate` and `BeforeUpdate`: `[]` is not `nil`, and two fields may be one map.
 *
 * Recorded: explicit-empty-lists, explicit-empty-changes, empty-in-elements; first-updates (a Job that shares its template's labels).
 */
import type { LostInJson } from '../../catalog/decoded.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { explicitEmptyOf, recordExplicitEmpty } from '../../schema/explicit-empty.ts'

interface Templated {
  readonly metadata: KubernetesObject['metadata']
  readonly spec?: { readonly template?: { readonly metadata?: KubernetesObject['metadata'] } }
}

const templateLabels = (object: KubernetesObject): Record<string, string> | undefined =>
  (object as Templated).spec?.template?.metadata?.labels

/** Returns what the JSON of a decoded object lacks. */
export function lostInJson(object: KubernetesObject): LostInJson {
  const explicitEmpty = explicitEmptyOf(object)
  const { labels } = object.metadata
  const sharesLabels = labels !== undefined && labels === templateLabels(object)
  return { ...(explicitEmpty.length > 0 && { explicitEmpty }), ...(sharesLabels && { sharesLabels }) }
}

/** Restores it in the object that was parsed from the JSON. */
export function restoreLost(object: KubernetesObject, { explicitEmpty = [], sharesLabels }: LostInJson): KubernetesObject {
  recordExplicitEmpty(object, explicitEmpty)
  const labels = sharesLabels && templateLabels(object)
  if (labels !== undefined) object.metadata.labels = labels
  return object
}
