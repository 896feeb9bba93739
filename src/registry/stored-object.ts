/** Between objects in memory and what the store holds. */
import type { Kind } from '../catalog/kind.ts'
import { parseStoredJson } from '../go/json.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Stored } from '../storage/store.ts'

/** The limit of an object: kube-apiserver has it from the largest request that etcd takes. */
const maximumBytes = 1.5 * 1024 * 1024

/** `<resource>[.<group>]/<namespace>/<name>`, the namespace left out for cluster-scoped kinds. */
export function keyOf(kind: Kind, namespace: string, name: string): string {
  return kind.namespaced ? `${kind.storage.prefix}/${namespace}/${name}` : `${kind.storage.prefix}/${name}`
}

/** The prefix of all keys of a kind, in one namespace if one is given. */
export function prefixOf(kind: Kind, namespace: string): string {
  return namespace === '' ? `${kind.storage.prefix}/` : `${kind.storage.prefix}/${namespace}/`
}

/**
 * The kind in which an object can be read and changed as it is stored: for what concerns its metadata alone, and must not
 * depend on a webhook. `kindOf` gives the kind of a version.
 */
export function kindOfStored(kind: Kind, stored: Stored, kindOf: (version: string) => Kind | undefined): Kind {
  if (!kind.codec.hasWebhook) return kind
  const version = kind.codec.storedVersion(stored)
  return (kindOf(version) ?? kind).asStored(version)
}

/**
 * The row that the store keeps for an object.
 * @param kind in whose storage version the object is
 * @throws ApiError 500 as etcd's refusal reaches the client, if the object is too large
 */
export function storedOf(kind: Kind, key: string, object: KubernetesObject, resourceVersion: number): Stored {
  return recordOf(key, object, resourceVersion, kind.codec.encodeAt(object, resourceVersion))
}

/**
 * The same of an object whose value under an earlier resourceVersion is known.
 * @param value of the object under the resourceVersion of `earlier`
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

/** An object of the request's version in the one in which strategies see it. */
export function toStrategyVersion({ codec, conversion }: Kind, object: KubernetesObject): KubernetesObject {
  return codec.internalVersion === 'storage' ? (conversion?.toStorage(object) ?? object) : object
}

/** An object of the version in which strategies see it in the one in which it is stored. */
export function toStorageVersion({ codec, conversion }: Kind, object: KubernetesObject): KubernetesObject {
  return codec.internalVersion === 'storage' ? object : (conversion?.toStorage(object) ?? object)
}

/** A value in the version in which printers and field selectors see objects. */
export function toInternalVersion({ codec }: Kind, value: string): string {
  return codec.internalVersion === 'storage' ? value : codec.toRequestVersion(value)
}
