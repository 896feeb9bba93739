/** The types of literals. */
import { BOOL, BYTES, type CelType, DOUBLE, INT, NULL, STRING, UINT } from './types.ts'
import { Double, isInt, Uint, type Value } from './value.ts'

/** Returns the type of a literal's value. */
export function literalType(value: Value): CelType {
  if (typeof value === 'string') return STRING
  if (typeof value === 'boolean') return BOOL
  if (isInt(value)) return INT
  if (value === null) return NULL
  if (value instanceof Double) return DOUBLE
  return value instanceof Uint ? UINT : BYTES
}
