/** Durations with two or three significant figures, for humans: HumanDuration of k8s.io/apimachinery/pkg/util/duration. */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** The maximum of a Go duration: 292 years. */
const MAX = 9_223_372_036_854

/** The format of durations below `below`. `rest` is the smaller unit, omitted if zero. */
interface Row {
  readonly below: number
  readonly unit: readonly [milliseconds: number, letter: string]
  readonly rest?: readonly [milliseconds: number, letter: string]
}

const ROWS: readonly Row[] = [
  { below: 2 * MINUTE, unit: [SECOND, 's'] },
  { below: 10 * MINUTE, unit: [MINUTE, 'm'], rest: [SECOND, 's'] },
  { below: 3 * HOUR, unit: [MINUTE, 'm'] },
  { below: 8 * HOUR, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { below: 2 * DAY, unit: [HOUR, 'h'] },
  { below: 8 * DAY, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { below: 2 * YEAR, unit: [DAY, 'd'] },
  { below: 8 * YEAR, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
]

const LAST: Row = { below: Number.POSITIVE_INFINITY, unit: [YEAR, 'y'] }

/**
 * Formats a duration in milliseconds: `45s`, `5m30s`, `3d4h`. Clocks may differ by less than two seconds; from there on, a
 * negative duration is `<invalid>`.
 */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -2 * SECOND) return '<invalid>'
  const duration = Math.min(Math.max(milliseconds, 0), MAX)
  const { unit, rest } = ROWS.find((row) => duration < row.below) ?? LAST
  const whole = Math.floor(duration / unit[0])
  const remainder = rest === undefined ? 0 : Math.floor((duration % unit[0]) / rest[0])
  return `${whole}${unit[1]}${remainder === 0 || rest === undefined ? '' : `${remainder}${rest[1]}`}`
}
