/** How messages of the binary forms of OpenAPI are told of: which key of the JSON is which field. */
import { isObject } from '../../go/json-object.ts'
import type { JsonValue } from '../../go/json-value.ts'

/** What a field holds. `any` is a message with the value's YAML. */
export type FieldShape =
  | { readonly number: number; readonly shape: 'text' | 'flag' | 'integer' | 'double' | 'any'; readonly repeated?: true }
  | { readonly number: number; readonly shape: 'message'; readonly message: () => Message; readonly repeated?: true }

/** How a value of JSON becomes a message. */
export type Message =
  /** An object whose keys are fields; those that begin with `x-` are entries of the field `extensions`. */
  | { readonly fields: Readonly<Record<string, FieldShape>>; readonly extensions?: number }
  /** An object whose keys are names: a list of named messages. */
  | { readonly entries: number; readonly of: () => Message }
  /** A value that stands in a field of a message of its own. */
  | { readonly wraps: FieldShape }
  /** A message around one of several, which is written whatever it is; empty where there is none for the value. */
  | { readonly oneOf: (value: JsonValue) => FieldShape | undefined }

type Shape = Extract<FieldShape, { shape: 'text' | 'flag' | 'integer' | 'double' | 'any' }>['shape']

/** A field of one value. */
export const one = (shape: Shape, number: number): FieldShape => ({ number, shape })
/** A list of values. */
export const many = (shape: Shape, number: number): FieldShape => ({ number, shape, repeated: true })
/** A message in a field. */
export const within = (number: number, message: () => Message): FieldShape => ({ number, shape: 'message', message })
/** A list of messages. */
export const lists = (number: number, message: () => Message): FieldShape => ({
  number,
  shape: 'message',
  message,
  repeated: true,
})
/** Whether an object stands for another. */
export const isReference = (value: JsonValue): boolean => isObject(value) && Object.hasOwn(value, '$ref')
/** Whether a parameter stands in the place. */
export const isIn = (value: JsonValue, place: string): boolean => isObject(value) && value.in === place
