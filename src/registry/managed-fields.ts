/** Updates metadata.managedFields with every write. Follows k8s.io/apimachinery/pkg/util/managedfields. */
import { withEmptyInElements } from '../apply/empty-in-elements.ts'
import { updateManagedFields } from '../apply/managers.ts'
import { EMPTY, equals, type PathSet, storedPathSet } from '../apply/path-set.ts'
import { rewrittenLists } from '../apply/quantity-lists.ts'
import { equalValues } from '../apply/value.ts'
import { type OtherVersions, UnconvertibleError } from '../apply/versions.ts'
import type { Kind } from '../catalog/kind.ts'
import { isServedKind } from '../catalog/served-versions.ts'
import type { JsonObject } from '../go/json-value.ts'
import { rfc3339Seconds } from '../go/time.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../meta/object-meta.ts'
import { explicitEmptyOf, withExplicitEmptyOf } from '../schema/explicit-empty.ts'
import { apart } from './apart.ts'
import { fit, fitReset } from './parity/update-no-errors.ts'
import type { Registry } from './registry.ts'
import { strategyOf } from './strategy.ts'
import { isFailedConversion } from './versions.ts'

/** The part of a registry that finds the versions of a kind. */
type KindsByName = Pick<Registry, 'kindOf' | 'resourceConfig'>

/** Returns whether entries may have been recorded with another type: the schema of a custom resource may change. */
export const typeVariesOf = (kind: Kind): { readonly typeVaries?: true } => (kind.codec.typeVaries ? { typeVaries: true } : {})

/** Sets the managedFields of an object. An empty list removes the field. */
export function setManagers(object: KubernetesObject, managers: readonly ManagedFieldsEntry[]): void {
  if (managers.length === 0) delete object.metadata.managedFields
  else object.metadata.managedFields = [...managers]
}

const json = (object: KubernetesObject): JsonObject => object as unknown as JsonObject

/** Returns the error for an entry of a version that cannot be converted; undefined if such an entry is dropped. */
function refusalOf({ codec }: Kind, apiVersion: string): UnconvertibleError | undefined {
  if (apiVersion.split('/').length > 2) return new UnconvertibleError(`unexpected GroupVersion string: ${apiVersion}`)
  return codec.unknownVersion(apiVersion)
}

/** Whether the cluster serves a version: kube-apiserver has no schema of others. */
function isServed({ resourceConfig }: KindsByName, kind: Kind): boolean {
  const config = resourceConfig?.()
  return kind.definition !== undefined || config === undefined || isServedKind(kind, config)
}

/**
 * Whether entries of another version lose reset fields, too: a custom resource names those of a main resource in one version, and
 * those of a subresource in the versions that have it and are served or stored.
 */
const isUnfiltered = ({ definition, subresources }: Kind, subresource: string): boolean =>
  definition !== undefined && !(definition.isUsed && subresources.has(subresource))

/**
 * Returns the lookup of other versions that entries of managedFields may name: the served versions of the kind and, for a custom
 * resource, those that its definition declares but does not serve. For built-in kinds, entries of unknown versions and of other
 * groups are dropped, because kube-apiserver has no conversion for them.
 */
export function otherVersionsOf(registry: KindsByName, kind: Kind, subresource: string): OtherVersions {
  return (apiVersion) => {
    const [version = '', group = ''] = apiVersion.split('/').reverse()
    const other = registry.kindOf(group, version, kind.resource)
    if (group !== kind.group || other === undefined || !isServed(registry, other)) {
      const refusal = refusalOf(kind, apiVersion)
      if (refusal !== undefined) throw refusal
      return undefined
    }
    return {
      type: other.type,
      resetFields: isUnfiltered(other, subresource) ? EMPTY : strategyOf(other).resetFieldsOf(subresource),
      fromRequested: (object) => kind.codec.convert(object, other),
      toRequested: (object) => other.codec.convert(object, kind),
    }
  }
}

/**
 * Returns the request's object after a round trip through the storage version: the manager also owns fields that the conversion
 * adds. For a custom resource the manager owns all sent fields, even if the conversion loses them.
 */
export function settled(kind: Kind, object: KubernetesObject): KubernetesObject {
  const { conversion, codec } = kind
  if (conversion === undefined || codec.internalVersion === 'request') return object
  return withExplicitEmptyOf(object, conversion.fromStorage(conversion.toStorage(object)))
}

/** The part of a registry that a record of managed fields needs. */
type Tracking = KindsByName & Pick<Registry, 'isLongWrite' | 'lookups'>

/** Records a create: `manager` owns all fields except those that the strategy resets. */
export function trackCreate(
  registry: Tracking,
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
  const managersOf = (): ManagedFieldsEntry[] => (fitReset(kind, object, resetFields) ? unlessUnconvertible(update) : [])
  setManagers(
    object,
    apart(registry, 'managedFields', () => object, managersOf),
  )
}

/** The writer of an update. */
interface UpdateBy {
  readonly manager: string
  readonly subresource: string
  readonly resetFields: PathSet
}

/** Records an update: `manager` owns all fields that differ from `old`. If a conversion fails, managedFields is removed. */
export function trackUpdate(registry: Registry, kind: Kind, object: KubernetesObject, old: KubernetesObject, by: UpdateBy): void {
  const update = (): ManagedFieldsEntry[] =>
    updateManagedFields({
      type: kind.type,
      apiVersion: kind.apiVersion,
      old: json(old),
      new: withEmptyInElements(kind.type, json(object), explicitEmptyOf(object)),
      managers: old.metadata.managedFields ?? [],
      manager: by.manager,
      subresource: by.subresource,
      time: rfc3339Seconds(registry.now()),
      resetFields: by.resetFields,
      rewritten: rewrittenLists(kind.type, json(object)),
      otherVersion: otherVersionsOf(registry, kind, by.subresource),
      ...typeVariesOf(kind),
    })
  const managersOf = (): ManagedFieldsEntry[] => (fit(kind, object, old, by.resetFields) ? unlessUnconvertible(update) : [])
  setManagers(
    object,
    apart(registry, 'managedFields', () => [object, old], managersOf),
  )
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
 * Restores the times of managedFields if the write changes nothing else, so that it is not stored.
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
