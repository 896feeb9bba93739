/** Between objects in memory and what the store holds. */
import type { Kind } from '../catalog/kind.ts'
import { parseStoredJson } from '../go/json.ts'
import { sortedJson, structJson } from '../go/json-sorted.ts'
import type { JsonObject } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject, ObjectMeta } from '../meta/object-meta.ts'
import type { Stored } from '../storage/store.ts'
import { withResourceVersion } from '../storage/value-version.ts'
import { withCustomTypeMeta } from './encoding/custom-text.ts'

/** What etcd takes in one request, of which kube-apiserver makes the limit of an object. */
const maximumBytes = 1.5 * 1024 * 1024

/** `<resource>[.<group>]/<namespace>/<name>`, the namespace left out for cluster-scoped kinds. */
export function keyOf(kind: Kind, namespace: string, name: string): string {
  return kind.namespaced ? `${kind.storage.prefix}/${namespace}/${name}` : `${kind.storage.prefix}/${name}`
}

/** The prefix of all keys of a kind, in one namespace where one is given. */
export function prefixOf(kind: Kind, namespace: string): string {
  return namespace === '' ? `${kind.storage.prefix}/` : `${kind.storage.prefix}/${namespace}/`
}

/** The metadata in the order in which Go encodes it, under the given resourceVersion ('' leaves it out). */
function orderedMeta(meta: ObjectMeta, resourceVersion: string): ObjectMeta {
  const out: ObjectMeta = {}
  if (meta.name !== undefined) out.name = meta.name
  if (meta.generateName !== undefined) out.generateName = meta.generateName
  if (meta.namespace !== undefined) out.namespace = meta.namespace
  if (meta.selfLink !== undefined) out.selfLink = meta.selfLink
  if (meta.uid !== undefined) out.uid = meta.uid
  if (resourceVersion !== '') out.resourceVersion = resourceVersion
  if (meta.generation !== undefined && meta.generation !== 0) out.generation = meta.generation
  if (meta.creationTimestamp !== undefined) out.creationTimestamp = meta.creationTimestamp
  if (meta.deletionTimestamp !== undefined) out.deletionTimestamp = meta.deletionTimestamp
  if (meta.deletionGracePeriodSeconds !== undefined) out.deletionGracePeriodSeconds = meta.deletionGracePeriodSeconds
  if (meta.labels !== undefined) out.labels = meta.labels
  if (meta.annotations !== undefined) out.annotations = meta.annotations
  if (meta.ownerReferences !== undefined) out.ownerReferences = meta.ownerReferences
  if (meta.finalizers !== undefined && meta.finalizers.length > 0) out.finalizers = meta.finalizers
  if (meta.managedFields !== undefined && meta.managedFields.length > 0) out.managedFields = meta.managedFields
  return out
}

/** Custom resources are maps to Go, their metadata too. Metadata stand first all the same: they are cut out from there. */
function customValue(metadata: ObjectMeta, rest: object): string {
  const others = sortedJson(rest as JsonObject)
  const known = sortedJson(metadata as JsonObject)
  return others === '{}' ? `{"metadata":${known}}` : `{"metadata":${known},${others.slice(1)}`
}

/** The object's JSON without apiVersion and kind, metadata first. */
export function encodeValue(kind: Kind, object: KubernetesObject, resourceVersion: string): string {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object
  const ordered = orderedMeta(metadata, resourceVersion)
  return kind.custom === undefined ? structJson({ metadata: ordered, ...rest }) : customValue(ordered, rest)
}

/** How a value ends that says in which version it is. Within an object nothing can end so. */
const versionSuffix = /,"apiVersion":"[^"]*\/([^"/]*)"\}$/

/** Longer than what it matches can be. */
const suffixUnits = 400

const suffixVersion = (value: string): string | undefined => versionSuffix.exec(value.slice(-suffixUnits))?.[1]

/** A value that says in which version it is, where its resourceVersion does not tell. */
function withVersionSuffix({ custom, group }: Kind, value: string, version: string, resourceVersion: number): string {
  if (custom === undefined || custom.writtenIn(resourceVersion) === version || suffixVersion(value) !== undefined) return value
  return `${value.slice(0, -1)},"apiVersion":${JSON.stringify(`${group}/${version}`)}}`
}

/** A value as it may be sent. */
function withoutVersionSuffix(value: string): string {
  const said = value.endsWith('"}') ? versionSuffix.exec(value.slice(-suffixUnits)) : null
  return said === null ? value : `${value.slice(0, -said[0].length)}}`
}

/** The version in which an object is stored. */
export function storedVersion({ custom, storage }: Kind, { value, resourceVersion }: Stored): string {
  return custom === undefined ? storage.version : (suffixVersion(value) ?? custom.writtenIn(resourceVersion))
}

/** The value of an object, which is in the storage version of the kind, under a resourceVersion. */
export function encodeAt(kind: Kind, object: KubernetesObject, resourceVersion: number): string {
  return withVersionSuffix(kind, encodeValue(kind, object, String(resourceVersion)), kind.storage.version, resourceVersion)
}

/** A stored object under a later resourceVersion. */
export function withLaterResourceVersion(kind: Kind, stored: Stored, resourceVersion: number): Stored {
  const { writtenAt: _, ...moved } = withResourceVersion(stored, resourceVersion)
  return { ...moved, value: withVersionSuffix(kind, moved.value, storedVersion(kind, stored), resourceVersion) }
}

/** The value of an object that may be shown under a later resourceVersion: it says then in which version it is. */
export function withStoredVersion(kind: Kind, { value, resourceVersion, writtenAt }: Stored): string {
  if (kind.custom === undefined || writtenAt === undefined) return value
  return withVersionSuffix(kind, value, kind.custom.writtenIn(writtenAt), resourceVersion)
}

/**
 * The kind in which an object can be read and changed as it is stored: for what concerns its metadata alone, and must not
 * depend on a webhook. `kindOf` gives the kind of a version.
 */
export function kindOfStored(kind: Kind, stored: Stored, kindOf: (version: string) => Kind | undefined): Kind {
  if (kind.custom?.convert === undefined) return kind
  const version = storedVersion(kind, stored)
  const own = kindOf(version) ?? kind
  return Object.create(own, {
    conversion: { value: undefined },
    storage: { value: { ...own.storage, version } },
  }) as Kind
}

const unconvertedKinds = new WeakMap<Kind, Kind>()

/** The same kind for objects that are shown as they are stored, in whatever version that is. */
export function withoutConversion(kind: Kind): Kind {
  if (kind.conversion?.remote === undefined) return kind
  const known = unconvertedKinds.get(kind) ?? (Object.create(kind, { conversion: { value: undefined } }) as Kind)
  unconvertedKinds.set(kind, known)
  return known
}

/**
 * What the store keeps of an object.
 * @param kind in whose storage version the object is
 * @throws ApiError 500 as etcd's refusal reaches the client, where the object is too large
 */
export function storedOf(kind: Kind, key: string, object: KubernetesObject, resourceVersion: number): Stored {
  return recordOf(key, object, resourceVersion, encodeAt(kind, object, resourceVersion))
}

/**
 * The same of an object whose value under an earlier resourceVersion is there.
 * @param value what valueUnder gives for `earlier`
 */
export function storedAfter(
  kind: Kind,
  earlier: Stored,
  object: KubernetesObject,
  value: string,
  resourceVersion: number,
): Stored {
  const { key } = earlier
  if (kind.custom !== undefined) return storedOf(kind, key, object, resourceVersion)
  return recordOf(key, object, resourceVersion, withResourceVersion({ ...earlier, value }, resourceVersion).value)
}

function recordOf(key: string, object: KubernetesObject, resourceVersion: number, value: string): Stored {
  // A UTF-16 unit is at most three bytes of UTF-8: most values need no counting.
  if (value.length * 3 > maximumBytes && Buffer.byteLength(value) > maximumBytes) {
    throw new ApiError(500, '', 'etcdserver: request is too large')
  }
  const { labels } = object.metadata
  return { key, resourceVersion, value, labels: labels === undefined ? '' : JSON.stringify(labels) }
}

/** The object in its storage version, without apiVersion and kind. */
export function objectOf(stored: Stored): KubernetesObject {
  return parseStoredJson(stored.value) as unknown as KubernetesObject
}

/** A whole object as it is answered, of a value as it is stored. */
export function withTypeMeta(kind: Kind, value: string): string {
  const shown = toRequestVersion(kind, value)
  return kind.custom?.hasFieldsBeforeMetadata === true
    ? withCustomTypeMeta(kind, shown)
    : `${kind.typeMetaPrefix}${shown.slice(1)}`
}

/**
 * The form in which strategies see an object of the request's version: that of the storage version. Custom resources are
 * looked at in the version of the request.
 */
export function toStrategyVersion(kind: Kind, object: KubernetesObject): KubernetesObject {
  return kind.custom === undefined ? (kind.conversion?.toStorage(object) ?? object) : object
}

/** The form in which an object is stored, of the one that strategies see. */
export function toStorageVersion(kind: Kind, object: KubernetesObject): KubernetesObject {
  return kind.custom === undefined ? object : (kind.conversion?.toStorage(object) ?? object)
}

/** A stored value in the version in which it is served. */
export function toRequestVersion(kind: Kind, value: string): string {
  if (kind.conversion === undefined) return kind.custom === undefined ? value : withoutVersionSuffix(value)
  const object = kind.conversion.fromStorage(parseStoredJson(value) as unknown as KubernetesObject)
  return kind.custom === undefined ? structJson(object) : encodeValue(kind, object, object.metadata.resourceVersion ?? '')
}
