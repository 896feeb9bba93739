/**
 * The shape of the generated tables: what the Go types of a group's version say about their fields.
 *
 * A type is written as Go writes it, with the package as group and version in front of a name:
 * `string`, `*int32`, `[]core/v1.Container`, `map[string]string`, `*meta/v1.Time`, `resource.Quantity`,
 * `intstr.IntOrString`, `runtime.RawExtension`, `[]byte`. The core group is `core`, apimachinery's meta group is `meta`.
 * Of packages without tables there are only `resource.Quantity`, `intstr.IntOrString`, `runtime.RawExtension`,
 * `runtime.Object`, `time.Duration` and the named strings `types.UID` and `types.NodeName`; any JSON is `interface{}`.
 * Other groups are named by the folder in k8s.io/api (`apps`, `rbac`, `admissionregistration`).
 */
import type { JsonValue } from '../go/json-value.ts'

/** How server-side apply treats a list. Absent means atomic. */
export type ListType = 'atomic' | 'set' | 'map'

/** A field of a Go struct, seen from its JSON. */
export interface FieldTable {
  /** The Go type, see above. A pointer keeps its star: a zero value behind a pointer is written, one without is not. */
  readonly type: string
  /** The number on the wire of protobuf; absent where the type has no protobuf form. */
  readonly protobuf?: number
  /**
   * The numbers of the messages around the field on the wire of protobuf, from the outside in. JSON spreads an embedded
   * struct where protobuf nests it: a volume's `hostPath` is field 1 of message 2. Absent for a field of the struct's own.
   */
  readonly protobufPath?: readonly number[]
  /** `omitempty` stands in the JSON tag. */
  readonly omitempty?: true
  /** `omitzero` stands in the JSON tag. */
  readonly omitzero?: true
  /** The field must be given: neither `+optional` nor omitempty. */
  readonly required?: true
  /** `+default=`, as JSON. */
  readonly default?: JsonValue
  readonly listType?: ListType
  readonly listMapKeys?: readonly string[]
  readonly mapType?: 'atomic' | 'granular'
  readonly structType?: 'atomic' | 'granular'
  /** Strategic merge patch: `merge`, `replace`, `retainKeys`, comma-separated as in the tag. */
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
}

/** A named Go type: a struct with its fields in the order in which Go encodes them, or another name for a type. */
export type TypeTable =
  | {
      /** Embedded structs whose JSON is `inline` are already spread into `fields`, where they stand in the struct. */
      readonly fields: { readonly [jsonName: string]: FieldTable }
      /**
       * The type writes and reads its JSON itself. `fields` then are what protobuf carries, by their names there,
       * and say nothing about the JSON.
       */
      readonly customJson?: true
      /** `+structType=` on the type itself, or `+mapType=`, which says the same of a struct. */
      readonly structType?: 'atomic' | 'granular'
      /** `+mapType=` on the type itself. */
      readonly mapType?: 'atomic' | 'granular'
    }
  | {
      readonly alias: string
      readonly listType?: ListType
      readonly mapType?: 'atomic' | 'granular'
      /** `+enum`: the values that the API knows, in order. They are told in OpenAPI; what is allowed is up to validation. */
      readonly enum?: readonly string[]
      /** On the wire of protobuf a message of its own, whose field 1 repeats the elements of the list. */
      readonly message?: true
    }

/** A release in which something of the API began or ended, as [major, minor]. */
export type Release = readonly [major: number, minor: number]

/** When a kind in a version was introduced, deprecated and removed. Follows k8s:prerelease-lifecycle-gen. */
export interface Lifecycle {
  readonly introduced?: Release
  readonly deprecated?: Release
  readonly removed?: Release
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string }
}

/** A part of a resource with a path of its own. */
export interface SubresourceTable {
  readonly name: string
  /** The kind of the bodies; group and version where it is not the resource's own. */
  readonly kind: { readonly group?: string; readonly version?: string; readonly kind: string }
  readonly verbs: readonly string[]
}

/** A resource in one version. */
export interface ResourceTable {
  readonly resource: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly SubresourceTable[]
  readonly lifecycle?: Lifecycle
}

/** All of a group's version. */
export interface VersionTable {
  /** The group as the API names it: '' for core, 'rbac.authorization.k8s.io'. */
  readonly group: string
  readonly version: string
  /** The folder in k8s.io/api, as type references name it: 'core', 'rbac'. */
  readonly package: string
  /** Empty where the version has types only. */
  readonly resources: readonly ResourceTable[]
  readonly types: { readonly [goName: string]: TypeTable }
}
