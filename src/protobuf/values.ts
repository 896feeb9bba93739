/** Values that are no messages: how each stands on the wire, and what it is in JSON. */
import { isRawNumber, rawNumber } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'
import { FIXED32, FIXED64, LENGTH_DELIMITED, type Reader, VARINT, WireError, type WireType } from './wire.ts'
import type { Writer } from './writer.ts'

/** Reads and writes the values of one type. What is wrong with bytes are WireErrors. */
export interface ValueCodec {
  readonly wireType: WireType
  /**
   * Reads the value at the reader's position.
   * @param before what the field held already, into which Go merges a message; never null
   */
  read(reader: Reader, before: JsonValue | undefined): JsonValue
  /** Writes a value as objects are stored: decoded and normalised. */
  write(writer: Writer, value: JsonValue): void
  /** What Go holds where the wire has nothing. */
  zero(): JsonValue
  /** omitempty leaves the zero value out of the JSON. It never does so with structs, and so not with messages. */
  readonly omittable: boolean
  /** Go tells a value that is not there from an empty one, as with a pointer: the former is not on the wire. */
  readonly nullable: boolean
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

function writeInteger(writer: Writer, value: JsonValue): void {
  if (typeof value === 'number' && value >= 0) writer.writeVarint(value)
  else writer.writeWideVarint(BigInt(isRawNumber(value) ? value.rawJSON : Number(value)))
}

const numberOf = (value: JsonValue): number => Number(isRawNumber(value) ? value.rawJSON : value)

type Read = (reader: Reader) => JsonValue
type Write = (writer: Writer, value: JsonValue) => void

function codec(wireType: WireType, zero: JsonValue, read: Read, write: Write): ValueCodec {
  return { wireType, read, write, zero: () => zero, omittable: true, nullable: false }
}

const byType: Readonly<Record<string, ValueCodec>> = {
  string: codec(
    LENGTH_DELIMITED,
    '',
    (reader) => reader.readText(),
    (writer, value) => writer.writeText(String(value)),
  ),
  bool: codec(VARINT, false, boolean, (writer, value) => writer.writeByte(value === true ? 1 : 0)),
  int32: codec(VARINT, 0, int32, writeInteger),
  int64: codec(VARINT, 0, int64, writeInteger),
  uint32: codec(VARINT, 0, uint32, writeInteger),
  uint64: codec(VARINT, 0, uint64, writeInteger),
  float32: codec(
    FIXED32,
    0,
    (reader) => finite(reader.readFloat()),
    (writer, value) => writer.writeFloat(numberOf(value)),
  ),
  float64: codec(
    FIXED64,
    0,
    (reader) => finite(reader.readDouble()),
    (writer, value) => writer.writeDouble(numberOf(value)),
  ),
  '[]byte': {
    ...codec(
      LENGTH_DELIMITED,
      '',
      (reader) => reader.readBase64(),
      (writer, value) => writer.writeEncoded(Buffer.from(String(value), 'base64')),
    ),
    nullable: true,
  },
  'time.Duration': codec(VARINT, 0, int64, writeInteger),
}

/** Named strings of apimachinery's packages that have no table. */
const namedStrings = /^(?:types|intstr|runtime)\./

/** The codec of one of Go's own types, or of a string by another name; undefined for any other. */
export function valueCodec(type: string): ValueCodec | undefined {
  if (Object.hasOwn(byType, type)) return byType[type]
  return namedStrings.test(type) ? byType.string : undefined
}
