/** What the types say of strategic merge: the strategy and merge key of a field, and the errors of the merge. */

import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { goPrint, goTypeOf } from '../go/print.ts'
import { goQuote } from '../go/text.ts'
import { ApiError } from '../meta/errors.ts'
import type { Field, Type } from '../schema/type.ts'

/** A type as a field or list refers to it. */
export interface TypeReference {
  readonly type: Type
  readonly pointer: boolean
}

/** How a field is merged. */
export interface PatchField {
  /** The field's own type, or the one of its elements. */
  readonly of: TypeReference
  /** `merge`, `replace` or ''. */
  readonly strategy: string
  /** '' where the elements have none. */
  readonly mergeKey: string
}

/** An error that kube-apiserver does not interpret, and so answers with 500. */
export function failed(message: string): ApiError {
  return new ApiError(500, '', message)
}

/** The value has not the type that its place needs; `expected` is that type as Go names it. */
export function unexpectedType(expected: string, actual: JsonValue): ApiError {
  return failed(`expected a ${expected}, but received a ${goTypeOf(actual)}`)
}

/** An element of a list lacks the key by which the list is merged. */
export function noMergeKey(element: JsonObject, mergeKey: string): ApiError {
  return failed(`map: ${goPrint(element)} does not contain declared merge key: ${mergeKey}`)
}

/** Kinds of Go's reflection, where they are not named as the type's kind. */
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

/** The kind of the type in Go's reflection: `struct`, `ptr`, `slice`, `string`. */
export function goKind({ type, pointer }: TypeReference): string {
  if (pointer) return 'ptr'
  if (type.kind === 'any') return type.go === 'interface {}' ? 'interface' : 'struct'
  return GO_KINDS.get(type.kind) ?? type.kind
}

function fieldOf({ type }: TypeReference, key: string): Field {
  const kind = goKind({ type, pointer: false })
  if (kind !== 'struct') throw failed(`merging an object in json but data type is not struct, instead is: ${kind}`)
  const field = type.kind === 'struct' ? type.fields.get(key) : undefined
  if (field !== undefined) return field
  const name = type.kind === 'struct' ? type.name : type.go.slice(type.go.lastIndexOf('.') + 1)
  throw failed(`unable to find api field in struct ${name} for the json field ${goQuote(key)}`)
}

function patchField(field: Field, of: TypeReference): PatchField {
  const strategy = field.patchStrategy.find((name) => name !== 'retainKeys') ?? ''
  return { of, strategy, mergeKey: field.patchMergeKey }
}

/**
 * How the object at `key` is merged.
 * @throws ApiError 500 where the type has no such field
 */
export function objectField(parent: TypeReference, key: string): PatchField {
  const field = fieldOf(parent, key)
  return patchField(field, field)
}

/**
 * How the list at `key` is merged.
 * @throws ApiError 500 where the type has no such field, or no list there
 */
export function listField(parent: TypeReference, key: string): PatchField {
  const field = fieldOf(parent, key)
  const { type, pointer } = field
  if (type.kind === 'list') {
    if (!pointer && goKind({ type: type.element, pointer: type.elementPointer }) === 'slice')
      throw failed('unexpected slice of slice')
    return patchField(field, { type: type.element, pointer: type.elementPointer })
  }
  if (type.kind === 'bytes') return patchField(field, { type: { kind: 'uint8', go: 'uint8' }, pointer: false })
  if (pointer) return patchField(field, { type, pointer: false })
  throw failed(`expected slice or array type, but got: ${goKind(parent)}`)
}
