/** Conversion between objects and their rows in the store. */
import type { Kind } from '../catalog/kind.ts'
import { parseStoredJson } from '../go/json.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Stored } from '../storage/store.ts'

/** The size limit of an object in bytes: etcd's limit of a request, which applies to kube-apiserver too. */
const maximumBytes = 1.5 * 1024 * 1024

/** Returns the key `<resource>[.<group>]/<namespace>/<name>`, without the namespace for cluster-scoped kinds. */
export function keyOf(kind: Kind, namespace: string, name: string): string {
  return kind.namespaced ? `${kind.storage.prefix}/${namespace}/${name}` : `${kind.storage.prefix}/${name}`
}

/** Returns the prefix of all keys of a kind, or of those in one namespace. */
export function prefixOf(kind: Kind, namespace: string): string {
  return namespace === '' ? `${kind.storage.prefix}/` : `${kind.storage.prefix}/${namespace}/`
}

/**
 * Returns the kind that reads and changes an object in the version in which it is stored: for changes of metadata that must not
 * depend on a conversion webhook.
 * @param kindOf returns the kind of a version
 */
export function kindOfStored(kind: Kind, stored: Stored, kindOf: (version: string) => Kind | undefined): Kind {
  if (!kind.codec.hasWebhook) return kind
  const version = kind.codec.storedVersion(stored)
  return (kindOf(version) ?? kind).asStored(version)
}

/**
 * Returns the store's row of an object.
 * @param kind the kind whose storage version the object has
 * @throws ApiError 500 with etcd's message if the object is too large
 */
export function storedOf(kind: Kind, key: string, object: KubernetesObject, resourceVersion: number): Stored {
  return recordOf(key, object, resourceVersion, kind.codec.encodeAt(object, resourceVersion))
}

/**
 * Does the same for an object whose value with an earlier resourceVersion is known.
 * @param value the value of the object with the resourceVersion of `earlier`
 */
export function storedAfter(
  kind: Kind,
  earlier: Stored,
  object: KubernetesObject,
  value: string,
  resourceVersion: number,
): Stored {
  return recordOf(earlier.key, object, resourceVersion, kind.codec.encodeAfter({ ...earlier, value }, object, resourceVersion))
}

function recordOf(key: string, object: KubernetesObject, resourceVersion: number, value: string): Stored {
  // A UTF-16 code unit takes at most three bytes of UTF-8, so most values need no counting.
  if (value.length * 3 > maximumBytes && Buffer.byteLength(value) > maximumBytes) {
    throw new ApiError(500, '', 'etcdserver: request is too large')
  }
  const { labels } = object.metadata
  return { key, resourceVersion, value, labels: labels === undefined ? '' : JSON.stringify(labels) }
}

/** Parses the object in its storage version, without apiVersion and kind. */
export function objectOf(stored: Stored): KubernetesObject {
  return parseStoredJson(stored.value) as unknown as KubernetesObject
}

/** Converts an object from the version of the request to the internal version, which strategies see. */
export function toStrategyVersion({ codec, conversion }: Kind, object: KubernetesObject): KubernetesObject {
  return codec.internalVersion === 'storage' ? (conversion?.toStorage(object) ?? object) : object
}

/** Converts an object from the internal version, which strategies see, to the storage version. */
export function toStorageVersion({ codec, conversion }: Kind, object: KubernetesObject): KubernetesObject {
  return codec.internalVersion === 'storage' ? object : (conversion?.toStorage(object) ?? object)
}
