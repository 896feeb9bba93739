/** Durations such as `1h0m0s`: Go's time.Duration, a whole number of nanoseconds in 64 bits. */
import { trimRight } from './text.ts'
import { timeQuote } from './time.ts'

const MAX = 1n << 63n

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])

const durationError = (text: string, problem: string): Error => new Error(`time: ${problem} ${timeQuote(text)}`)

/** Returns a whole number, or undefined if it does not fit in 63 bits. */
function wholeOf(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, '')
  if (significant.length > 19) return undefined
  const value = BigInt(significant || '0')
  return value > MAX ? undefined : value
}

/**
 * Returns the nanoseconds of the digits after the point. Computed in floating point as Go does, from as many digits as fit in 63
 * bits.
 */
function fractionOf(digits: string, unit: bigint): bigint {
  const significant = digits.replace(/^0+/, '')
  const zeros = digits.length - significant.length
  const first = (count: number): bigint => BigInt(significant.slice(0, Math.max(0, count)) || '0')
  let length = Math.min(significant.length, 19)
  while (length > 0 && (first(length) > MAX || first(length - 1) > (MAX - 1n) / 10n)) length--
  const value = first(length)
  if (value === 0n) return 0n
  let scale = 1
  for (let i = 0; i < zeros + length; i++) scale *= 10
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)))
}

interface Term {
  readonly nanoseconds: bigint
  readonly length: number
}

/** Reads the number with its unit at `start`. */
function readTerm(text: string, start: number): Term {
  const pattern = /([0-9]*)(?:(\.)([0-9]*))?([^.0-9]*)/y
  pattern.lastIndex = start
  const [all = '', whole = '', point, fraction = '', unitText = ''] = pattern.exec(text) ?? []
  if (whole === '' && point === undefined) throw durationError(text, 'invalid duration')
  const value = wholeOf(whole)
  if (value === undefined || (whole === '' && fraction === '')) throw durationError(text, 'invalid duration')
  if (unitText === '') throw durationError(text, 'missing unit in duration')
  const unit = UNITS.get(unitText)
  if (unit === undefined) throw durationError(text, `unknown unit ${timeQuote(unitText)} in duration`)
  if (value > MAX / unit) throw durationError(text, 'invalid duration')
  const nanoseconds = value * unit + fractionOf(fraction, unit)
  if (nanoseconds > MAX) throw durationError(text, 'invalid duration')
  return { nanoseconds, length: all.length }
}

/**
 * Parses a duration. Follows time.ParseDuration.
 * @returns nanoseconds
 * @throws Error with Go's text if it is not a duration
 */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith('-')
  let at = negative || text.startsWith('+') ? 1 : 0
  if (text.slice(at) === '0') return 0n
  if (at === text.length) throw durationError(text, 'invalid duration')
  let total = 0n
  while (at < text.length) {
    const term = readTerm(text, at)
    total += term.nanoseconds
    if (total > MAX) throw durationError(text, 'invalid duration')
    at += term.length
  }
  if (!negative && total === MAX) throw durationError(text, 'invalid duration')
  return negative ? -total : total
}

/** Formats nanoseconds in a unit, without trailing zeros. */
function inUnit(nanoseconds: bigint, unit: bigint): string {
  const fraction = trimRight((nanoseconds % unit).toString().padStart(unit.toString().length - 1, '0'), '0')
  const whole = (nanoseconds / unit).toString()
  return fraction === '' || unit === 1n ? whole : `${whole}.${fraction}`
}

/** Formats a duration in nanoseconds: `1h0m0s`, `1.5s`, `100ms`, `0s`. Follows Duration.String. */
export function formatDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : ''
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (size === 0n) return '0s'
  if (size < 1_000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return `${sign}${inUnit(size, 1_000n)}µs`
  if (size < 1_000_000_000n) return `${sign}${inUnit(size, 1_000_000n)}ms`
  const minutes = size / 60_000_000_000n
  const seconds = `${inUnit(size % 60_000_000_000n, 1_000_000_000n)}s`
  if (minutes === 0n) return `${sign}${seconds}`
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}
