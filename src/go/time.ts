/** Times in objects: RFC 3339 in UTC with seconds (`Time`) or microseconds (`MicroTime`), read and written as Go does. */

/** A point in time: `seconds` since 1970, and the remaining `nanoseconds`. */
export interface Instant {
  readonly seconds: number
  readonly nanoseconds: number
}

/** The formats of fields of type Time and MicroTime, as Go layouts. */
export type TimeLayout = '2006-01-02T15:04:05Z07:00' | '2006-01-02T15:04:05.000000Z07:00'

/** The layout of `Time`. */
export const RFC3339: TimeLayout = '2006-01-02T15:04:05Z07:00'

/** The layout of `MicroTime`. */
export const RFC3339_MICRO: TimeLayout = '2006-01-02T15:04:05.000000Z07:00'

/** Returns the text's UTF-8 bytes, one character each: Go parses and quotes bytes. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

/** Quotes bytes as package time does, which is simpler than `%q`. */
function quoteBytes(bytes: string): string {
  const escaped = bytes.replace(/["\\]|[^ -\x7f]/g, (byte) => {
    return byte === '"' || byte === '\\' ? `\\${byte}` : `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return `"${escaped}"`
}

/** Quotes a text as errors of Go's package time do: bytes that are not ASCII as `\xc3`. */
export function timeQuote(text: string): string {
  return quoteBytes(bytesOf(text))
}

/** The text that remains to be read, and the whole layout, which errors contain. */
interface Reading {
  readonly text: string
  readonly layout: TimeLayout
  readonly rest: string
}

function mismatch({ text, layout }: Reading, element: string, rest: string): Error {
  const value = `${quoteBytes(text)} as ${quoteBytes(layout)}`
  return new Error(`parsing time ${value}: cannot parse ${quoteBytes(rest)} as ${quoteBytes(element)}`)
}

const timeError = ({ text }: Reading, message: string): Error => new Error(`parsing time ${quoteBytes(text)}: ${message}`)

/** A number of the date or the time of day. */
interface Part {
  readonly before: string
  readonly element: string
  readonly pattern: RegExp
  readonly name: string
  readonly min: number
  readonly max: number
}

const TWO_DIGITS = /^[0-9]{2}/

/**
 * The numbers of a time, in the order of the layouts. Go also accepts hours of one digit. The day is checked later, when the
 * month is known.
 */
const PARTS: readonly Part[] = [
  { before: '', element: '2006', pattern: /^[0-9]{4}/, name: 'year', min: 0, max: 9999 },
  { before: '-', element: '01', pattern: TWO_DIGITS, name: 'month', min: 1, max: 12 },
  { before: '-', element: '02', pattern: TWO_DIGITS, name: 'day', min: 0, max: 99 },
  { before: 'T', element: '15', pattern: /^[0-9]{1,2}/, name: 'hour', min: 0, max: 23 },
  { before: ':', element: '04', pattern: TWO_DIGITS, name: 'minute', min: 0, max: 59 },
  { before: ':', element: '05', pattern: TWO_DIGITS, name: 'second', min: 0, max: 59 },
]

function readPart(reading: Reading, part: Part): { readonly value: number; readonly reading: Reading } {
  if (!reading.rest.startsWith(part.before)) throw mismatch(reading, part.before, reading.rest)
  const rest = reading.rest.slice(part.before.length)
  const digits = part.pattern.exec(rest)?.[0]
  if (digits === undefined) throw mismatch(reading, part.element, rest)
  const value = Number(digits)
  if (value < part.min || value > part.max) throw timeError(reading, `${part.name} out of range`)
  return { value, reading: { ...reading, rest: rest.slice(digits.length) } }
}

interface Fraction {
  readonly nanoseconds: number
  readonly rest: string
}

const nanosecondsOf = (digits: string): number => Number(digits.slice(0, 9).padEnd(9, '0'))

/** Reads exactly six digits. Go accepts a sign in place of the first. */
function readMicroseconds(reading: Reading): Fraction {
  const { rest } = reading
  const found = /^[.,]([+-]?)([0-9]{5,6})/.exec(rest)
  const digits = found?.[2]?.slice(0, found[1] === '' ? 6 : 5)
  if (found === null || digits === undefined || (found[1] === '' && digits.length < 6)) throw mismatch(reading, '.000000', rest)
  if (found[1] === '-' && Number(digits) > 0) throw timeError(reading, 'fractional second out of range')
  return { nanoseconds: Number(digits) * 1000, rest: rest.slice(7) }
}

/** Reads the fraction of a second, which Go accepts although the layout does not have it. */
function readFraction(reading: Reading): Fraction {
  if (reading.layout === RFC3339_MICRO) return readMicroseconds(reading)
  const found = /^[.,]([0-9]+)/.exec(reading.rest)
  if (found === null) return { nanoseconds: 0, rest: reading.rest }
  return { nanoseconds: nanosecondsOf(found[1] ?? ''), rest: reading.rest.slice(found[0].length) }
}

/** Returns the offset from UTC in seconds. */
function readZone(reading: Reading): number {
  const { rest } = reading
  const element = 'Z07:00'
  const found = /^(.)([0-9]{2}):([0-9]{2})/s.exec(rest)
  const behind = rest.startsWith('Z') ? rest.slice(1) : rest.slice(6)
  if (!rest.startsWith('Z')) {
    if (found !== null && Number(found[3]) > 60) throw timeError(reading, 'time zone offset minute out of range')
    const partial = /^.([0-9]{2}):/s.exec(rest)
    if (rest.length >= 6 && partial !== null && Number(partial[1]) > 24)
      throw timeError(reading, 'time zone offset hour out of range')
    if (found === null || (found[1] !== '+' && found[1] !== '-')) throw mismatch(reading, element, rest)
  }
  if (behind !== '') throw timeError(reading, `extra text: ${quoteBytes(behind)}`)
  if (found === null || rest.startsWith('Z')) return 0
  return (Number(found[2]) * 60 + Number(found[3])) * 60 * (found[1] === '-' ? -1 : 1)
}

/** Returns the seconds since 1970 of a date and time of day in UTC. `Date.UTC` would map years below 100 to the 20th century. */
function secondsOf(year: number, month: number, day: number, timeOfDay: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() / 1000 + timeOfDay
}

function daysIn(year: number, month: number): number {
  return new Date(secondsOf(month === 12 ? year + 1 : year, (month % 12) + 1, 1, -1) * 1000).getUTCDate()
}

/**
 * Parses a time. Follows time.Parse with RFC3339 or metav1.RFC3339Micro.
 * @throws Error with Go's text if it is not a time
 */
export function parseTime(text: string, layout: TimeLayout = RFC3339): Instant {
  const bytes = bytesOf(text)
  let reading: Reading = { text: bytes, layout, rest: bytes }
  const values: number[] = []
  for (const part of PARTS) {
    const read = readPart(reading, part)
    values.push(read.value)
    reading = read.reading
  }
  const fraction = readFraction(reading)
  const offset = readZone({ ...reading, rest: fraction.rest })
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = values
  if (day < 1 || day > daysIn(year, month)) throw timeError(reading, 'day out of range')
  return { seconds: secondsOf(year, month, day, (hour * 60 + minute) * 60 + second) - offset, nanoseconds: fraction.nanoseconds }
}

const ZERO_SECONDS = secondsOf(1, 1, 1, 0)

/** Whether it is Go's zero time, the first second of the year 1, which JSON encodes as null. */
export function isZeroTime(instant: Instant): boolean {
  return instant.seconds === ZERO_SECONDS && instant.nanoseconds === 0
}

const padded = (value: number, width: number): string => `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(width, '0')}`

function dateAndTime(seconds: number): string {
  const date = new Date(seconds * 1000)
  const day = `${padded(date.getUTCFullYear(), 4)}-${padded(date.getUTCMonth() + 1, 2)}-${padded(date.getUTCDate(), 2)}`
  return `${day}T${padded(date.getUTCHours(), 2)}:${padded(date.getUTCMinutes(), 2)}:${padded(date.getUTCSeconds(), 2)}`
}

/** Formats a Time: `2006-01-02T15:04:05Z`. Truncates fractions of a second. */
export function formatTime(instant: Instant): string {
  return `${dateAndTime(instant.seconds)}Z`
}

/** Formats a MicroTime: `2006-01-02T15:04:05.000000Z`. */
export function formatMicroTime(instant: Instant): string {
  return `${dateAndTime(instant.seconds)}.${padded(Math.floor(instant.nanoseconds / 1000), 6)}Z`
}

const instantOf = (ms: number): Instant => {
  const seconds = Math.floor(ms / 1000)
  return { seconds, nanoseconds: Math.floor((ms - seconds * 1000) * 1_000_000) }
}

/** Formats milliseconds since 1970 as a Time. */
export function rfc3339Seconds(ms: number): string {
  return formatTime(instantOf(ms))
}

/** Formats milliseconds since 1970 as a MicroTime. */
export function rfc3339Micro(ms: number): string {
  return formatMicroTime(instantOf(ms))
}

/**
 * Returns the text of a Time as kube-apiserver stores and returns it; null for Go's zero time.
 * @throws Error with Go's text if it is not a time
 */
export function canonicalTime(text: string): string | null {
  const instant = parseTime(text)
  return isZeroTime(instant) ? null : formatTime(instant)
}

/** Returns the text of a MicroTime as kube-apiserver stores and returns it, with the rules of canonicalTime. */
export function canonicalMicroTime(text: string): string | null {
  const instant = parseTime(text, RFC3339_MICRO)
  return isZeroTime(instant) ? null : formatMicroTime(instant)
}

/** Whether two optional fields of type Time are the same point in time. */
export function sameTime(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  try {
    const x = parseTime(a)
    const y = parseTime(b)
    return x.seconds === y.seconds && x.nanoseconds === y.nanoseconds
  } catch {
    return false
  }
}
