/**
 * Go types, resolved from the catalogue's tables, for decoding, defaulting, apply and patches. Types are resolved once, on first
 * use, and shared: two references to one named type give the same object.
 */
import type { JsonValue } from '../go/json-value.ts'

/** Types with a JSON form of their own. */
export type SpecialType =
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString'
  /** A text, number or boolean: a text with a format in a custom resource. */
  | 'scalar'
  | 'rawExtension'
  | 'fieldsV1'
  | 'bytes'
  | 'any'

/** Types whose values are single JSON values. */
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
  /** The type's name in Go's messages: `string`, `v1.ObjectMeta`, `[]v1.Container`, `map[string]string`. */
  readonly go: string
}

export interface Scalar extends Common {
  readonly kind: ScalarType
}

export interface Special extends Common {
  readonly kind: SpecialType
  /** The way to read values of any shape, if they are not kept unchanged. */
  readonly reading?: UntypedReading
}

/** 'untyped': as an untyped value, whose keys Go sorts. Otherwise as one of several types. */
export type UntypedReading = 'untyped' | Alternatives

/** A value whose type depends on its shape. */
export interface Alternatives {
  readonly object: Type
  readonly list: Type | undefined
  /** The handling of booleans and of values with another shape: an error text, or the value is dropped. */
  readonly others: { readonly booleans: 'kept'; readonly error: string } | 'nothing'
}

export interface Struct extends Common {
  readonly kind: 'struct'
  /** The bare name of the Go struct, with which messages about its fields begin: `ObjectMeta`. */
  readonly name: string
  /** The fields in Go's encoding order. */
  readonly fields: ReadonlyMap<string, Field>
  readonly atomic: boolean
  /** The type of all further keys: some custom resources allow any. Absent if only `fields` are allowed. */
  readonly additional?: Type
}

export interface List extends Common {
  readonly kind: 'list'
  readonly element: Type
  /** Whether the elements are behind pointers. */
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
  /** The type, with the list type, map type and struct type of the field's markers. Resolved on first use. */
  readonly type: Type
  readonly pointer: boolean
  readonly omitempty: boolean
  readonly omitzero: boolean
  readonly required: boolean
  readonly default: JsonValue | undefined
  readonly patchStrategy: readonly string[]
  readonly patchMergeKey: string
}
