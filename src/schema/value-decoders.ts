/** Decoders of types whose values are single JSON values: scalars, and types with their own UnmarshalJSON. */
import { formatDuration, parseDuration } from '../go/duration.ts'
import { isRawNumber, parseJson, rawNumber, stringify } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'
import { canonicalMicroTime, canonicalTime } from '../go/time.ts'
import { canonicalQuantity } from '../meta/quantity.ts'
import { canonicalBase64, encodeBase64 } from './base64.ts'
import { DecodeError, type DecodeRun } from './decode-run.ts'
import { sortedDeep } from './sorted.ts'
import type { Scalar, ScalarType, Special, SpecialType } from './type.ts'

/** Decodes values of one type. */
export interface Decoder {
  /** Decodes a value other than null and returns its encoded form. Reports errors to `run`; the result is then ignored. */
  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue
  /** Decodes null in a field without a pointer. */
  decodeNull(run: DecodeRun, depth: number): JsonValue
  /** The form of a null map entry after a round trip through kube-apiserver's storage; absent if it is that of decodeNull. */
  readonly entryOfNull?: JsonValue
  /** Returns the encoded zero value. */
  zero(): JsonValue
  /** Whether omitempty omits the zero value. It never omits structs, which most types with their own UnmarshalJSON are. */
  readonly omittable: boolean
  isZero(value: JsonValue): boolean
}

abstract class ValueDecoder implements Decoder {
  protected readonly go: string
  abstract readonly omittable: boolean

  constructor(go: string) {
    this.go = go
  }

  abstract decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue
  abstract zero(): JsonValue

  decodeNull(_run: DecodeRun, _depth: number): JsonValue {
    return this.zero()
  }

  isZero(value: JsonValue): boolean {
    return value === this.zero()
  }
}

class StringDecoder extends ValueDecoder {
  readonly omittable = true

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    // Go replaces lone surrogates when it reads a text.
    if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
    run.typeError(value, this.go, depth)
    return ''
  }

  zero(): JsonValue {
    return ''
  }
}

class BooleanDecoder extends ValueDecoder {
  readonly omittable = true

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (typeof value !== 'boolean') run.typeError(value, this.go, depth)
    return value
  }

  zero(): JsonValue {
    return false
  }
}

interface Range {
  readonly low: bigint
  readonly high: bigint
}

const RANGES: ReadonlyMap<ScalarType, Range> = new Map([
  ['int32', { low: -(2n ** 31n), high: 2n ** 31n - 1n }],
  ['int64', { low: -(2n ** 63n), high: 2n ** 63n - 1n }],
  ['uint8', { low: 0n, high: 2n ** 8n - 1n }],
  ['uint16', { low: 0n, high: 2n ** 16n - 1n }],
  ['uint32', { low: 0n, high: 2n ** 32n - 1n }],
  ['uint64', { low: 0n, high: 2n ** 64n - 1n }],
])

/** Returns the digits of a number as in the JSON text, as far as parseJson kept them. */
const digitsOf = (value: JsonValue): string => (isRawNumber(value) ? value.rawJSON : String(value))

/** Returns the integer if it is in the range. In Go, `1.0` and `1e3` are not integers. Beyond 2^53 the digits are kept. */
function integerOf(value: JsonValue, range: Range): JsonValue | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    return value >= range.low && value <= range.high ? value + 0 : undefined
  }
  const digits = digitsOf(value)
  if (digits.length > 20 || !/^-?\d+$/.test(digits)) return undefined
  const integer = BigInt(digits)
  if (integer < range.low || integer > range.high) return undefined
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : rawNumber(digits)
}

class IntegerDecoder extends ValueDecoder {
  readonly omittable = true
  private readonly range: Range

  constructor(go: string, range: Range) {
    super(go)
    this.range = range
  }

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (typeof value !== 'number' && !isRawNumber(value)) run.typeError(value, this.go, depth)
    else {
      const integer = integerOf(value, this.range)
      if (integer !== undefined) return integer
      run.numberError(digitsOf(value), this.go, depth)
    }
    return 0
  }

  zero(): JsonValue {
    return 0
  }
}

class FloatDecoder extends ValueDecoder {
  readonly omittable = true

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (typeof value !== 'number' && !isRawNumber(value)) run.typeError(value, this.go, depth)
    else {
      const number = Number(digitsOf(value))
      if (Number.isFinite(number)) return number
      run.numberError(digitsOf(value), this.go, depth)
    }
    return 0
  }

  zero(): JsonValue {
    return 0
  }
}

/** Runs a parser of texts, whose errors stop Go's decoder. */
function readText<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new DecodeError((error as Error).message)
  }
}

/** Times in canonical form, as kube-apiserver writes them, for a fast path. Days after the 28th take the slow path. */
const CANONICAL_TIME =
  /^(?!0001-01-01T00:00:00Z)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

class TimeDecoder extends ValueDecoder {
  readonly omittable = false
  private readonly canonical: (text: string) => string | null

  constructor(go: string, canonical: (text: string) => string | null) {
    super(go)
    this.canonical = canonical
  }

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (typeof value !== 'string') run.stopAtType(value, 'string', depth)
    return readText(() => this.canonical(value))
  }

  zero(): JsonValue {
    return null
  }
}

class DurationDecoder extends ValueDecoder {
  readonly omittable = false

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (typeof value !== 'string') run.stopAtType(value, 'string', depth)
    return readText(() => formatDuration(parseDuration(value)))
  }

  /** Reads null as an empty text, which is not a valid duration. */
  override decodeNull(run: DecodeRun, depth: number): JsonValue {
    return this.decode('', run, depth)
  }

  zero(): JsonValue {
    return '0s'
  }
}

class QuantityDecoder extends ValueDecoder {
  readonly omittable = false

  /** Accepts the text of any JSON value, with or without quotes. */
  decode(value: JsonValue): JsonValue {
    const text = typeof value === 'string' ? value : typeof value === 'number' || isRawNumber(value) ? digitsOf(value) : '{}'
    return readText(() => canonicalQuantity(text))
  }

  zero(): JsonValue {
    return '0'
  }
}

const INT32: Range = { low: -(2n ** 31n), high: 2n ** 31n - 1n }

class IntOrStringDecoder extends ValueDecoder {
  readonly omittable = false

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (typeof value === 'string') return value.toWellFormed()
    if (typeof value !== 'number' && !isRawNumber(value)) run.stopAtType(value, 'int32', depth)
    return integerOf(value, INT32) ?? run.stopAtNumber(digitsOf(value), 'int32', depth)
  }

  zero(): JsonValue {
    return 0
  }
}

/** Types that keep their JSON unchanged. */
class RawDecoder extends ValueDecoder {
  readonly omittable = false

  decode(value: JsonValue, run: DecodeRun): JsonValue {
    return run.isUnstructured ? normalized(value) : value
  }

  zero(): JsonValue {
    return null
  }
}

/** Returns a value as Go encodes an untyped one: numbers in Go's form, keys sorted. */
const normalized = (value: JsonValue): JsonValue => sortedDeep(parseJson(stringify(value)))

/** Values that are untyped in Go. */
class UntypedDecoder extends RawDecoder {
  override decode(value: JsonValue): JsonValue {
    return normalized(value)
  }
}

class BytesDecoder extends ValueDecoder {
  readonly omittable = true
  readonly entryOfNull = ''

  decode(value: JsonValue, run: DecodeRun, depth: number): JsonValue {
    if (Array.isArray(value)) return this.decodeNumbers(value, run, depth)
    if (typeof value !== 'string') {
      run.typeError(value, this.go, depth)
      return ''
    }
    try {
      return canonicalBase64(value)
    } catch (error) {
      run.keep(error)
      return ''
    }
  }

  private decodeNumbers(values: readonly JsonValue[], run: DecodeRun, depth: number): JsonValue {
    const byte = new IntegerDecoder('uint8', { low: 0n, high: 255n })
    return encodeBase64(values.map((value) => (value === null ? 0 : Number(byte.decode(value, run, depth)))))
  }

  zero(): JsonValue {
    return null
  }

  override isZero(value: JsonValue): boolean {
    return value === '' || value === null
  }
}

const SPECIALS: Readonly<Record<SpecialType, (go: string) => Decoder>> = {
  time: (go) => new TimeDecoder(go, (text) => (CANONICAL_TIME.test(text) ? text : canonicalTime(text))),
  microTime: (go) => new TimeDecoder(go, canonicalMicroTime),
  duration: (go) => new DurationDecoder(go),
  quantity: (go) => new QuantityDecoder(go),
  intOrString: (go) => new IntOrStringDecoder(go),
  scalar: (go) => new RawDecoder(go),
  rawExtension: (go) => new RawDecoder(go),
  fieldsV1: (go) => new RawDecoder(go),
  bytes: (go) => new BytesDecoder(go),
  any: (go) => new RawDecoder(go),
}

/** Returns the decoder of a scalar or special type. */
export function valueDecoder(type: Scalar | Special): Decoder {
  if ('reading' in type && type.reading === 'untyped') return new UntypedDecoder(type.go)
  if (type.kind in SPECIALS) return SPECIALS[type.kind as SpecialType](type.go)
  const range = RANGES.get(type.kind as ScalarType)
  if (range !== undefined) return new IntegerDecoder(type.go, range)
  if (type.kind === 'string') return new StringDecoder(type.go)
  return type.kind === 'boolean' ? new BooleanDecoder(type.go) : new FloatDecoder(type.go)
}
