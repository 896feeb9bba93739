/** The strategic merge properties of types: the strategy and merge key of a field. Also the errors of the merge. */

import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goPrint, goTypeOf } from '../go/print.ts'
import { goQuote } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import type { Field, Type } from '../schema/type.ts'

/** A type, and whether the field or list refers to it by a pointer. */
export interface TypeReference {
  readonly type: Type
  readonly pointer: boolean
}

/** The merge properties of a field. */
export interface PatchField {
  /** The field's own type, or that of its elements. */
  readonly reference: TypeReference
  /** `merge`, `replace` or ''. */
  readonly strategy: string
  /** '' if the elements have no merge key. */
  readonly mergeKey: string
}

/** Returns an error without a status in kube-apiserver, which therefore answers 500. */
export function unhandledError(message: string): ApiError {
  return new ApiError(500, '', message)
}

/** Returns the error for a value of the wrong type; `expected` is the Go type. */
export function unexpectedType(expected: string, actual: JsonValue): ApiError {
  return unhandledError(`expected a ${expected}, but received a ${goTypeOf(actual)}`)
}

/** Returns the error for a list element without the merge key. */
export function noMergeKey(element: JsonObject, mergeKey: string): ApiError {
  return unhandledError(`map: ${goPrint(element)} does not contain declared merge key: ${mergeKey}`)
}

/** The kinds of Go's reflect package that differ from the type's kind. */
const GO_KINDS: ReadonlyMap<string, string> = new Map([
  ['boolean', 'bool'],
  ['list', 'slice'],
  ['bytes', 'slice'],
  ['time', 'struct'],
  ['microTime', 'struct'],
  ['duration', 'struct'],
  ['quantity', 'struct'],
  ['intOrString', 'struct'],
  ['rawExtension', 'struct'],
  ['fieldsV1', 'struct'],
])

/** Returns the kind of the type in Go's reflect package: `struct`, `ptr`, `slice`, `string`. */
export function goKind({ type, pointer }: TypeReference): string {
  if (pointer) return 'ptr'
  if (type.kind === 'any') return type.go === 'interface {}' ? 'interface' : 'struct'
  return GO_KINDS.get(type.kind) ?? type.kind
}

function fieldOf({ type }: TypeReference, key: string): Field {
  const kind = goKind({ type, pointer: false })
  if (kind !== 'struct') throw unhandledError(`merging an object in json but data type is not struct, instead is: ${kind}`)
  const field = type.kind === 'struct' ? type.fields.get(key) : undefined
  if (field !== undefined) return field
  const name = type.kind === 'struct' ? type.name : type.go.slice(type.go.lastIndexOf('.') + 1)
  throw unhandledError(`unable to find api field in struct ${name} for the json field ${goQuote(key)}`)
}

function patchField(field: Field, reference: TypeReference): PatchField {
  const strategy = field.patchStrategy.find((name) => name !== 'retainKeys') ?? ''
  return { reference, strategy, mergeKey: field.patchMergeKey }
}

/**
 * Returns the merge properties of the object at `key`.
 * @throws ApiError 500 if the type has no such field
 */
export function objectField(parent: TypeReference, key: string): PatchField {
  const field = fieldOf(parent, key)
  return patchField(field, field)
}

/**
 * Returns the merge properties of the list at `key`.
 * @throws ApiError 500 if the type has no such field, or the field is not a list
 */
export function listField(parent: TypeReference, key: string): PatchField {
  const field = fieldOf(parent, key)
  const { type, pointer } = field
  if (type.kind === 'list') {
    if (!pointer && goKind({ type: type.element, pointer: type.elementPointer }) === 'slice')
      throw unhandledError('unexpected slice of slice')
    return patchField(field, { type: type.element, pointer: type.elementPointer })
  }
  if (type.kind === 'bytes') return patchField(field, { type: { kind: 'uint8', go: 'uint8' }, pointer: false })
  if (pointer) return patchField(field, { type, pointer: false })
  throw unhandledError(`expected slice or array type, but got: ${goKind(parent)}`)
}
