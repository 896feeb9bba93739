/** The state of one decoding: the path to the current value, the first error, and the unknown fields. */
import { isRawNumber } from '../go/json.ts'
import { MAX_STRICT_ERRORS } from '../go/json-duplicates.ts'
import type { JsonValue } from '../go/json-value.ts'
import { goFieldPath } from './embedded.ts'
import { type ExplicitEmpty, maximumExplicitEmpty } from './explicit-empty.ts'
import type { Struct } from './type.ts'

/** The JSON does not fit the type. The message is that of Go's encoding/json, or of the type's own UnmarshalJSON. */
export class DecodeError extends Error {}

/** A value that fits its type, but cannot be converted to the internal version. */
export class InternalConversionError extends DecodeError {}

/** A value whose type does not fit, with the fields that lead to it. */
class TypeMismatch extends DecodeError {
  /** The value, as the message describes it. */
  readonly value: string
  readonly fields: readonly string[]
  readonly go: string

  constructor(value: string, owner: Struct | undefined, fields: readonly string[], go: string) {
    const target = owner === undefined ? 'Go value' : `Go struct field ${owner.name}.${fields.join('.')}`
    super(`json: cannot unmarshal ${value} into ${target} of type ${go}`)
    this.value = value
    this.fields = fields
    this.go = go
  }
}

/** A step of the path to a value: the field of a struct, the key of a map, or the index of a list. */
export type Step = FieldStep | string | number

/** A field with its struct. */
export interface FieldStep {
  readonly name: string
  readonly owner: Struct
}

/** Returns the name of a JSON value's type in Go's messages. */
function typeNameOf(value: JsonValue): string {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value !== 'object') return typeof value
  if (Array.isArray(value)) return 'array'
  return isRawNumber(value) ? 'number' : 'object'
}

/** The unknown fields that are reported of an unstructured object, and their length in sum. Go's conversion reports all. */
const MAX_UNSTRUCTURED_ERRORS = 10_000
const MAX_UNSTRUCTURED_LENGTH = 1_048_576

/** Options of decoding. */
export interface DecodeOptions {
  /** Collects the fields that the type does not have. */
  readonly strict?: boolean
  /** The value is not a document, but was assembled from parts: Go converts it from maps. */
  readonly unstructured?: boolean
}

export class DecodeRun {
  /** The path to the current value. Only the steps up to the decoders' current depth are valid; later ones are left over. */
  readonly path: Step[] = []
  /** The explicitly empty lists and maps. */
  readonly explicitEmpty: ExplicitEmpty[] = []
  private readonly unknown: Set<string> | undefined
  private readonly maximumUnknown: number
  private unknownLength = 0
  private failure: DecodeError | undefined

  /** Whether the value was assembled from parts. Then untyped JSON is normalised, with sorted keys. */
  readonly isUnstructured: boolean

  constructor({ strict = false, unstructured = false }: DecodeOptions = {}) {
    this.unknown = strict ? new Set() : undefined
    this.isUnstructured = unstructured
    this.maximumUnknown = unstructured ? MAX_UNSTRUCTURED_ERRORS : MAX_STRICT_ERRORS
  }

  /**
   * Returns Go's UnmarshalTypeError. `value` describes the JSON value in the message.
   * @param inner the fields below the current path
   */
  private typeErrorOf(value: string, go: string, depth: number, inner: readonly string[] = []): DecodeError {
    let owner: Struct | undefined
    const fields: string[] = []
    for (const step of this.path.slice(0, depth)) {
      if (typeof step !== 'object') continue
      owner = step.owner
      fields.push(goFieldPath(step.owner, step.name))
    }
    return new TypeMismatch(value, owner, [...fields, ...inner], go)
  }

  /** Returns an error of a value that was decoded apart as Go reports it: with the path to that value. */
  errorBelow(error: unknown, depth: number): unknown {
    return error instanceof TypeMismatch ? this.typeErrorOf(error.value, error.go, depth, error.fields) : error
  }

  /** Records an error that does not stop Go's decoder; `finish` throws the first one. */
  typeError(value: JsonValue, go: string, depth: number): void {
    this.failure ??= this.typeErrorOf(typeNameOf(value), go, depth)
  }

  /** Records an error for a number out of range; the message contains the number. */
  numberError(digits: string, go: string, depth: number): void {
    this.failure ??= this.typeErrorOf(`number ${digits}`, go, depth)
  }

  /** Records an error without a path that does not stop Go's decoder. */
  keep(error: unknown): void {
    this.failure ??= new DecodeError((error as Error).message)
  }

  /** Throws at once, as an error from an UnmarshalJSON stops Go's decoder. */
  stopAtType(value: JsonValue, go: string, depth: number): never {
    throw this.typeErrorOf(typeNameOf(value), go, depth)
  }

  stopAtNumber(digits: string, go: string, depth: number): never {
    throw this.typeErrorOf(`number ${digits}`, go, depth)
  }

  /** Records that the value at the current path is an explicitly empty list or map. */
  recordExplicitEmpty(depth: number, shape: ExplicitEmpty['shape']): void {
    if (this.explicitEmpty.length >= maximumExplicitEmpty) return
    const path = this.path.slice(0, depth).map((step) => (typeof step === 'object' ? step.name : step))
    this.explicitEmpty.push({ path, shape })
  }

  unknownField(key: string, depth: number): void {
    if (this.unknown === undefined || this.unknown.size >= this.maximumUnknown) return
    if (this.unknownLength > MAX_UNSTRUCTURED_LENGTH) return
    let path = ''
    for (const step of this.path.slice(0, depth)) {
      if (typeof step === 'number') path += `[${step}]`
      else path += `${path === '' ? '' : '.'}${typeof step === 'object' ? step.name : step}`
    }
    const field = depth === 0 ? key : `${path}.${key}`
    this.unknownLength += field.length
    this.unknown.add(field)
  }

  /** Returns the paths of the unknown fields. Throws the recorded error, if any. */
  finish(): string[] {
    if (this.failure !== undefined) throw this.failure
    return this.unknown === undefined ? [] : [...this.unknown]
  }
}
