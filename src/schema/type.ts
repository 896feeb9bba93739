/**
 * A Go type, resolved from the catalogue's tables: what decoding, defaulting, apply and patches walk along.
 * Types are resolved once, at their first use, and shared: two references to one named type are the same object.
 */
import type { JsonValue } from '../go/json-value.ts'

/** Types that are written in JSON in a way of their own. */
export type SpecialType =
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString'
  | 'rawExtension'
  | 'fieldsV1'
  | 'bytes'
  | 'any'

/** Types that are one JSON value. */
export type ScalarType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'

interface Common {
  /** How Go's messages name the type: `string`, `v1.ObjectMeta`, `[]v1.Container`, `map[string]string`. */
  readonly go: string
}

export interface Scalar extends Common {
  readonly kind: ScalarType
}

export interface Special extends Common {
  readonly kind: SpecialType
  /** How values of any shape are read where they are not kept as they are. */
  readonly reading?: Reading
}

/** As a value without a type, whose keys Go writes in their order; or as one of several types. */
export type Reading = 'untyped' | Alternatives

/** A value that is of one type or another, by its shape. */
export interface Alternatives {
  readonly object: Type
  readonly list: Type | undefined
  /** What is read of booleans, and of what is of none of the shapes: the text of the error, or nothing. */
  readonly others: { readonly booleans: 'kept'; readonly error: string } | 'nothing'
}

export interface Struct extends Common {
  readonly kind: 'struct'
  /** The bare name of the Go struct, with which messages about its fields begin: `ObjectMeta`. */
  readonly name: string
  /** In the order in which Go encodes them. */
  readonly fields: ReadonlyMap<string, Field>
  readonly atomic: boolean
  /** What keys are that are no fields: of custom resources some may have any. Absent where there are none. */
  readonly others?: Type
}

export interface List extends Common {
  readonly kind: 'list'
  readonly element: Type
  /** The element is behind a pointer. */
  readonly elementPointer: boolean
  readonly listType: 'atomic' | 'set' | 'map'
  readonly keys: readonly string[]
}

export interface MapOf extends Common {
  readonly kind: 'map'
  readonly value: Type
  readonly atomic: boolean
}

export type Type = Scalar | Special | Struct | List | MapOf

/** A field of a struct. */
export interface Field {
  readonly name: string
  /** With the list type, map type and struct type that stand on the field already applied. Resolved at first use. */
  readonly type: Type
  readonly pointer: boolean
  readonly omitempty: boolean
  readonly omitzero: boolean
  readonly required: boolean
  readonly default: JsonValue | undefined
  readonly patchStrategy: readonly string[]
  readonly patchMergeKey: string
}
