/** Strings whose format gives them another type (strfmt of k8s.io/kube-openapi). */

import { parseDuration } from '../go/duration.ts'
import { parseTime } from '../go/time.ts'
import { canonicalBase64 } from '../schema/base64.ts'
import { offsetOf } from './times.ts'
import { CelError, Duration, Timestamp, type Value } from './value.ts'

/** Converts a text to a value. */
export type ReadText = (text: string) => Value

/** The units of strfmt beyond Go's, by prefix of their names. */
const UNITS: readonly (readonly [names: readonly string[], prefix: string, nanoseconds: bigint])[] = [
  [['ns'], 'nano', 1n],
  [['us', 'µs'], 'micro', 1_000n],
  [['ms'], 'milli', 1_000_000n],
  [['s'], 'sec', 1_000_000_000n],
  [['m'], 'min', 60_000_000_000n],
  [['h', 'hr'], 'hour', 3_600_000_000_000n],
  [['d'], 'day', 86_400_000_000_000n],
  [['w', 'wk'], 'week', 604_800_000_000_000n],
]

function unitOf(name: string): bigint | undefined {
  return UNITS.find(([names, prefix]) => names.includes(name) || name.startsWith(prefix))?.[2]
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Parses a duration in words such as `2 days 3 hours`; undefined if it contains no unit. */
function durationOfWords(text: string): bigint | undefined {
  let total: bigint | undefined
  for (const [, digits = '', word = ''] of text.matchAll(/(\d{1,18})\s*([A-Za-z\u00b5]+)/g)) {
    const unit = unitOf(word.toLowerCase())
    if (unit !== undefined) total = BigInt.asIntN(64, (total ?? 0n) + BigInt(digits) * unit)
  }
  return total
}

const readDuration: ReadText = (text) => {
  try {
    return new Duration(parseDuration(text))
  } catch {
    const words = durationOfWords(text)
    return words === undefined
      ? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
      : new Duration(words)
  }
}

const readDate: ReadText = (text) => {
  try {
    if (!/^\d{4}-\d\d-\d\d$/.test(text))
      throw new Error(`parsing time "${text}" as "2006-01-02": cannot parse "${text}" as "2006"`)
    return new Timestamp(parseTime(`${text}T00:00:00Z`).seconds, 0)
  } catch (error) {
    return new CelError(`Invalid date formatted string ${text}: ${messageOf(error)}`)
  }
}

const readDateTime: ReadText = (text) => {
  if (text === '') return new Timestamp(0, 0)
  try {
    const local = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?$/.test(text)
    const { seconds, nanoseconds } = parseTime(local ? `${text}Z` : text)
    return new Timestamp(seconds, nanoseconds, offsetOf(text))
  } catch (error) {
    return new CelError(`Invalid date-time formatted string ${text}: ${messageOf(error)}`)
  }
}

const readBytes: ReadText = (text) => {
  try {
    return Uint8Array.from(atob(canonicalBase64(text)), (character) => character.charCodeAt(0))
  } catch (error) {
    return new CelError(`Invalid byte formatted string ${text}: ${messageOf(error)}`)
  }
}

/** The readers by format. Texts of other formats are strings. */
export const FORMATS: ReadonlyMap<string, ReadText> = new Map([
  ['duration', readDuration],
  ['date', readDate],
  ['date-time', readDateTime],
  ['byte', readBytes],
])
