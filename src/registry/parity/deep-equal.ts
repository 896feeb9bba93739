/**
 * The generation of kinds whose strategies compare specs with reflect.DeepEqual and not with equality.Semantic, for example
 * networkPolicyStrategy.PrepareForUpdate: an explicitly empty list or map is a change, because storage keeps none.
 *
 * Recorded: explicit-empty-lists.
 */
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { containsExplicitEmpty } from '../../schema/explicit-empty.ts'
import { isSpecUnchanged, specOf } from '../spec-change.ts'

/** Whether all fields except metadata and status are the same Go values. */
export function isSpecIdentical(object: KubernetesObject, old: KubernetesObject): boolean {
  return isSpecUnchanged(object, old) && !containsExplicitEmpty(specOf(object))
}
