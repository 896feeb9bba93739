/** Numbers as Go's validation converts and prints them. */
import { isRawNumber } from '../../go/json.ts'
import type { JsonValue } from '../../go/json-value.ts'

/** Returns the number of a JSON value; NaN if it is not a number. */
export function numberOf(value: JsonValue): number {
  if (typeof value === 'number') return value
  return isRawNumber(value) ? Number(value.rawJSON) : Number.NaN
}
