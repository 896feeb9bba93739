/** The garbage collector's updates of objects: under its own field manager, by all rules of an update. */
import type { WriteOptions } from '../../clusters/operation.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { kindOfStored } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { CommitScope } from '../../registry/write-scope.ts'
import type { Stored } from '../../storage/store.ts'
import { placeInKind } from './kinds.ts'

/** The field manager of the upstream garbage collector. */
const manager = 'kube-controller-manager'

/**
 * Stores an object with changed metadata.
 * @param kind in the storage version
 * @throws ApiError 422 if the object is invalid, even if it was stored invalid
 */
export function writeMetadata({ registry, transaction, kind }: CommitScope, existing: Stored, object: KubernetesObject): void {
  const { group, resource } = kind
  const own = kindOfStored(kind, existing, (version) => registry.kindOf(group, version, resource))
  const target = { group, version: own.version, resource, subresource: '', ...placeInKind(kind, existing.key) }
  // The field ownership in another version could only be computed by calling the conversion webhook.
  const managers = kind.codec.hasWebhook ? { managers: object.metadata.managedFields ?? [] } : {}
  const write: WriteOptions = { manager, dryRun: false, fromPatch: true }
  updateIn({ registry, transaction, kind: own, target, write }, { existing, object, ...managers })
}
