/** The state of one decoding: where it is, what went wrong first, which fields are unknown. */
import { isRawNumber } from '../go/json.ts'
import { MAX_STRICT_ERRORS } from '../go/json-duplicates.ts'
import type { JsonValue } from '../go/json-value.ts'
import { goFieldPath } from './embedded.ts'
import { type ExplicitEmpty, maximumExplicitEmpty } from './explicit-empty.ts'
import type { Struct } from './type.ts'

/** The JSON does not fit the type. The message is the one of Go's encoding/json, or of the type's own UnmarshalJSON. */
export class DecodeError extends Error {}

/** A step of the way to a value: the field of a struct, the key of a map, the index of a list. */
export type Step = FieldStep | string | number

/** A field and the struct that it is a field of. */
export interface FieldStep {
  readonly name: string
  readonly owner: Struct
}

/** A JSON value as Go's messages name it. */
function described(value: JsonValue): string {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value !== 'object') return typeof value
  if (Array.isArray(value)) return 'array'
  return isRawNumber(value) ? 'number' : 'object'
}

/** How a value is decoded. */
export interface DecodeOptions {
  /** Fields that the type does not have are collected. */
  readonly strict?: boolean
  /** The value is no document: Go converts it from maps. */
  readonly unstructured?: boolean
}

export class DecodeRun {
  /** Steps up to the depth that the decoders hand on; those behind it are left over. */
  readonly path: Step[] = []
  /** Lists and maps that hold nothing. */
  readonly explicitEmpty: ExplicitEmpty[] = []
  private readonly unknown: Set<string> | undefined
  private failure: DecodeError | undefined

  /** Whether the value was made from parts, and JSON in fields of any shape is written anew, with its keys in order. */
  readonly isUnstructured: boolean

  constructor({ strict = false, unstructured = false }: DecodeOptions = {}) {
    this.unknown = strict ? new Set() : undefined
    this.isUnstructured = unstructured
  }

  /** Go's UnmarshalTypeError. `value` is what the message says stood in the JSON. */
  private typeErrorOf(value: string, go: string, depth: number): DecodeError {
    let owner: Struct | undefined
    const fields: string[] = []
    for (const step of this.path.slice(0, depth)) {
      if (typeof step !== 'object') continue
      owner = step.owner
      fields.push(goFieldPath(step.owner, step.name))
    }
    const into = owner === undefined ? 'Go value' : `Go struct field ${owner.name}.${fields.join('.')}`
    return new DecodeError(`json: cannot unmarshal ${value} into ${into} of type ${go}`)
  }

  /** Keeps the first error that does not stop Go's decoder; `finish` throws it. */
  typeError(value: JsonValue, go: string, depth: number): void {
    this.failure ??= this.typeErrorOf(described(value), go, depth)
  }

  /** The same for a number that does not fit: the message shows it. */
  numberError(digits: string, go: string, depth: number): void {
    this.failure ??= this.typeErrorOf(`number ${digits}`, go, depth)
  }

  /** Keeps an error without a place, of those that do not stop Go's decoder. */
  keep(error: unknown): void {
    this.failure ??= new DecodeError((error as Error).message)
  }

  /** Stops at once, as an error does that an UnmarshalJSON gives. */
  stopAtType(value: JsonValue, go: string, depth: number): never {
    throw this.typeErrorOf(described(value), go, depth)
  }

  stopAtNumber(digits: string, go: string, depth: number): never {
    throw this.typeErrorOf(`number ${digits}`, go, depth)
  }

  /** Notes that the value at the current path holds nothing. */
  gaveNothing(depth: number, shape: ExplicitEmpty['shape']): void {
    if (this.explicitEmpty.length >= maximumExplicitEmpty) return
    const path = this.path.slice(0, depth).map((step) => (typeof step === 'object' ? step.name : step))
    this.explicitEmpty.push({ path, shape })
  }

  unknownField(key: string, depth: number): void {
    if (this.unknown === undefined || this.unknown.size >= MAX_STRICT_ERRORS) return
    let path = ''
    for (const step of this.path.slice(0, depth)) {
      if (typeof step === 'number') path += `[${step}]`
      else path += `${path === '' ? '' : '.'}${typeof step === 'object' ? step.name : step}`
    }
    this.unknown.add(depth === 0 ? key : `${path}.${key}`)
  }

  /** The paths of the unknown fields. Throws the error that was kept, if there is one. */
  finish(): string[] {
    if (this.failure !== undefined) throw this.failure
    return this.unknown === undefined ? [] : [...this.unknown]
  }
}
