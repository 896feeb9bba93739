/**
 * The format of the generated tables, which describe the Go types of a group version.
 *
 * A type is written in Go syntax, with the package as group and version before a name: `string`, `*int32`, `[]core/v1.Container`,
 * `map[string]string`, `*meta/v1.Time`, `resource.Quantity`, `intstr.IntOrString`, `runtime.RawExtension`, `[]byte`. The core
 * group is `core`, apimachinery's meta group is `meta`; other groups have the name of their folder in k8s.io/api (`apps`, `rbac`,
 * `admissionregistration`). From packages without tables there are only `resource.Quantity`, `intstr.IntOrString`,
 * `runtime.RawExtension`, `runtime.Object`, `time.Duration` and the named strings `types.UID` and `types.NodeName`; any JSON is
 * `interface{}`.
 */
import type { JsonValue } from '../go/json-value.ts'

/** The merge semantics of a list in server-side apply. Absent means atomic. */
export type ListType = 'atomic' | 'set' | 'map'

/** A field of a Go struct, by its JSON name. */
export interface FieldTable {
  /** The Go type, as above. The star of a pointer matters: a zero value behind a pointer is written, otherwise it is not. */
  readonly type: string
  /** The protobuf field number; absent if the type has no protobuf form. */
  readonly protobuf?: number
  /**
   * The protobuf field numbers of the enclosing messages, outermost first. An embedded struct is inline in JSON but a nested
   * message in protobuf: a volume's `hostPath` is field 1 of message 2. Absent for the struct's own fields.
   */
  readonly protobufPath?: readonly number[]
  /** The JSON tag has `omitempty`. */
  readonly omitempty?: true
  /** The JSON tag has `omitzero`. */
  readonly omitzero?: true
  /** The field is required: neither `+optional` nor omitempty. */
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

/** A named Go type: a struct with its fields in Go's encoding order, or an alias of another type. */
export type TypeTable =
  | {
      /** The fields, with the inlined ones of embedded structs at the position of the embedded struct. */
      readonly fields: { readonly [jsonName: string]: FieldTable }
      /**
       * The type has its own MarshalJSON and UnmarshalJSON. Then `fields` describes only its protobuf form, by the names there.
       */
      readonly customJson?: true
      /** `+structType=` on the type itself, or `+mapType=`, which means the same for a struct. */
      readonly structType?: 'atomic' | 'granular'
      /** `+mapType=` on the type itself. */
      readonly mapType?: 'atomic' | 'granular'
    }
  | {
      readonly alias: string
      readonly listType?: ListType
      readonly mapType?: 'atomic' | 'granular'
      /** `+enum`: the values of the enumeration in order, for OpenAPI. Validation decides which values are allowed. */
      readonly enum?: readonly string[]
      /** Whether the list is a protobuf message of its own, whose field 1 repeats the elements. */
      readonly message?: true
    }

/** A Kubernetes release as [major, minor]. */
export type Release = readonly [major: number, minor: number]

/** The releases in which a kind's version was introduced, deprecated and removed. Follows k8s:prerelease-lifecycle-gen. */
export interface Lifecycle {
  readonly introduced?: Release
  readonly deprecated?: Release
  readonly removed?: Release
  readonly replacement?: { readonly group: string; readonly version: string; readonly kind: string }
}

/** A subresource. */
export interface SubresourceTable {
  readonly name: string
  /** The kind of its bodies, with group and version if they are not those of the resource. */
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

/** The resources and types of a group version. */
export interface VersionTable {
  /** The API group: '' for core, 'rbac.authorization.k8s.io'. */
  readonly group: string
  readonly version: string
  /** The folder in k8s.io/api, as in type references: 'core', 'rbac'. */
  readonly package: string
  /** Empty if the version has only types. */
  readonly resources: readonly ResourceTable[]
  readonly types: { readonly [goName: string]: TypeTable }
}
