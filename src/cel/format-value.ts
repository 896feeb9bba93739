/** Formats values for error texts: Go's `%v` of cel-go's values. */

import { trimRight } from '../go/text.ts'
import { countSteps } from './budget.ts'
import {
  Double,
  Duration,
  isInt,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from './value.ts'

/** Formats a double as Go's `%g` and `%v` do: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function goDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  if (value === 0) return '0'
  const [digits = '', exponentText = '0'] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent < -4 || exponent >= 6) {
    const magnitude = Math.abs(exponent).toString().padStart(2, '0')
    return `${digits}e${exponent < 0 ? '-' : '+'}${magnitude}`
  }
  return plainDouble(value)
}

/** Formats a double without an exponent, however long (Go's `%f` with the shortest digits). */
export function plainDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const [mantissa = '', exponentText = '0'] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const point = Number(exponentText) + 1
  const minus = value < 0 || Object.is(value, -0) ? '-' : ''
  if (point <= 0) return digits === '0' ? `${minus}0` : `${minus}0.${'0'.repeat(-point)}${digits}`
  if (digits.length <= point) return minus + digits + '0'.repeat(point - digits.length)
  return `${minus}${digits.slice(0, point)}.${digits.slice(point)}`
}

const pad = (value: number, width: number): string => value.toString().padStart(width, '0')

function zoneText(offset: number): string {
  if (offset === 0) return 'Z'
  const minutes = Math.trunc(Math.abs(offset) / 60)
  return `${offset < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60), 2)}:${pad(minutes % 60, 2)}`
}

/** Formats a timestamp as RFC 3339, with as many decimals as needed. */
export function timestampText(value: Timestamp): string {
  const local = new Date((value.seconds + value.offset) * 1000)
  const fraction = value.nanoseconds === 0 ? '' : `.${trimRight(pad(value.nanoseconds, 9), '0')}`
  const year = local.getUTCFullYear()
  const date = `${pad(year, 4)}-${pad(local.getUTCMonth() + 1, 2)}-${pad(local.getUTCDate(), 2)}`
  const time = `${pad(local.getUTCHours(), 2)}:${pad(local.getUTCMinutes(), 2)}:${pad(local.getUTCSeconds(), 2)}`
  return `${date}T${time}${fraction}${zoneText(value.offset)}`
}

/** Formats a duration in seconds, as `string()` does. */
export function durationText(value: Duration): string {
  const whole = value.nanoseconds / 1_000_000_000n
  const rest = value.nanoseconds % 1_000_000_000n
  return `${plainDouble(Number(whole) + Number(rest) / 1e9)}s`
}

/** Formats a value for an error text. */
export function formatValue(value: Value): string {
  countSteps(10)
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || isInt(value)) return String(value)
  if (value === null) return '0'
  if (value instanceof Uint) return value.value.toString()
  if (value instanceof Double) return goDouble(value.value)
  if (value instanceof ListValue) return `[${Array.from({ length: value.size }, (_, i) => formatValue(value.at(i))).join(', ')}]`
  if (value instanceof MapValue)
    return `{${value
      .keys()
      .map((key) => `${formatValue(key)}: ${formatValue(value.find(key) ?? null)}`)
      .join(', ')}}`
  if (value instanceof OptionalValue)
    return value.value === undefined ? 'optional.none()' : `optional(${formatValue(value.value)})`
  if (value instanceof Timestamp) return timestampText(value).replace('T', ' ').replace('Z', ' +0000 UTC')
  if (value instanceof Duration) return durationText(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof OpaqueValue) return value.show()
  return value instanceof Uint8Array ? `[${[...value].join(' ')}]` : value.message
}

const GO_TYPES: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
  int: 'types.Int',
  list: '*types.baseList',
  map: '*types.baseMap',
  null_type: 'types.Null',
  optional_type: '*types.Optional',
  string: 'types.String',
  type: '*types.Type',
  uint: 'types.Uint',
}

/** Returns the value's type as Go's `%T` names it. */
export function goTypeName(value: Value): string {
  const name = typeNameOf(value)
  return GO_TYPES[name] ?? name
}
