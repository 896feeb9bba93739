/** Removes duplicate owner references. Follows dedupOwnerReferencesAndAddWarning of k8s.io/apiserver/pkg/endpoints/handlers. */
import type { ObjectMeta, OwnerReference } from '../meta/object-meta.ts'

const keyOf = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])

/**
 * Removes duplicate owner references and adds a warning.
 * @param origin whether the object is a request body or the result of a patch, which has another message
 * @param warn warns the client
 */
export function dedupeOwners(metadata: ObjectMeta, origin: 'body' | 'patch', warn: (text: string) => void): void {
  const owners = metadata.ownerReferences
  if (owners === undefined || owners.length < 2) return
  const unique = new Map<string, OwnerReference>()
  const duplicates: string[] = []
  for (const owner of owners) {
    const key = keyOf(owner)
    if (unique.has(key)) duplicates.push(owner.uid)
    else unique.set(key, owner)
  }
  if (duplicates.length === 0) return
  metadata.ownerReferences = [...unique.values()]
  const when = origin === 'patch' ? ' after mutating admission happens' : ''
  const advice =
    'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests'
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; ${advice}; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  )
}
