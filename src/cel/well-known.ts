/** The well-known protobuf types, which every expression may name and construct (cel-go's registry). */

import { goQuote } from '../go/text.ts'
import { ArrayList, EntryMap } from './collections.ts'
import { durationText, timestampText } from './format-value.ts'
import {
  ANY,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  objectType,
  STRING,
  TIMESTAMP,
  UINT,
  wrapperOf,
} from './types.ts'
import {
  CelError,
  Double,
  Duration,
  isInt,
  ListValue,
  MAX_INT,
  MapValue,
  MIN_INT,
  OpaqueValue,
  Timestamp,
  typeNameOf,
  Uint,
  type Value,
} from './value.ts'

/** A message type, and the CEL type that its values convert to. */
export interface WellKnown {
  readonly name: string
  readonly type: CelType
  readonly fields: ReadonlyMap<string, CelType>
  readonly make: (fields: Fields) => Value
}

type Fields = ReadonlyMap<string, Value>

const prefix = 'google.protobuf.'
const emptyName = `${prefix}Empty`

/** A message without fields. */
class Empty extends OpaqueValue {
  readonly typeName = emptyName

  equals(other: Value): boolean {
    return other instanceof Empty
  }

  show(): string {
    return this.typeName
  }
}

/** The Go type of a field. */
type Native = 'bool' | '[]uint8' | 'float32' | 'float64' | 'int32' | 'int64' | 'string' | 'uint32' | 'uint64'

const inRange = (value: bigint, least: bigint, most: bigint): boolean => value >= least && value <= most

const mismatch = (given: Value, native: Native): string => {
  if (typeof given === 'string') return `unsupported native conversion from string to '${native}'`
  return `unsupported type conversion from '${typeNameOf(given)}' to ${native}`
}

const isInteger = (given: Value, native: Native): given is number | bigint =>
  isInt(given) && (native === 'int32' || native === 'int64')

/** The conversions of field values, by Go type; undefined if the value does not fit. */
const conversions: Readonly<Record<Native, (given: Value) => Value | undefined>> = {
  bool: (given) => (typeof given === 'boolean' ? given : undefined),
  '[]uint8': (given) => (given instanceof Uint8Array ? given : undefined),
  float32: (given) => (given instanceof Double ? new Double(Math.fround(given.value)) : undefined),
  float64: (given) => (given instanceof Double ? given : undefined),
  int32: (given) => (isInt(given) ? given : undefined),
  int64: (given) => (isInt(given) ? given : undefined),
  string: (given) => (typeof given === 'string' ? given : undefined),
  uint32: (given) => (given instanceof Uint ? given : undefined),
  uint64: (given) => (given instanceof Uint ? given : undefined),
}

function converted(given: Value, native: Native): Value | CelError {
  if (native === 'int32' && isInteger(given, native) && !inRange(BigInt(given), -(2n ** 31n), 2n ** 31n - 1n))
    return new CelError('integer overflow')
  if (native === 'uint32' && given instanceof Uint && !inRange(given.value, 0n, 2n ** 32n - 1n))
    return new CelError('unsigned integer overflow')
  return conversions[native](given) ?? new CelError(mismatch(given, native))
}

const integerAt = (fields: Fields, name: string): bigint => {
  const given = fields.get(name) ?? 0
  return isInt(given) ? BigInt(given) : 0n
}

/** Makes a duration; overflow saturates at 64 bits. */
function duration(fields: Fields): Value {
  const nanoseconds = integerAt(fields, 'seconds') * 1_000_000_000n + integerAt(fields, 'nanos')
  return new Duration(nanoseconds > MAX_INT ? MAX_INT : nanoseconds < MIN_INT ? MIN_INT : nanoseconds)
}

function timestamp(fields: Fields): Value {
  const nanos = integerAt(fields, 'nanos')
  const carried = (nanos - (((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)) / 1_000_000_000n
  return new Timestamp(Number(integerAt(fields, 'seconds') + carried), Number(nanos - carried * 1_000_000_000n))
}

/** Returns the text of a value without a JSON form; undefined for others. */
function jsonText(given: Value): string | undefined {
  if (given instanceof Uint8Array) return Buffer.from(given).toString('base64')
  if (given instanceof Timestamp) return timestampText(given)
  return given instanceof Duration ? durationText(given) : undefined
}

const safest = BigInt(Number.MAX_SAFE_INTEGER)

/** Converts a value to the JSON form that google.protobuf.Value has. */
function jsonValue(given: Value): Value {
  const integer = isInt(given) ? BigInt(given) : given instanceof Uint ? given.value : undefined
  if (integer !== undefined) return inRange(integer, -safest, safest) ? new Double(Number(integer)) : String(integer)
  if (given instanceof ListValue) return new ArrayList(given.elements.map(jsonValue))
  return given instanceof MapValue ? jsonMap(given) : (jsonText(given) ?? given)
}

function jsonMap(given: MapValue): Value {
  const keys = given.keys()
  const wrong = keys.find((key) => typeof key !== 'string')
  if (wrong !== undefined) return new CelError(`unsupported type conversion from '${typeNameOf(wrong)}' to string`)
  return EntryMap.of(keys.map((key): [Value, Value] => [key, jsonValue(given.find(key) ?? null)]))
}

/** Converts google.protobuf.Value; of several fields the last one counts. */
function value(fields: Fields): Value {
  const [name, given = null] = [...fields].at(-1) ?? []
  return name === 'null_value' ? null : jsonValue(given)
}

/** A field: its type, and the conversion of its value. */
interface FieldPlan {
  readonly type: CelType
  readonly hold: (given: Value) => Value
}

const plain = (type: CelType, native: Native): FieldPlan => ({ type, hold: (given) => converted(given, native) })
const INT64 = plain(INT, 'int64')
const INT32 = plain(INT, 'int32')
const TEXT = plain(STRING, 'string')
const structType = mapOf(STRING, DYN)
const listType = listOf(DYN)
const LIST: FieldPlan = { type: listType, hold: jsonValue }
const STRUCT: FieldPlan = { type: structType, hold: jsonValue }

function message(
  name: string,
  type: CelType,
  plans: Readonly<Record<string, FieldPlan>>,
  make: (fields: Fields) => Value,
): WellKnown {
  const full = `${prefix}${name}`
  return {
    name: full,
    type,
    fields: new Map(Object.entries(plans).map(([field, plan]) => [field, plan.type])),
    make(given) {
      const fieldValues = new Map<string, Value>()
      for (const [field, each] of given) {
        const result = plans[field]?.hold(each) ?? each
        if (result instanceof CelError)
          return new CelError(`field type conversion error for ${full}.${field} value type: ${result.message}`)
        fieldValues.set(field, result)
      }
      return make(fieldValues)
    },
  }
}

const wrapper = (name: string, type: CelType, native: Native, zero: Value): WellKnown =>
  message(name, wrapperOf(type), { value: plain(type, native) }, (fields) => fields.get('value') ?? zero)

/** Converts google.protobuf.Any. Only an empty payload of a well-known type is supported. */
function any(fields: Fields): Value {
  const { type_url: url = '', value: bytes = new Uint8Array() } = Object.fromEntries(fields)
  const inner = byName.get(String(url).replace('type.googleapis.com/', ''))
  const isEmpty = bytes instanceof Uint8Array && bytes.length === 0
  if (inner !== undefined && isEmpty) return inner.make(new Map())
  const parts = [...(url === '' ? [] : [`type_url:${show(url)}`]), ...(isEmpty ? [] : [`value:${show(textOf(bytes))}`])]
  return new CelError(`unsupported conversion to ref.Val: (*dynamicpb.Message)${parts.join(' ')}`)
}

const textOf = (bytes: Value): string => (bytes instanceof Uint8Array ? Buffer.from(bytes).toString('latin1') : '')
const show = (text: Value): string => goQuote(String(text))

const all: readonly WellKnown[] = [
  message('Timestamp', TIMESTAMP, { seconds: INT64, nanos: INT32 }, timestamp),
  message('Duration', DURATION, { seconds: INT64, nanos: INT32 }, duration),
  wrapper('BoolValue', BOOL, 'bool', false),
  wrapper('BytesValue', BYTES, '[]uint8', new Uint8Array()),
  wrapper('DoubleValue', DOUBLE, 'float64', new Double(0)),
  wrapper('FloatValue', DOUBLE, 'float32', new Double(0)),
  wrapper('Int32Value', INT, 'int32', 0),
  wrapper('Int64Value', INT, 'int64', 0),
  wrapper('StringValue', STRING, 'string', ''),
  wrapper('UInt32Value', UINT, 'uint32', new Uint(0n)),
  wrapper('UInt64Value', UINT, 'uint64', new Uint(0n)),
  message('ListValue', listType, { values: LIST }, (fields) => fields.get('values') ?? new ArrayList([])),
  message('Struct', structType, { fields: STRUCT }, (fields) => fields.get('fields') ?? EntryMap.of([])),
  message(
    'Value',
    DYN,
    {
      null_value: INT32,
      number_value: plain(DOUBLE, 'float64'),
      string_value: TEXT,
      bool_value: plain(BOOL, 'bool'),
      struct_value: STRUCT,
      list_value: LIST,
    },
    value,
  ),
  message('Any', ANY, { type_url: TEXT, value: plain(BYTES, '[]uint8') }, any),
  message('Empty', objectType(emptyName), {}, () => new Empty()),
]

const byName: ReadonlyMap<string, WellKnown> = new Map(all.map((known) => [known.name, known]))

/** Returns the message type of this name; undefined for other names. */
export const wellKnown = (name: string): WellKnown | undefined => (name.startsWith(prefix) ? byName.get(name) : undefined)

/** Type names that the checker knows but that have no runtime value. */
const namesAlone: ReadonlyMap<string, CelType> = new Map([
  ['timestamp', TIMESTAMP],
  ['duration', DURATION],
])

/** Returns the type of a name without a runtime value. */
export const unvaluedType = (name: string): CelType | undefined => wellKnown(name)?.type ?? namesAlone.get(name)

const enumValues: ReadonlyMap<string, Value> = new Map([[`${prefix}NullValue.NULL_VALUE`, 0]])

/** Returns the value of an enum constant. */
export const enumValue = (name: string): Value | undefined => enumValues.get(name)
