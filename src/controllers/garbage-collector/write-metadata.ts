/** Writes of the garbage collector to objects: updates under a manager of its own, by all rules of an update. */
import type { WriteOptions } from '../../clusters/operation.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { kindOfStored } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { CommitScope } from '../../registry/write-scope.ts'
import type { Stored } from '../../storage/store.ts'
import { placeInKind } from './kinds.ts'

/** Under whose name upstream's garbage collector writes. */
const manager = 'kube-controller-manager'

/**
 * Stores an object whose metadata was changed.
 * @param kind in the version in which the object is stored
 * @throws ApiError 422 where the object is not valid, whoever made it so
 */
export function writeMetadata({ registry, transaction, kind }: CommitScope, existing: Stored, object: KubernetesObject): void {
  const { group, resource } = kind
  const own = kindOfStored(kind, existing, (version) => registry.kindOf(group, version, resource))
  const target = { group, version: own.version, resource, subresource: '', ...placeInKind(kind, existing.key) }
  // Who owns what in another version, only a webhook could tell.
  const managers = kind.codec.hasWebhook ? { managers: object.metadata.managedFields ?? [] } : {}
  const write: WriteOptions = { manager, dryRun: false, fromPatch: true }
  updateIn({ registry, transaction, kind: own, target, write }, { existing, object, ...managers })
}
