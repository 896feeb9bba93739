/** Between objects in memory and what the store holds. */
import type { Kind } from '../catalog/kind.ts'
import { ApiError } from '../meta/errors.ts'
import { escapeHtml } from '../meta/go-text.ts'
import { parseJson } from '../meta/json.ts'
import { sortedJson } from '../meta/json-sorted.ts'
import type { JsonObject } from '../meta/json-value.ts'
import type { KubernetesObject, ObjectMeta } from '../meta/object-meta.ts'
import type { Stored } from '../storage/store.ts'
import { wholeCustomText } from './custom-text.ts'

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
  return kind.custom === undefined ? escapeHtml(JSON.stringify({ metadata: ordered, ...rest })) : customValue(ordered, rest)
}

/**
 * What the store keeps of an object.
 * @throws ApiError 500 as etcd's refusal reaches the client, where the object is too large
 */
export function storedOf(kind: Kind, key: string, object: KubernetesObject, resourceVersion: number): Stored {
  const value = encodeValue(kind, object, String(resourceVersion))
  // A UTF-16 unit is at most three bytes of UTF-8: most values need no counting.
  if (value.length * 3 > maximumBytes && Buffer.byteLength(value) > maximumBytes) {
    throw new ApiError(500, '', 'etcdserver: request is too large')
  }
  const { labels } = object.metadata
  return { key, resourceVersion, value, labels: labels === undefined ? '' : JSON.stringify(labels) }
}

/** The object in its storage version, without apiVersion and kind. */
export function objectOf(stored: Stored): KubernetesObject {
  return parseJson(stored.value) as unknown as KubernetesObject
}

/** A whole object as it is answered, of a value as it is stored. */
export function wholeText(kind: Kind, value: string): string {
  const shown = shownValue(kind, value)
  return kind.custom?.hasFieldsBeforeMetadata === true ? wholeCustomText(kind, shown) : `${kind.prologue}${shown.slice(1)}`
}

/**
 * The form in which strategies see an object of the request's version: that of the storage version. Custom resources are
 * looked at in the version of the request.
 */
export function strategyForm(kind: Kind, object: KubernetesObject): KubernetesObject {
  return kind.custom === undefined ? (kind.conversion?.toStorage(object) ?? object) : object
}

/** The form in which an object is stored, of the one that strategies see. */
export function storageForm(kind: Kind, object: KubernetesObject): KubernetesObject {
  return kind.custom === undefined ? object : (kind.conversion?.toStorage(object) ?? object)
}

/** A stored value in the version in which it is served. */
export function shownValue(kind: Kind, value: string): string {
  if (kind.conversion === undefined) return value
  const object = kind.conversion.fromStorage(parseJson(value) as unknown as KubernetesObject)
  return kind.custom === undefined ? JSON.stringify(object) : encodeValue(kind, object, object.metadata.resourceVersion ?? '')
}
