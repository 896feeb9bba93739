/**
 * Decodes the JSON of a request into a typed value and writes it in canonical form. Follows UnmarshalCaseSensitivePreserveInts
 * and UnmarshalStrict of sigs.k8s.io/json, and encoding/json's Marshal.
 */
import { isRawNumber, setKey } from '../go/json.ts'
import { MAX_DEPTH } from '../go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../go/json-value.ts'
import { DecodeError, type DecodeOptions, DecodeRun, type FieldStep } from './decode-run.ts'
import type { ExplicitEmpty } from './explicit-empty.ts'
import { SURROGATE, sorted } from './sorted.ts'
import type { Alternatives, Field, List, MapOf, Struct, Type } from './type.ts'
import { type Decoder, valueDecoder } from './value-decoders.ts'

/** Whether the value is an object. A number that is kept as digits also passes; its only key `rawJSON` is handled later. */
function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the value of a list or map field is an empty list or object. */
function isEmptyCollection(value: JsonValue): value is JsonObject | JsonValue[] {
  if (Array.isArray(value)) return value.length === 0
  if (typeof value !== 'object') return false
  for (const _key in value) return false
  return value !== null
}

/** Decodes a field, and returns its zero value if the body does not have it. */
class FieldDecoder implements FieldStep {
  readonly name: string
  readonly owner: Struct
  readonly index: number
  /** Whether the field is written even if the body does not have it. */
  readonly always: boolean
  private readonly pointer: boolean
  private readonly omitted: boolean
  private readonly mayBeEmpty: boolean
  private readonly keepsEmpty: boolean
  private readonly decoder: Decoder

  constructor(owner: Struct, field: Field, index: number) {
    this.name = field.name
    this.owner = owner
    this.index = index
    this.pointer = field.pointer
    this.decoder = decoderOf(field.type)
    this.omitted = field.omitzero || (field.omitempty && (field.pointer || this.decoder.omittable))
    this.always = !this.omitted
    this.mayBeEmpty = !field.pointer && (field.type.kind === 'list' || field.type.kind === 'map')
    this.keepsEmpty = this.always && field.type.kind === 'list'
  }

  /** Returns undefined for a value that is not written. */
  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue | undefined {
    if (this.pointer) {
      if (value === null) return undefined
      const decoded = this.decoder.decode(value, run, depth)
      // A value with none of the alternative shapes leaves a nil pointer.
      return decoded === null && this.decoder instanceof AlternativesDecoder ? undefined : decoded
    }
    if (this.mayBeEmpty && isEmptyCollection(value)) run.recordExplicitEmpty(depth, Array.isArray(value) ? 'list' : 'map')
    // Field ownership sees an explicitly empty list; nullEmptyLists replaces it by null later.
    if (this.keepsEmpty && Array.isArray(value) && value.length === 0) return []
    const decoded = value === null ? this.decoder.decodeNull(run, depth) : this.decoder.decode(value, run, depth)
    return this.omitted && this.decoder.isZero(decoded) ? undefined : decoded
  }

  zero(): JsonValue {
    return this.pointer ? null : this.decoder.zero()
  }
}

/** The fields of a struct, by name and in order. */
interface FieldDecoders {
  readonly byName: ReadonlyMap<string, FieldDecoder>
  /** The decoders in Go's encoding order. */
  readonly ordered: readonly FieldDecoder[]
  readonly always: readonly FieldDecoder[]
}

class StructDecoder implements Decoder {
  readonly omittable = false
  private readonly type: Struct
  private made: FieldDecoders | undefined

  constructor(type: Struct) {
    this.type = type
  }

  private get fields(): FieldDecoders {
    this.made ??= makeFields(this.type)
    return this.made
  }

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (!isObject(value)) {
      run.typeError(value, this.type.go, depth)
      return this.zero()
    }
    if (depth > MAX_DEPTH) throw new DecodeError('exceeded max depth')
    const { byName, ordered } = this.fields
    const decoded = new Array<JsonValue | undefined>(ordered.length)
    for (const key of Object.keys(value)) {
      const field = byName.get(key)
      if (field === undefined) {
        if (key === 'rawJSON' && isRawNumber(value)) run.typeError(value, this.type.go, depth)
        else run.unknownField(key, depth)
        continue
      }
      run.path[depth] = field
      decoded[field.index] = field.decode(value[key] as JsonValue, run, depth + 1)
    }
    const object: JsonObject = {}
    for (const field of ordered) {
      const encoded = decoded[field.index]
      if (encoded !== undefined) object[field.name] = encoded
      else if (field.always) object[field.name] = field.zero()
    }
    return object
  }

  decodeNull(): JsonValue {
    return this.zero()
  }

  zero(): JsonValue {
    const object: JsonObject = {}
    for (const field of this.fields.always) object[field.name] = field.zero()
    return object
  }

  isZero(value: JsonValue): boolean {
    return JSON.stringify(value) === JSON.stringify(this.zero())
  }
}

function makeFields(type: Struct): FieldDecoders {
  const ordered = [...type.fields.values()].map((field, index) => new FieldDecoder(type, field, index))
  return {
    byName: new Map(ordered.map((field) => [field.name, field])),
    ordered,
    always: ordered.filter((field) => field.always),
  }
}

class ListDecoder implements Decoder {
  readonly omittable = true
  private readonly go: string
  private readonly element: Decoder
  private readonly pointer: boolean

  constructor(type: List) {
    this.go = type.go
    this.element = decoderOf(type.element)
    this.pointer = type.elementPointer
  }

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (!Array.isArray(value)) {
      run.typeError(value, this.go, depth)
      return null
    }
    if (value.length === 0) return null
    const list: JsonValue[] = []
    for (const [index, element] of value.entries()) {
      run.path[depth] = index
      if (element !== null) list.push(this.element.decode(element, run, depth + 1))
      else list.push(this.pointer ? null : this.element.decodeNull(run, depth + 1))
    }
    return list
  }

  decodeNull(): JsonValue {
    return null
  }

  zero(): JsonValue {
    return null
  }

  isZero(value: JsonValue): boolean {
    return value === null
  }
}

class MapDecoder implements Decoder {
  readonly omittable = true
  private readonly go: string
  private readonly value: Decoder

  constructor(type: MapOf) {
    this.go = type.go
    this.value = decoderOf(type.value)
  }

  /** Decodes in the order of the text, because the first error is reported. */
  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (!isObject(value) || isRawNumber(value)) {
      run.typeError(value, this.go, depth)
      return null
    }
    const object: JsonObject = {}
    let last = ''
    let isSorted = true
    let isEmpty = true
    for (const rawKey of Object.keys(value)) {
      run.path[depth] = rawKey
      const key = rawKey.isWellFormed() ? rawKey : rawKey.toWellFormed()
      if (key < last) isSorted = false
      last = key
      isEmpty = false
      setKey(object, key, this.decodeEntry(value[rawKey] as JsonValue, run, depth + 1))
    }
    if (isEmpty) return null
    return isSorted && !SURROGATE.test(last) ? object : sorted(object)
  }

  private decodeEntry(entry: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (entry === null) return this.value.entryOfNull ?? this.value.decodeNull(run, depth)
    // Only a field can be omitted: an empty list in a map stays empty.
    if (this.value instanceof ListDecoder && Array.isArray(entry) && entry.length === 0) return []
    return this.value.decode(entry, run, depth)
  }

  decodeNull(): JsonValue {
    return null
  }

  zero(): JsonValue {
    return null
  }

  isZero(value: JsonValue): boolean {
    return value === null
  }
}

/** Decodes a value that has one of several types. Its unknown fields are not reported, because Go decodes it separately. */
class AlternativesDecoder implements Decoder {
  readonly omittable = false
  private readonly alternatives: Alternatives

  constructor(alternatives: Alternatives) {
    this.alternatives = alternatives
  }

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    const { object, list, others } = this.alternatives
    try {
      if (isObject(value) && !isRawNumber(value)) return decodeApart(object, value)
      if (Array.isArray(value) && list !== undefined) return decodeApart(list, value)
    } catch (error) {
      throw run.errorBelow(error, depth)
    }
    if (others === 'nothing' || typeof value === 'boolean') return others === 'nothing' ? null : value
    throw new DecodeError(others.error)
  }

  decodeNull(): JsonValue {
    return null
  }

  zero(): JsonValue {
    return null
  }

  isZero(value: JsonValue): boolean {
    return value === null
  }
}

/** Decodes like an UnmarshalJSON that uses a decoder of its own for its part of the text. */
function decodeApart(type: Type, value: JsonValue): JsonValue {
  const run = new DecodeRun()
  const decoded = decoderOf(type).decode(value, run, 0)
  run.finish()
  return decoded
}

const decoders = new WeakMap<Type, Decoder>()

/**
 * Returns the decoder of a type, which is made once. A struct makes the decoders of its fields on first use, so types may be
 * recursive.
 */
function decoderOf(type: Type): Decoder {
  const cached = decoders.get(type)
  if (cached !== undefined) return cached
  const decoder = makeDecoder(type)
  decoders.set(type, decoder)
  return decoder
}

function makeDecoder(type: Type): Decoder {
  switch (type.kind) {
    case 'struct':
      return new StructDecoder(type)
    case 'list':
      return new ListDecoder(type)
    case 'map':
      return new MapDecoder(type)
    default:
      if ('reading' in type && typeof type.reading === 'object') return new AlternativesDecoder(type.reading)
      return valueDecoder(type)
  }
}

/** The result of decoding. */
export interface Decoded {
  readonly object: JsonObject
  /**
   * The paths of the fields that the type does not have, in the order of the text, each once and at most 100:
   * `spec.template.spec.containers[0].foo`. Empty unless `strict`.
   */
  readonly unknownFields: string[]
  /** The explicitly empty lists and maps; rarely any. */
  readonly explicitEmpty: readonly ExplicitEmpty[]
}

/**
 * Decodes an object of a struct type: only known fields, in Go's order and canonical form; zero values are written or omitted as
 * the Go tags tell. `value` is not changed; the result shares untyped JSON with it.
 * @param value parsed with `verbatim`, if error messages shall contain the digits of numbers as in the request
 * @throws DecodeError with the text after "cannot be handled as a <kind>: " in kube-apiserver's response
 * @example
 * const pod = resolver.resolve('core/v1.Pod')
 * decode(pod, { metadata: { name: 'web' }, spec: { foo: 1 } }, { strict: true }).unknownFields // ['spec.foo']
 * decode(pod, { spec: { nodeName: 5 } })
 * // throws: json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string
 */
export function decode(type: Type, value: JsonValue, options?: DecodeOptions): Decoded {
  const run = new DecodeRun(options)
  const decoder = decoderOf(type)
  const object = value === null ? decoder.zero() : decoder.decode(value, run, 0)
  return { unknownFields: run.finish(), object: object as JsonObject, explicitEmpty: run.explicitEmpty }
}

/**
 * Returns the encoded zero value of a type: for a struct, an object with the fields without omitempty; null for lists and maps.
 */
export function zero(type: Type): JsonValue {
  return decoderOf(type).zero()
}
