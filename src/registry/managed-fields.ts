/** Who owns which field, recorded with every write. */
import { updateManagedFields } from '../apply/managers.ts'
import type { PathSet } from '../apply/path-set.ts'
import type { Kind } from '../catalog/kind.ts'
import type { JsonObject } from '../meta/json-value.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../meta/object-meta.ts'
import { rfc3339Seconds } from '../meta/time.ts'

function setManagers(object: KubernetesObject, managers: readonly ManagedFieldsEntry[]): void {
  if (managers.length === 0) delete object.metadata.managedFields
  else object.metadata.managedFields = [...managers]
}

const json = (object: KubernetesObject): JsonObject => object as unknown as JsonObject

/** Records a create: all that the object says belongs to `manager`, but for what the strategy resets. */
export function trackCreate(kind: Kind, object: KubernetesObject, manager: string, resetFields: PathSet, now: number): void {
  setManagers(
    object,
    updateManagedFields({
      type: kind.type,
      apiVersion: kind.apiVersion,
      old: undefined,
      new: json(object),
      managers: [],
      manager,
      subresource: '',
      time: rfc3339Seconds(now),
      resetFields,
    }),
  )
}

/** Records an update: what changed since `old` belongs to `manager`. */
export function trackUpdate(
  kind: Kind,
  object: KubernetesObject,
  old: KubernetesObject,
  by: { readonly manager: string; readonly subresource: string; readonly resetFields: PathSet; readonly now: number },
): void {
  setManagers(
    object,
    updateManagedFields({
      type: kind.type,
      apiVersion: kind.apiVersion,
      old: json(old),
      new: json(object),
      managers: old.metadata.managedFields ?? [],
      manager: by.manager,
      subresource: by.subresource,
      time: rfc3339Seconds(by.now),
      resetFields: by.resetFields,
    }),
  )
}
