/**
 * Numbers and their texts as in Go: strconv.ParseInt and ParseUint in base 10 with 64 bits, with their error texts, and `%f`.
 */
import { goQuote } from './text.ts'

const MAX_UINT64 = 2n ** 64n - 1n
const MAX_INT64 = 2n ** 63n - 1n

const syntaxError = (functionName: string, text: string): Error =>
  new Error(`strconv.${functionName}: parsing ${goQuote(text)}: invalid syntax`)
const rangeError = (functionName: string, text: string): Error =>
  new Error(`strconv.${functionName}: parsing ${goQuote(text)}: value out of range`)

/** Returns the digits from `start` to the end as a number. Go reports a number that is too large before a letter after it. */
function magnitude(functionName: string, text: string, start: number): bigint {
  let zeros = start
  while (text.charCodeAt(zeros) === 0x30) zeros++
  let end = zeros
  while (end < text.length && text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++
  const value = end - zeros > 20 ? MAX_UINT64 + 1n : BigInt(text.slice(zeros, end) || '0')
  if (value > MAX_UINT64) throw rangeError(functionName, text)
  if (end < text.length || end === start) throw syntaxError(functionName, text)
  return value
}

/**
 * Parses an int64 in decimal, with an optional sign.
 * @throws Error with Go's text
 */
export function parseInt64(text: string): bigint {
  const negative = text.startsWith('-')
  const value = magnitude('ParseInt', text, negative || text.startsWith('+') ? 1 : 0)
  if (value > (negative ? MAX_INT64 + 1n : MAX_INT64)) throw rangeError('ParseInt', text)
  return negative ? -value : value
}

/**
 * Parses a uint64 in decimal, without a sign, for example a resourceVersion.
 * @throws Error with Go's text
 */
export function parseUint64(text: string): bigint {
  return magnitude('ParseUint', text, 0)
}

/**
 * Formats a float64 with a fixed number of decimals, as the verb `%.6f`: a tie is rounded to the even digit.
 * @param value below 1e21
 */
export function formatFixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const text = value.toFixed(decimals)
  // Only a number with so few binary digits after the point lies exactly between two decimals.
  if (!Number.isInteger(value * 2 ** (decimals + 1))) return text
  const exact = value.toFixed(decimals + 1)
  const isRoundedToOdd = exact.endsWith('5') && Number(text.at(-1)) % 2 === 1
  return isRoundedToOdd ? exact.slice(0, -1) : text
}
