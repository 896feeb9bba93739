/** managedFields: the owners of fields, recorded with every write. */
import { updateManagedFields } from '../apply/managers.ts'
import { equals, type PathSet, storedPathSet } from '../apply/path-set.ts'
import { equalValues } from '../apply/value.ts'
import { type OtherVersions, UnconvertibleError } from '../apply/versions.ts'
import type { Kind } from '../catalog/kind.ts'
import type { JsonObject } from '../go/json-value.ts'
import { rfc3339Seconds } from '../go/time.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../meta/object-meta.ts'
import type { Registry } from './registry.ts'
import { strategyOf } from './strategy.ts'
import { isFailedConversion } from './versions.ts'

/** Finds the versions of a kind. */
type KindsByName = Pick<Registry, 'kindOf'>

/** Whether what is owned may have been recorded along another type: a definition's schema may change. */
export const typeVariesOf = (kind: Kind): { readonly typeVaries?: true } => (kind.codec.typeVaries ? { typeVaries: true } : {})

/** Gives the object these entries; an empty list removes the field. */
export function setManagers(object: KubernetesObject, managers: readonly ManagedFieldsEntry[]): void {
  if (managers.length === 0) delete object.metadata.managedFields
  else object.metadata.managedFields = [...managers]
}

const json = (object: KubernetesObject): JsonObject => object as unknown as JsonObject

/** The error for an entry of this version, whose fields cannot be converted; undefined if the entry is dropped instead. */
function refusalOf({ codec }: Kind, apiVersion: string): UnconvertibleError | undefined {
  if (apiVersion.split('/').length > 2) return new UnconvertibleError(`unexpected GroupVersion string: ${apiVersion}`)
  return codec.unknownVersion(apiVersion)
}

/**
 * The other versions in which the objects of a kind are served, and for a custom resource also those that its definition
 * declares and does not serve: entries of managedFields may name them. For built-in kinds, entries of unknown versions and of
 * other groups are dropped: upstream has no conversion to them.
 */
export function otherVersionsOf(registry: KindsByName, kind: Kind, subresource: string): OtherVersions {
  return (apiVersion) => {
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    const other = registry.kindOf(group, version, kind.resource)
    if (group !== kind.group || other === undefined) {
      const refusal = refusalOf(kind, apiVersion)
      if (refusal !== undefined) throw refusal
      return undefined
    }
    return {
      type: other.type,
      resetFields: strategyOf(other).resetFieldsOf(subresource),
      fromRequested: (object) => kind.codec.convert(object, other),
      toRequested: (object) => other.codec.convert(object, kind),
    }
  }
}

/**
 * The object that was sent, as it will be read from storage: fields that conversion adds belong to the manager too. For a custom
 * resource all fields that were sent belong to the manager, even if storage loses them.
 */
export function settled(kind: Kind, object: KubernetesObject): KubernetesObject {
  const { conversion, codec } = kind
  if (conversion === undefined || codec.internalVersion === 'request') return object
  return conversion.fromStorage(conversion.toStorage(object))
}

/** Records a create: all that the object says belongs to `manager`, but for what the strategy resets. */
export function trackCreate(
  registry: KindsByName,
  kind: Kind,
  object: KubernetesObject,
  manager: string,
  resetFields: PathSet,
  now: number,
  subresource = '',
): void {
  const update = (): ManagedFieldsEntry[] =>
    updateManagedFields({
      type: kind.type,
      apiVersion: kind.apiVersion,
      old: undefined,
      new: json(object),
      managers: [],
      manager,
      subresource,
      time: rfc3339Seconds(now),
      resetFields,
      otherVersion: otherVersionsOf(registry, kind, subresource),
      ...typeVariesOf(kind),
    })
  setManagers(object, unlessUnconvertible(update))
}

/** Records an update: what changed since `old` belongs to `manager`. If a conversion fails, nobody owns anything. */
export function trackUpdate(
  registry: Registry,
  kind: Kind,
  object: KubernetesObject,
  old: KubernetesObject,
  by: { readonly manager: string; readonly subresource: string; readonly resetFields: PathSet },
): void {
  const update = (): ManagedFieldsEntry[] =>
    updateManagedFields({
      type: kind.type,
      apiVersion: kind.apiVersion,
      old: json(old),
      new: json(object),
      managers: old.metadata.managedFields ?? [],
      manager: by.manager,
      subresource: by.subresource,
      time: rfc3339Seconds(registry.now()),
      resetFields: by.resetFields,
      otherVersion: otherVersionsOf(registry, kind, by.subresource),
      ...typeVariesOf(kind),
    })
  setManagers(object, unlessUnconvertible(update))
}

function unlessUnconvertible(update: () => ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  try {
    return update()
  } catch (error) {
    if (error instanceof UnconvertibleError || (error instanceof ApiError && isFailedConversion(error))) return []
    throw error
  }
}

const differsInTimeAlone = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean => {
  const { time: _a, fieldsV1: setA, ...restA } = a
  const { time: _b, fieldsV1: setB, ...restB } = b
  return equalValues(restA as JsonObject, restB as JsonObject) && equals(storedPathSet(setA), storedPathSet(setB))
}

/**
 * A write that in the end changes nothing but times of entries changes nothing: they are as they were.
 * Follows IgnoreManagedFieldsTimestampsTransformer.
 */
export function keepTimes(object: KubernetesObject, old: KubernetesObject): void {
  const [now, before] = [object.metadata.managedFields ?? [], old.metadata.managedFields ?? []]
  if (now.length !== before.length || now.every((entry, i) => entry.time === before[i]?.time)) return
  if (!now.every((entry, i) => differsInTimeAlone(entry, before[i] ?? {}))) return
  const { metadata, apiVersion: _apiVersion, kind: _kind, ...rest } = object
  const { metadata: oldMetadata, apiVersion: _oldApiVersion, kind: _oldKind, ...oldRest } = old
  const { managedFields: _managedFields, resourceVersion: _resourceVersion, ...meta } = metadata
  const { managedFields, resourceVersion: _oldResourceVersion, ...oldMeta } = oldMetadata
  if (!equalValues(rest as JsonObject, oldRest as JsonObject)) return
  if (managedFields !== undefined && equalValues(meta as unknown as JsonObject, oldMeta as unknown as JsonObject)) {
    object.metadata.managedFields = managedFields
  }
}
