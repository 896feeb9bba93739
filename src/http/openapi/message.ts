/** Describes the protobuf messages of OpenAPI: which key of the JSON belongs to which field. */
import { isObject } from '../../go/json-object.ts'
import type { JsonValue } from '../../go/json-value.ts'

/** The type of a field. `any` is a message that contains the value as YAML. */
export type FieldShape =
  | { readonly number: number; readonly shape: 'text' | 'flag' | 'integer' | 'double' | 'any'; readonly repeated?: true }
  | { readonly number: number; readonly shape: 'message'; readonly message: () => Message; readonly repeated?: true }

/** The conversion of a JSON value to a message. */
export type Message =
  /** An object whose keys are fields. Keys that begin with `x-` are entries of the field `extensions`. */
  | { readonly fields: Readonly<Record<string, FieldShape>>; readonly extensions?: number }
  /** An object whose keys are names: a list of named messages. */
  | { readonly entries: number; readonly of: () => Message }
  /** A value in the only field of its own message. */
  | { readonly wraps: FieldShape }
  /** A message with one of several fields. It is written even if it is empty, which it is if no field matches the value. */
  | { readonly oneOf: (value: JsonValue) => FieldShape | undefined }

type Shape = Extract<FieldShape, { shape: 'text' | 'flag' | 'integer' | 'double' | 'any' }>['shape']

/** Describes a field with one value. */
export const one = (shape: Shape, number: number): FieldShape => ({ number, shape })
/** Describes a repeated field of scalar values. */
export const many = (shape: Shape, number: number): FieldShape => ({ number, shape, repeated: true })
/** Describes a field with one message. */
export const within = (number: number, message: () => Message): FieldShape => ({ number, shape: 'message', message })
/** Describes a repeated field of messages. */
export const lists = (number: number, message: () => Message): FieldShape => ({
  number,
  shape: 'message',
  message,
  repeated: true,
})
/** Whether an object is a `$ref`. */
export const isReference = (value: JsonValue): boolean => isObject(value) && Object.hasOwn(value, '$ref')
/** Whether a parameter is in this place: `path`, `query` or `body`. */
export const isIn = (value: JsonValue, place: string): boolean => isObject(value) && value.in === place
