/** Compares values with enums as Go does: a value is converted to the type of the enum's value first. */
import { equalValues } from '../../apply/value.ts'
import { isGoInteger, isRawNumber, isWholeDouble } from '../../go/json.ts'
import type { JsonValue } from '../../go/json-value.ts'
import type { JsonSchema } from '../json-schema.ts'
import { numberOf } from './numbers.ts'

/** Returns the values of an enum of strings only; undefined for other enums. */
export function textsOf(values: JsonSchema['enum']): ReadonlySet<string> | undefined {
  return values?.every((value) => typeof value === 'string') === true ? new Set(values) : undefined
}

/** Returns a value converted to a string: an integer becomes the character with that code point. Undefined for other values. */
function convertedText(instance: JsonValue): string | undefined {
  if (typeof instance === 'string') return instance
  if ((typeof instance !== 'number' && !isRawNumber(instance)) || !isGoInteger(instance)) return undefined
  const code = numberOf(instance)
  const isCharacter = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return String.fromCodePoint(isCharacter ? code : 0xfffd)
}

/** Whether a value equals a value of an enum. A number is converted to the integer part that it has. */
function isEqual(instance: JsonValue, allowed: JsonValue): boolean {
  if (instance === null) return false
  if (typeof allowed === 'string') return convertedText(instance) === allowed
  const isNumber = typeof instance === 'number' || isWholeDouble(instance)
  if (isNumber && typeof allowed === 'number' && Number.isInteger(allowed)) return Math.trunc(numberOf(instance)) === allowed
  return equalValues(instance, allowed)
}

/**
 * Whether an enum contains a value.
 * @param texts the values, if all are strings
 */
export function isEnumerated(instance: JsonValue, values: readonly JsonValue[], texts: ReadonlySet<string> | undefined): boolean {
  if (texts === undefined) return values.some((allowed) => isEqual(instance, allowed))
  const text = convertedText(instance)
  return text !== undefined && texts.has(text)
}
