/**
 * A kind is data: the one record from which every room learns what a resource is.
 * Built-in kinds come from the generated tables; custom resources will be the same record.
 */

import type { JsonValue } from '../go/json-value.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Lifecycle, ResourceTable, SubresourceTable, VersionTable } from '../schema/tables.ts'
import type { Type } from '../schema/type.ts'
import type { Printer } from './printers/printer.ts'

/** A resource in one version, with all that serving it takes. */
export interface Kind {
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
  /** What stands in front of a stored value to make it a whole object. */
  readonly typeMetaPrefix: string
  /** Where and in which version the objects are stored. */
  readonly storage: StorageLocation
  /** Absent where the objects are stored in this very version. */
  readonly conversion: Conversion | undefined
  /** What comes from the definition of a custom resource; absent for built-in kinds. */
  readonly custom?: CustomKind
}

/** How much is told of fields that a body has and its kind does not know. */
type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** Where a custom resource has its replicas, as paths with dots. */
export interface ScalePaths {
  readonly specReplicas: readonly string[]
  readonly statusReplicas: readonly string[]
  /** Absent where there is no selector. */
  readonly labelSelector: readonly string[] | undefined
}

/** A field that selectors of a custom resource may name. */
export interface SelectableField {
  readonly name: string
  readonly valueOf: (object: KubernetesObject) => string
}

/** What a CustomResourceDefinition says of a version. */
export interface CustomKind {
  /** Of the definition, in the state of which this was made. */
  readonly tag: string
  /** The version in which was stored what was written at a resourceVersion, unless the value says otherwise. */
  readonly writtenIn: (resourceVersion: number) => string
  /**
   * From this version to another one, for those who can go on without it; absent where no webhook has to be asked.
   * @throws MissingLookups first, then ApiError if the webhook fails
   */
  readonly convert?: (object: KubernetesObject, version: string) => KubernetesObject
  /**
   * Makes an object of a body: pruned and defaulted, with what is to be warned of.
   * @param text the body as it came, where duplicate fields are to be found
   * @param nulls whether fields that may not be null are left out where they are
   * @throws DecodeError where it is none
   */
  readonly decode: (
    value: JsonValue,
    text: string | undefined,
    validation: FieldValidation,
    nulls?: 'left out' | 'kept',
  ) => { readonly object: KubernetesObject; readonly warnings: readonly string[] }
  readonly hasStatus: boolean
  /** The status of objects that have none; undefined where the schema gives none. */
  readonly defaultStatus: JsonValue | undefined
  readonly scale: ScalePaths | undefined
  /** What is wrong with a new object, metadata left out. Objects are without apiVersion and kind. */
  readonly validate: (object: KubernetesObject) => FieldError[]
  /**
   * What is wrong with a change of the object, or of its status alone.
   * @param warn is told what is let pass because it was so before
   */
  readonly validateUpdate: (
    object: KubernetesObject,
    old: KubernetesObject,
    subresource: '' | 'status',
    warn: (text: string) => void,
  ) => FieldError[]
  /** Whether objects may have fields whose names stand before `metadata`, beside apiVersion and kind. */
  readonly hasFieldsBeforeMetadata: boolean
  readonly printer: Printer
  readonly selectableFields: readonly SelectableField[]
  /** What every client of the version is told. */
  readonly warnings: readonly string[]
}

/** Between a served version and the storage version, without loss. Objects are without apiVersion and kind. */
export interface Conversion {
  /** @throws MissingLookups if a webhook has to be asked first; the same for the others */
  readonly toStorage: (object: KubernetesObject) => KubernetesObject
  /** Of a custom resource the object says, by its resourceVersion or itself, in which version it was stored. */
  readonly fromStorage: (object: KubernetesObject) => KubernetesObject
  /** Present where a webhook converts. */
  readonly remote?: RemoteConversion
}

/** Stored values converted by a webhook, many at once. */
export interface RemoteConversion {
  /** The same kind for values of what `show` has answered: nothing is left to be converted. */
  readonly shown: Kind
  /**
   * Objects of values as they are stored, in the version of the kind.
   * @throws ApiError where the webhook fails
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
}

/**
 * Resources that are stored under another group or version than they are served in:
 * what kube-apiserver's storage factory says of them.
 */
const storedElsewhere: Readonly<Record<string, Omit<StorageLocation, 'prefix'>>> = {
  'events.k8s.io/v1/events': { group: '', version: 'v1', resource: 'events' },
  'autoscaling/v1/horizontalpodautoscalers': { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' },
}

/** `v1`, `apps/v1`. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}

function storageOf(table: VersionTable, resource: ResourceTable): StorageLocation {
  const elsewhere = storedElsewhere[`${table.group}/${table.version}/${resource.resource}`]
  const at = elsewhere ?? { group: table.group, version: table.version, resource: resource.resource }
  return { ...at, prefix: at.group === '' ? at.resource : `${at.resource}.${at.group}` }
}

/**
 * Makes the Kind of a resource.
 * @param resolve gives the resolved type of a reference such as `apps/v1.Deployment`
 * @param conversion absent where objects are stored in this very version
 */
export function makeKind(
  table: VersionTable,
  resource: ResourceTable,
  resolve: (reference: string) => Type,
  conversion: Conversion | undefined,
): Kind {
  const apiVersion = apiVersionOf(table.group, table.version)
  let type: Type | undefined
  return {
    group: table.group,
    version: table.version,
    apiVersion,
    kind: resource.kind,
    listKind: `${resource.kind}List`,
    resource: resource.resource,
    singular: resource.singular,
    namespaced: resource.namespaced,
    verbs: new Set(resource.verbs),
    subresources: new Map((resource.subresources ?? []).map((s) => [s.name, s])),
    lifecycle: resource.lifecycle,
    get type() {
      type ??= resolve(`${table.package}/${table.version}.${resource.kind}`)
      return type
    },
    typeMetaPrefix: `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersion)},`,
    storage: storageOf(table, resource),
    conversion,
  }
}
