/** JSON with the semantics of Go's encoding/json: exact integers, Go's error messages, every key as an own property. */
import { checkSyntax, JsonSyntaxError, MAX_DEPTH } from './json-syntax.ts'
import type { JsonObject, JsonValue, RawNumber } from './json-value.ts'

/** JSON's source text access of ES2025, which TypeScript's libraries lack. */
interface SourceTextAccess {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}

const json = JSON as unknown as SourceTextAccess

/**
 * The treatment of numbers that JavaScript cannot hold or cannot write as they are in the text.
 * `untyped`: like Go with `interface{}`: integers of 64 bits are exact, others become doubles.
 * `verbatim`: a number whose digits would be lost is kept as a RawNumber (`1.0`, `1e3`, `99999999999999999999`), because a typed
 * decoder judges by the text.
 * `unstructured`: like untyped, but whole doubles (`1.0`, `1e3`) stay distinguishable from integers, as in Go's validation.
 */
export type Numbers = 'untyped' | 'verbatim' | 'unstructured'

/** Compares and computes as the nearest double; serialized as its digits. */
class ExactNumber implements RawNumber {
  readonly rawJSON: string

  constructor(digits: string) {
    this.rawJSON = digits
  }

  valueOf(): number {
    return Number(this.rawJSON)
  }

  toJSON(): unknown {
    return json.rawJSON(this.rawJSON)
  }
}

/** A whole double. Serialized as its digits, as in Go: the stored number is an integer. */
class WholeDouble extends ExactNumber {}

/** Matches texts that may contain a number which JSON.parse would change. A match inside a string only costs time. */
const SUSPECT: Readonly<Record<Numbers, RegExp>> = {
  untyped: /\d{16}|\d[eE]\+?\d{3,}\s*(?:[,}\]]|$)/,
  verbatim: /\d{16}|(?:[:,[\s]|^)-?\d{1,15}(?:\.\d{1,15}(?:[eE][-+]?\d+)?|[eE][-+]?\d+)\s*(?:[,}\]]|$)/,
  unstructured: /\d{16}|\d(?:\.0+|[eE][-+]?\d+)\s*(?:[,}\]]|$)/,
}

/** Whether a JSON text may contain a number that `verbatim` keeps as digits. */
export const mayKeepDigits = (text: string): boolean => SUSPECT.verbatim.test(text)

/** Whether a JSON text may contain a whole double, or a number that JSON.parse cannot represent. */
export const mayHoldWholeDoubles = (text: string): boolean => SUSPECT.unstructured.test(text)

/** The greatest doubles have so many digits and one more. */
const digitsOfDoubles = 308

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Whether a text has so many digits in a row. Such a row covers one of the places that are looked at first. */
function hasDigits(text: string, count: number): boolean {
  for (let at = count - 1; at < text.length; at += count) {
    let [first, end] = [at, at]
    while (isDigit(text.charCodeAt(end))) end++
    if (end === at) continue
    while (first > 0 && isDigit(text.charCodeAt(first - 1))) first--
    if (end - first >= count) return true
  }
  return false
}

/** Whether a JSON text may contain a number out of range for a double: a cheap test. A match inside a string only costs time. */
export const mayOverflow = (text: string): boolean => /\d[eE]\+?\d{3}/.test(text) || hasDigits(text, digitsOfDoubles)

const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

/** Whether the text of a JSON number is an integer of 64 bits. */
export function isInt64(source: string): boolean {
  if (source.length > 20 || !/^-?\d+$/.test(source)) return false
  const value = BigInt(source)
  return value >= INT64_MIN && value <= INT64_MAX
}

/** Doubles from here on are written with an exponent. */
const largestInDigits = 1e21

/** Returns the value that represents a number of the text. */
function numberOf(value: number, source: string, numbers: Numbers): number | RawNumber {
  if (!Number.isFinite(value)) return rawNumber(source)
  const isLarge = !Number.isSafeInteger(value) && isInt64(source)
  if (numbers === 'verbatim') return String(value) === source && !isLarge ? value : rawNumber(source)
  if (numbers === 'unstructured' && Number.isInteger(value) && /[.eE]/.test(source) && Math.abs(value) < largestInDigits)
    return new WholeDouble(String(value))
  return isLarge ? rawNumber(source) : value
}

function parseExactly(text: string, numbers: Numbers): JsonValue {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? numberOf(value, source, numbers) : value,
  ) as JsonValue
}

/** Whether a character occurs at most so many times. */
function occursAtMost(text: string, character: string, times: number): boolean {
  let left = times
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) if (--left < 0) return false
  return true
}

/** Whether a valid JSON text nests deeper than MAX_DEPTH. */
function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH * 2) return false
  // Few objects and lists cannot nest that deep, however many keys they have.
  if (occursAtMost(text, '{', MAX_DEPTH / 2) && occursAtMost(text, '[', MAX_DEPTH / 2)) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) i = endOfString(text, i)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}

/** Returns the index of the closing quote of the string literal that begins at `start`, in a valid JSON text. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
}

/**
 * Parses JSON.
 * @param numbers see Numbers; 'untyped' is for values without a schema
 * @throws JsonSyntaxError with the message of Go's encoding/json for the same text
 * @example
 * parseJson('{"replicas":3}') // { replicas: 3 }
 * stringify(parseJson('[9223372036854775807]')) // '[9223372036854775807]'
 * stringify(parseJson('[1.0]', 'verbatim')) // '[1.0]'
 */
export function parseJson(text: string, numbers: Numbers = 'untyped'): JsonValue {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch (error) {
    checkSyntax(text)
    throw new JsonSyntaxError((error as Error).message)
  }
  if (isTooDeep(text)) checkSyntax(text)
  return SUSPECT[numbers].test(text) ? parseExactly(text, numbers) : value
}

/**
 * Parses a value of the store. It was valid JSON and within MAX_DEPTH when it was written: neither is checked again.
 */
export const parseStoredJson = (text: string, numbers: Numbers = 'untyped'): JsonValue =>
  SUSPECT[numbers].test(text) ? parseExactly(text, numbers) : (JSON.parse(text) as JsonValue)

/** Whether the value is a number that is kept as digits. */
export function isRawNumber(value: unknown): value is RawNumber {
  return value instanceof ExactNumber
}

/** Whether the value is a whole number that Go holds as a double. */
export function isWholeDouble(value: unknown): boolean {
  return value instanceof WholeDouble
}

/** Whether Go holds the number as int64: it holds all others as float64. */
export function isGoInteger(value: number | RawNumber): boolean {
  return isRawNumber(value) ? !isWholeDouble(value) && isInt64(value.rawJSON) : Number.isSafeInteger(value)
}

/** Returns a number that keeps these digits, which must be a JSON number. */
export function rawNumber(digits: string): RawNumber {
  return new ExactNumber(digits)
}

/** Sets an own property. Plain assignment of `__proto__` would set the prototype. */
export function setKey(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else object[key] = value
}

/**
 * Serializes a value as JSON; numbers that are kept as digits are written as these digits.
 * @example
 * stringify({ a: rawNumber('12345678901234567890') }) // '{"a":12345678901234567890}'
 * stringify(parseJson('{"__proto__":1}')) // '{"__proto__":1}'
 */
export function stringify(value: JsonValue): string {
  return JSON.stringify(value)
}
