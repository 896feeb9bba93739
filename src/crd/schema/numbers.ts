/** Numbers as Go's validation converts and prints them. */
import { isRawNumber } from '../../go/json.ts'
import type { JsonValue } from '../../go/json-value.ts'

/** Returns the number of a JSON value; NaN if it is not a number. */
export function numberOf(value: JsonValue): number {
  if (typeof value === 'number') return value
  return isRawNumber(value) ? Number(value.rawJSON) : Number.NaN
}

/** Formats a float64 with `%v`: the shortest digits, with an exponent below 1e-4 and, for large whole numbers, from 1e21 on. */
export function goFloat(value: number): string {
  const magnitude = Math.abs(value)
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value)
  const [digits, exponent = ''] = value.toExponential().split('e')
  const sign = exponent.startsWith('-') ? '-' : '+'
  return `${digits}e${sign}${exponent.replace(/^[-+]/, '').padStart(2, '0')}`
}
