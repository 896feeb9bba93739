/** Values that are no messages: how each stands on the wire, and what it is in JSON. */
import { rawNumber } from '../../../meta/json.ts'
import type { JsonValue } from '../../../meta/json-value.ts'
import { FIXED32, FIXED64, LENGTH_DELIMITED, type Reader, VARINT, WireError, type WireType } from './wire.ts'

/** Reads the values of one type. Errors are WireErrors. */
export interface ValueCodec {
  readonly wireType: WireType
  /**
   * Reads the value at the reader's position.
   * @param before what the field held already, into which Go merges a message; never null
   */
  read(reader: Reader, before: JsonValue | undefined): JsonValue
  /** What Go holds where the wire has nothing. */
  zero(): JsonValue
  /** omitempty leaves the zero value out of the JSON. It never does so with structs, and so not with messages. */
  readonly omittable: boolean
}

/** An integer that JavaScript may not hold. */
const integer = (value: bigint): JsonValue => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : rawNumber(value.toString())
}

const int32 = (reader: Reader): JsonValue => {
  reader.readVarint()
  return reader.low | 0
}

const int64 = (reader: Reader): JsonValue => {
  reader.readVarint()
  return reader.high === 0 ? reader.low >>> 0 : integer(BigInt.asIntN(64, reader.unsigned))
}

const uint32 = (reader: Reader): JsonValue => {
  reader.readVarint()
  return reader.low >>> 0
}

const uint64 = (reader: Reader): JsonValue => {
  reader.readVarint()
  return reader.high === 0 ? reader.low >>> 0 : integer(reader.unsigned)
}

const boolean = (reader: Reader): JsonValue => {
  reader.readVarint()
  return reader.low !== 0 || reader.high !== 0
}

/** JSON has no other numbers: Go finds out when it writes the object. */
function finite(value: number): JsonValue {
  if (Number.isFinite(value)) return value
  throw new WireError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)
}

function codec(wireType: WireType, read: (reader: Reader) => JsonValue, zero: JsonValue): ValueCodec {
  return { wireType, read, zero: () => zero, omittable: true }
}

const byType: Readonly<Record<string, ValueCodec>> = {
  string: codec(LENGTH_DELIMITED, (reader) => reader.readText(), ''),
  bool: codec(VARINT, boolean, false),
  int32: codec(VARINT, int32, 0),
  int64: codec(VARINT, int64, 0),
  uint32: codec(VARINT, uint32, 0),
  uint64: codec(VARINT, uint64, 0),
  float32: codec(FIXED32, (reader) => finite(reader.readFloat()), 0),
  float64: codec(FIXED64, (reader) => finite(reader.readDouble()), 0),
  '[]byte': codec(LENGTH_DELIMITED, (reader) => reader.readBase64(), ''),
  'time.Duration': codec(VARINT, int64, 0),
}

/** Named strings of apimachinery's packages that have no table. */
const namedStrings = /^(?:types|intstr|runtime)\./

/** The codec of one of Go's own types, or of a string by another name; undefined for any other. */
export function valueCodec(type: string): ValueCodec | undefined {
  if (Object.hasOwn(byType, type)) return byType[type]
  return namedStrings.test(type) ? byType.string : undefined
}
