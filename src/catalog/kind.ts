/**
 * A kind is data: the one record from which every room learns what a resource is.
 * Built-in kinds come from the generated tables; custom resources will be the same record.
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
  /** `v1`, `apps/v1`: as objects carry it. */
  readonly apiVersion: string
  readonly kind: string
  readonly listKind: string
  readonly resource: string
  readonly singular: string
  readonly namespaced: boolean
  readonly verbs: ReadonlySet<string>
  readonly subresources: ReadonlyMap<string, SubresourceTable>
  readonly lifecycle: Lifecycle | undefined
  /** The Go type of the objects, resolved at its first use. */
  readonly type: Type
  /** The text that makes a stored value a whole object when it stands in front. */
  readonly typeMetaPrefix: string
  /** The collection and the version in which the objects are stored. */
  readonly storage: StorageLocation
  /** Absent if the objects are stored in this very version. */
  readonly conversion: Conversion | undefined
  /** The definition of a custom resource; absent for built-in kinds. */
  readonly definition?: DefinedKind
}

/** A resource in one version, with all that serving it takes. */
export interface Kind extends KindFacts {
  readonly codec: ObjectCodec
  /**
   * The same kind for objects that are left in the version in which they are stored: nothing is converted. Always the same for
   * the same version.
   * @param version in which the objects are stored; left out, it may be any
   */
  readonly asStored: (version?: string) => Kind
}

/** The paths of a custom resource's replicas and selector, step by step. */
export interface ScalePaths {
  readonly specReplicas: readonly string[]
  readonly statusReplicas: readonly string[]
  /** Undefined if there is no selector. */
  readonly labelSelector: readonly string[] | undefined
}

/** The part of a CustomResourceDefinition that concerns one version, without the reading of its objects. */
export interface DefinedKind {
  /** Names the state of the definition from which this was made. */
  readonly tag: string
  readonly hasStatus: boolean
  /** The status of objects that have none; undefined if the schema gives none. */
  readonly defaultStatus: JsonValue | undefined
  readonly scale: ScalePaths | undefined
  /** Finds what is wrong with a new object, metadata left out. Objects are without apiVersion and kind. */
  readonly validate: (object: KubernetesObject) => FieldError[]
  /**
   * Finds what is wrong with a change of the object, or of its status alone.
   * @param warn gets what is tolerated because it was so before
   */
  readonly validateUpdate: (
    object: KubernetesObject,
    old: KubernetesObject,
    subresource: '' | 'status',
    warn: (text: string) => void,
  ) => FieldError[]
  /** Warnings for every client of the version. */
  readonly warnings: readonly string[]
}

/** Between a served version and the storage version, without loss. Objects are without apiVersion and kind. */
export interface Conversion {
  /** @throws MissingLookups if a webhook has to be asked first; the same for the others */
  readonly toStorage: (object: KubernetesObject) => KubernetesObject
  /** The object of a custom resource says, by its resourceVersion or itself, in which version it was stored. */
  readonly fromStorage: (object: KubernetesObject) => KubernetesObject
  /** Present if a webhook converts. */
  readonly remote?: RemoteConversion
}

/** Stored values converted by a webhook, many at once. */
export interface RemoteConversion {
  /**
   * Objects of values as they are stored, in the version of the kind.
   * @throws ApiError if the webhook fails
   */
  readonly show: (values: readonly string[]) => Promise<readonly KubernetesObject[]>
  /** @throws MissingLookups unless all of them can be shown at once */
  readonly require: (values: readonly string[]) => void
}

/** The collection that holds a resource's objects. Two versions of one resource share it. */
export interface StorageLocation {
  readonly group: string
  readonly version: string
  readonly resource: string
  /** `<resource>[.<group>]`: how keys of the collection begin. */
  readonly prefix: string
  /** How keys begin in kube-apiserver's etcd: messages about preconditions show them. */
  readonly etcdPrefix: string
}

/** `v1`, `apps/v1`. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}
