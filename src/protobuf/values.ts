/** Codecs of values other than messages: conversion between wire form and JSON. */
import { isRawNumber, rawNumber } from '../go/json.ts'
import type { JsonValue } from '../go/json-value.ts'
import { FIXED32, FIXED64, LENGTH_DELIMITED, type Reader, VARINT, WireError, type WireType } from './wire.ts'
import type { Writer } from './writer.ts'

/** Reads and writes the values of one type. Throws WireErrors for invalid bytes. */
export interface ValueCodec {
  readonly wireType: WireType
  /**
   * Reads the value at the reader's position.
   * @param before the previous value of the field, into which Go merges a message; never null
   */
  read(reader: Reader, before: JsonValue | undefined): JsonValue
  /** Writes a value in stored form: decoded and normalised. */
  write(writer: Writer, value: JsonValue): void
  /** Returns Go's value if the field is not on the wire. */
  zero(): JsonValue
  /** Whether omitempty omits the zero value from JSON. It never omits structs, and so no messages. */
  readonly omittable: boolean
  /** Whether Go distinguishes nil from an empty value, as for a pointer; nil is not written. */
  readonly nullable: boolean
}

/** Returns an integer that a JavaScript number may not hold exactly. */
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

/** Rejects NaN and infinities, which JSON does not have. Go finds them only when it writes the object. */
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

/** Packages of apimachinery without tables, whose named types are strings. */
const namedStrings = /^(?:types|intstr|runtime)\./

/** Returns the codec of one of Go's built-in types, or of a named string; undefined for other types. */
export function valueCodec(type: string): ValueCodec | undefined {
  if (Object.hasOwn(byType, type)) return byType[type]
  return namedStrings.test(type) ? byType.string : undefined
}
