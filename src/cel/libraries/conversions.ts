/** Conversions between the standard types. */

import { parseDuration } from '../../go/duration.ts'
import { parseTime } from '../../go/time.ts'
import { bytesAt, doubleAt, durationAt, intAt, orError, textAt, timestampAt, uintAt, wholeAt } from '../arguments.ts'
import { declare, type FunctionDeclaration, global, type Implementation } from '../declarations.ts'
import { durationText, goDouble, timestampText } from '../format-value.ts'
import { checkedInt, checkedUint, INT_OVERFLOW, truncated, UINT_OVERFLOW } from '../numbers.ts'
import { utf8Bytes, utf8Text } from '../text.ts'
import { checkedTimestamp, offsetOf, TIMESTAMP_OVERFLOW } from '../times.ts'
import { CelError, Double, Duration, intOf, MAX_INT, MAX_UINT, MIN_INT, Uint, type Value } from '../value.ts'

const same: Implementation = ([value = null]) => value

const noConversion = (to: string): CelError => new CelError(`type conversion error from 'string' to '${to}'`)

const BOOLS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text): [string, boolean] => [text, true]),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text): [string, boolean] => [text, false]),
])

/** Parses an int: digits with an optional sign. */
function intFrom(text: string): Value {
  if (!/^[+-]?\d+$/.test(text) || text.replace(/^[+-]?0*/, '').length > 19) return noConversion('int')
  const value = BigInt(text.replace(/^\+/, ''))
  return value > MAX_INT || value < MIN_INT ? noConversion('int') : intOf(value)
}

function uintFrom(text: string): Value {
  if (!/^\d+$/.test(text) || text.replace(/^0*/, '').length > 20) return noConversion('uint')
  const value = BigInt(text)
  return value > MAX_UINT ? noConversion('uint') : new Uint(value)
}

function doubleFrom(text: string): Value {
  const special = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(text)
  if (special !== null) {
    if (special[2] !== undefined) return new Double(special[1] === '-' ? -Infinity : Infinity)
    return special[1] === '' ? new Double(Number.NaN) : noConversion('double')
  }
  const digits = text.replace(/(?<=\d)_(?=\d)/g, '')
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(digits)) return noConversion('double')
  const value = Number(digits)
  return Number.isFinite(value) ? new Double(value) : noConversion('double')
}

/** Truncates a double to an int. */
function intFromDouble(value: number): Value {
  const whole = truncated(value, -(2 ** 63), 2 ** 63)
  return whole === undefined || value === -(2 ** 63) ? INT_OVERFLOW : checkedInt(whole)
}

function uintFromDouble(value: number): Value {
  const whole = truncated(value, 0, 2 ** 64)
  return whole === undefined ? UINT_OVERFLOW : checkedUint(whole)
}

/** Parses an RFC 3339 timestamp; undefined if it is invalid. */
export function timestampFrom(text: string): Value | undefined {
  try {
    const { seconds, nanoseconds } = parseTime(text)
    return checkedTimestamp(seconds, nanoseconds, offsetOf(text))
  } catch {
    return undefined
  }
}

function durationFrom(text: string): Value {
  const duration = orError(() => new Duration(parseDuration(text)))
  return duration instanceof CelError ? noConversion('google.protobuf.Duration') : duration
}

function timestampOfSeconds(seconds: number): Value {
  return Number.isSafeInteger(seconds) ? checkedTimestamp(seconds, 0) : TIMESTAMP_OVERFLOW
}

function textFromBytes(bytes: Uint8Array): Value {
  return utf8Text(bytes) ?? new CelError('invalid UTF-8 in bytes, cannot convert to string')
}

/** The conversion functions, named after their result types. */
export const CONVERSIONS: readonly FunctionDeclaration[] = [
  declare(
    'bool',
    global('bool_to_bool', 'bool', 'bool', same),
    global('string_to_bool', 'string', 'bool', (args) => BOOLS.get(textAt(args, 0)) ?? noConversion('bool')),
  ),
  declare(
    'bytes',
    global('bytes_to_bytes', 'bytes', 'bytes', same),
    global('string_to_bytes', 'string', 'bytes', (args) => utf8Bytes(textAt(args, 0))),
  ),
  declare(
    'double',
    global('double_to_double', 'double', 'double', same),
    global('int64_to_double', 'int', 'double', (args) => new Double(intAt(args, 0))),
    global('string_to_double', 'string', 'double', (args) => doubleFrom(textAt(args, 0))),
    global('uint64_to_double', 'uint', 'double', (args) => new Double(Number(uintAt(args, 0)))),
  ),
  declare(
    'duration',
    global('duration_to_duration', 'duration', 'duration', same),
    global(
      'int64_to_duration',
      'int',
      'duration',
      () => new CelError("type conversion error from 'int' to 'google.protobuf.Duration'"),
    ),
    global('string_to_duration', 'string', 'duration', (args) => durationFrom(textAt(args, 0))),
  ),
  declare('dyn', global('to_dyn', 'A', 'dyn', same)),
  declare(
    'int',
    global('int64_to_int64', 'int', 'int', same),
    global('double_to_int64', 'double', 'int', (args) => intFromDouble(doubleAt(args, 0))),
    global('duration_to_int64', 'duration', 'int', (args) => intOf(durationAt(args, 0))),
    global('string_to_int64', 'string', 'int', (args) => intFrom(textAt(args, 0))),
    global('timestamp_to_int64', 'timestamp', 'int', (args) => timestampAt(args, 0).seconds),
    global('uint64_to_int64', 'uint', 'int', (args) => checkedInt(uintAt(args, 0))),
  ),
  declare(
    'string',
    global('string_to_string', 'string', 'string', same),
    global('bool_to_string', 'bool', 'string', ([value]) => String(value === true)),
    global('bytes_to_string', 'bytes', 'string', (args) => textFromBytes(bytesAt(args, 0))),
    global('double_to_string', 'double', 'string', (args) => goDouble(doubleAt(args, 0))),
    global('duration_to_string', 'duration', 'string', (args) => durationText(new Duration(durationAt(args, 0)))),
    global('int64_to_string', 'int', 'string', (args) => wholeAt(args, 0).toString()),
    global('timestamp_to_string', 'timestamp', 'string', (args) => timestampText(timestampAt(args, 0))),
    global('uint64_to_string', 'uint', 'string', (args) => uintAt(args, 0).toString()),
  ),
  declare(
    'timestamp',
    global('timestamp_to_timestamp', 'timestamp', 'timestamp', same),
    global('int64_to_timestamp', 'int', 'timestamp', (args) => timestampOfSeconds(intAt(args, 0))),
    global(
      'string_to_timestamp',
      'string',
      'timestamp',
      (args) => timestampFrom(textAt(args, 0)) ?? noConversion('google.protobuf.Timestamp'),
    ),
  ),
  declare(
    'uint',
    global('uint64_to_uint64', 'uint', 'uint', same),
    global('double_to_uint64', 'double', 'uint', (args) => uintFromDouble(doubleAt(args, 0))),
    global('int64_to_uint64', 'int', 'uint', (args) => checkedUint(wholeAt(args, 0))),
    global('string_to_uint64', 'string', 'uint', (args) => uintFrom(textAt(args, 0))),
  ),
]
