/**
 * The answer to an update that removes the last finalizer. Follows Store.deleteWithoutFinalizers of k8s.io/apiserver, which returns
 * the object of the request: unlike a stored one, it has the empty lists and maps that the client sent.
 *
 * Recorded: del-last-finalizer-empty-lists.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { restoreExplicitEmpty } from '../../schema/explicit-empty.ts'
import type { Stored } from '../../storage/store.ts'

/** Returns the value of the object of the update, which is not stored, with the resourceVersion of the existing one. */
export function answerOfDeletion({ codec }: Kind, object: KubernetesObject, { resourceVersion }: Stored): string {
  restoreExplicitEmpty(object)
  return codec.encodeAt(object, resourceVersion)
}
