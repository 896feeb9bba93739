/**
 * A kind: all facts about a resource in one version. Built-in kinds are made from the generated tables, custom kinds from their
 * CustomResourceDefinition.
 */

import type { JsonValue } from '../go/json-value.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Lifecycle, SubresourceTable } from '../schema/tables.ts'
import type { Type } from '../schema/type.ts'
import type { ObjectCodec } from './object-codec.ts'

/** The facts about a resource in one version. */
export interface KindFacts {
  readonly group: string
  readonly version: string
  /** The apiVersion of the objects: `v1`, `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
  readonly listKind: string
  readonly resource: string
  readonly singular: string
  readonly namespaced: boolean
  readonly verbs: ReadonlySet<string>
  readonly subresources: ReadonlyMap<string, SubresourceTable>
  readonly lifecycle: Lifecycle | undefined
  /** The Go type of the objects, resolved on first use. */
  readonly type: Type
  /** The text that replaces the opening brace of a stored value to make it a whole object: `{"kind":…,"apiVersion":…,`. */
  readonly typeMetaPrefix: string
  /** The collection and the version in which the objects are stored. */
  readonly storage: StorageLocation
  /** Undefined if the objects are stored in this version. */
  readonly conversion: Conversion | undefined
  /** The definition of a custom resource; absent for built-in kinds. */
  readonly definition?: DefinedKind
  /** Present if this is the kind as an older release has it. */
  readonly older?: OlderKind
}

/** A kind without the fields that came after a release. */
export interface OlderKind {
  /** The release: `1.21`. */
  readonly release: string
  /** The same kind with all fields. */
  readonly whole: Kind
}

/** A resource in one version, with the codec of its objects. */
export interface Kind extends KindFacts {
  readonly codec: ObjectCodec
  /**
   * Returns the same kind without conversion: its objects stay in the version in which they are stored. Returns the same instance
   * for the same version.
   * @param version the version in which the objects are stored; any version if absent
   */
  readonly asStored: (version?: string) => Kind
}

/** The field paths of a custom resource's subresource `scale`. */
export interface ScalePaths {
  readonly specReplicas: readonly string[]
  readonly statusReplicas: readonly string[]
  /** Undefined if the definition has no labelSelectorPath. */
  readonly labelSelector: readonly string[] | undefined
}

/** A version of a CustomResourceDefinition. */
export interface DefinedVersion {
  readonly name: string
  readonly subresources: readonly string[]
}

/** One version of a CustomResourceDefinition, without the codec of its objects. */
export interface DefinedKind {
  /** Identifies the state of the definition from which this kind was made. */
  readonly tag: string
  /** All versions of the definition in its order, also those that are not served. */
  readonly versions: readonly DefinedVersion[]
  /** Whether this version is served or stored. */
  readonly isUsed: boolean
  readonly hasStatus: boolean
  /** The status for objects without one; undefined if the schema has no default for it. */
  readonly defaultStatus: JsonValue | undefined
  readonly scale: ScalePaths | undefined
  /** Validates a new object, except its metadata. The object has no apiVersion and kind. */
  readonly validate: (object: KubernetesObject) => FieldError[]
  /**
   * Validates an update of the object or of its status alone.
   * @param warn receives errors that are tolerated because the old object has them too
   */
  readonly validateUpdate: (
    object: KubernetesObject,
    old: KubernetesObject,
    subresource: '' | 'status',
    warn: (text: string) => void,
  ) => FieldError[]
  /** Warnings for every request to this version. */
  readonly warnings: readonly string[]
}

/** Lossless conversion between a served version and the storage version. The objects have no apiVersion and kind. */
export interface Conversion {
  /** @throws MissingLookups if the conversion webhook must be called first; the other functions too */
  readonly toStorage: (object: KubernetesObject) => KubernetesObject
  /** Does the same without setting defaults. Absent if `toStorage` sets none. */
  readonly toStorageAsIs?: (object: KubernetesObject) => KubernetesObject
  /**
   * Converts a stored object. A custom resource contains the version in which it is stored, in its resourceVersion or in itself.
   */
  readonly fromStorage: (object: KubernetesObject) => KubernetesObject
  /** Whether a stored object has the same JSON in this version: it is not parsed then. Absent: it does not. */
  readonly keepsJson?: () => boolean
  /** Present if a webhook converts, or if some objects cannot be converted. */
  readonly remote?: RemoteConversion
}

/** Conversion of stored values that may fail: by a webhook, many values per call, or of objects some of which cannot be read. */
export interface RemoteConversion {
  /** Whether the conversion of some stored object fails in any case. */
  readonly isFailing?: true
  /**
   * Converts stored values to objects in the version of the kind.
   * @throws ApiError if the webhook fails
   */
  readonly show: (values: readonly string[]) => Promise<readonly KubernetesObject[]>
  /** @throws MissingLookups unless the conversions of all values are cached */
  readonly require: (values: readonly string[]) => void
}

/** The collection that stores a resource's objects. All versions of a resource share it. */
export interface StorageLocation {
  readonly group: string
  readonly version: string
  readonly resource: string
  /** The prefix of the collection's keys: `<resource>[.<group>]`. */
  readonly prefix: string
  /** The prefix of the keys in kube-apiserver's etcd, which messages about preconditions contain. */
  readonly etcdPrefix: string
}

/** Returns the apiVersion of a group and version: `v1`, `apps/v1`. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}
