/**
 * Converts objects between a version and the storage version of the same resource. Most fields are equal; the others are changed
 * by hand. The result is then decoded as the other version's type, which drops the fields that it does not have and adds the zero
 * values that it always has, as Go's conversion functions do.
 */
import { copyOf } from '../../go/json-object.ts'
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { decode } from '../../schema/decode.ts'
import type { Type } from '../../schema/type.ts'
import { applyKindDefaults } from '../defaulting/defaults.ts'
import type { Conversion, KindFacts } from '../kind.ts'
import type { Changes } from './fields.ts'
import { sameFields } from './same-fields.ts'

const asObject = (object: KubernetesObject): JsonObject => object as unknown as JsonObject
const asKubernetes = (object: JsonObject): KubernetesObject => object as unknown as KubernetesObject

/** Returns the object as one of this type, after the change. */
function converted(type: Type, object: KubernetesObject, change: Changes['toStorage']): KubernetesObject {
  if (change === undefined) return asKubernetes(decode(type, asObject(object)).object)
  const copy = copyOf(asObject(object)) as JsonObject
  change(copy)
  return asKubernetes(decode(type, copy).object)
}

/**
 * Makes the conversion between a version and the storage version.
 * @param version returns the kind in this version, and `storage` that in the storage version; both are called on first use
 */
export function versionConversion(version: () => KindFacts, storage: () => KindFacts, changes: Changes = {}): Conversion {
  let known: boolean | undefined
  const isEqual = (): boolean => {
    known ??= changes.toStorage === undefined && changes.fromStorage === undefined && sameFields(version().type, storage().type)
    return known
  }
  const toStorageAsIs = (object: KubernetesObject): KubernetesObject =>
    isEqual() ? asKubernetes(copyOf(asObject(object)) as JsonObject) : converted(storage().type, object, changes.toStorage)
  return {
    keepsJson: isEqual,
    toStorageAsIs,
    // kube-apiserver reads the stored object back, which sets the defaults of the storage version.
    toStorage: (object) => {
      const stored = toStorageAsIs(object)
      applyKindDefaults(storage(), stored)
      return stored
    },
    fromStorage: (object) => (isEqual() ? object : converted(version().type, object, changes.fromStorage)),
  }
}
