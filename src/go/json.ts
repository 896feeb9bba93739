/** JSON as Go's encoding/json reads and writes it: exact integers, Go's messages, every key an own property. */
import { checkSyntax, JsonSyntaxError, MAX_DEPTH } from './json-syntax.ts'
import type { JsonObject, JsonValue, RawNumber } from './json-value.ts'

/** What a reviver gets since ES2025, and the functions that come with it; TypeScript's libraries lack them. */
interface SourceTextAccess {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}

const json = JSON as unknown as SourceTextAccess

/**
 * How numbers are read that JavaScript cannot hold or show as they stand in the text.
 * `untyped`: as Go reads into an interface, integers of 64 bits exact and the others as doubles.
 * `verbatim`: every number whose digits would be lost is kept as a RawNumber (`1.0`, `1e3`, `99999999999999999999`),
 * because a typed decoder judges by the text.
 * `unstructured`: as untyped, and doubles that are whole are told apart from integers (`1.0`, `1e3`), as Go's validation does.
 */
export type Numbers = 'untyped' | 'verbatim' | 'unstructured'

/** Compares and counts as the nearest double, and is written as its digits. */
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

/** A double that is whole. It is written as its digits, as Go writes it: what is stored is an integer. */
class WholeDouble extends ExactNumber {}

/** Texts that may hold a number to which JSON.parse does not do justice. Matches in strings cost time only. */
const SUSPECT: Readonly<Record<Numbers, RegExp>> = {
  untyped: /\d{16}|\d[eE]\+?\d{3,}\s*(?:[,}\]]|$)/,
  verbatim: /\d{16}|(?:[:,[\s]|^)-?\d{1,15}(?:\.\d{1,15}(?:[eE][-+]?\d+)?|[eE][-+]?\d+)\s*(?:[,}\]]|$)/,
  unstructured: /\d{16}|\d(?:\.0+|[eE][-+]?\d+)\s*(?:[,}\]]|$)/,
}

/** Whether a text of JSON may hold a number that is kept as its digits where numbers are read verbatim. */
export const mayKeepDigits = (text: string): boolean => SUSPECT.verbatim.test(text)

/** Whether a text of JSON may hold a double that is whole, or a number beyond those that JSON.parse reads as they are. */
export const mayHoldWholeDoubles = (text: string): boolean => SUSPECT.unstructured.test(text)

const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)

/** Whether the text of a JSON number is an integer that fits 64 bits. */
function isInt64(source: string): boolean {
  if (source.length > 20 || !/^-?\d+$/.test(source)) return false
  const value = BigInt(source)
  return value >= INT64_MIN && value <= INT64_MAX
}

/** Doubles from here on are not written as their digits. */
const largestInDigits = 1e21

/** What stands for a number of the text. */
function held(value: number, source: string, numbers: Numbers): number | RawNumber {
  if (!Number.isFinite(value)) return rawNumber(source)
  if (numbers === 'verbatim') return String(value) === source ? value : rawNumber(source)
  if (numbers === 'unstructured' && Number.isInteger(value) && /[.eE]/.test(source) && Math.abs(value) < largestInDigits)
    return new WholeDouble(String(value))
  return !Number.isSafeInteger(value) && isInt64(source) ? rawNumber(source) : value
}

function parseExactly(text: string, numbers: Numbers): JsonValue {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? held(value, source, numbers) : value,
  ) as JsonValue
}

/** Whether a text that is JSON nests deeper than MAX_DEPTH. */
function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH * 2) return false
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

/** Where the string literal ends (its closing quote) that begins at `start`, in a text that is JSON. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
}

/**
 * Reads JSON.
 * @throws JsonSyntaxError with the message that Go's encoding/json gives for the same text
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

/** Reads a value of the store: it was JSON and no deeper than allowed when it was written, which is not looked at again. */
export const parseStoredJson = (text: string, numbers: Numbers = 'untyped'): JsonValue =>
  SUSPECT[numbers].test(text) ? parseExactly(text, numbers) : (JSON.parse(text) as JsonValue)

/** Whether the value is a number kept as its digits. */
export function isRawNumber(value: unknown): value is RawNumber {
  return value instanceof ExactNumber
}

/** Whether the value is a whole number that Go holds as a double. */
export function isWholeDouble(value: unknown): boolean {
  return value instanceof WholeDouble
}

/** A number kept as these digits, which must be a JSON number. */
export function rawNumber(digits: string): RawNumber {
  return new ExactNumber(digits)
}

/** Sets an own property, also where the key is `__proto__`, which plain assignment would take for the prototype. */
export function setKey(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else object[key] = value
}

/** Writes JSON, numbers kept as digits included. */
export function stringify(value: JsonValue): string {
  return JSON.stringify(value)
}
