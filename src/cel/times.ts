/** Arithmetic on timestamps and durations. */
import { INT_OVERFLOW } from './numbers.ts'
import { CelError, Duration, errorOr, MAX_INT, MIN_INT, Timestamp, type Value } from './value.ts'

/** The Unix seconds at the start of year 1 and the end of year 9999. */
const MIN_SECONDS = -62_135_596_800
const MAX_SECONDS = 253_402_300_799

const SECOND = 1_000_000_000n

export const TIMESTAMP_OVERFLOW = new CelError('timestamp overflow')

/** Returns a duration, or the error that it exceeds 64 bits. */
export function checkedDuration(nanoseconds: bigint): Value {
  return nanoseconds > MAX_INT || nanoseconds < MIN_INT ? INT_OVERFLOW : new Duration(nanoseconds)
}

/** Returns a timestamp, or the error that it is outside of the years 1 to 9999. */
export function checkedTimestamp(seconds: number, nanoseconds: number, offset = 0): Value {
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) return TIMESTAMP_OVERFLOW
  return new Timestamp(seconds, nanoseconds, offset)
}

function shifted(time: Timestamp, by: bigint): Value {
  const total = BigInt(time.seconds) * SECOND + BigInt(time.nanoseconds) + by
  const nanoseconds = ((total % SECOND) + SECOND) % SECOND
  return checkedTimestamp(Number((total - nanoseconds) / SECOND), Number(nanoseconds), time.offset)
}

/** Adds two durations, or a duration and a timestamp. */
export function addTimes(a: Duration | Timestamp, b: Value): Value {
  if (a instanceof Timestamp) return b instanceof Duration ? shifted(a, b.nanoseconds) : errorOr(b)
  if (b instanceof Timestamp) return shifted(b, a.nanoseconds)
  return b instanceof Duration ? checkedDuration(a.nanoseconds + b.nanoseconds) : errorOr(b)
}

/** Subtracts a duration from a duration or timestamp, or a timestamp from a timestamp. */
export function subtractTimes(a: Duration | Timestamp, b: Value): Value {
  if (a instanceof Duration) return b instanceof Duration ? checkedDuration(a.nanoseconds - b.nanoseconds) : errorOr(b)
  if (b instanceof Duration) return b.nanoseconds === MIN_INT ? INT_OVERFLOW : shifted(a, -b.nanoseconds)
  if (!(b instanceof Timestamp)) return errorOr(b)
  return checkedDuration(BigInt(a.seconds - b.seconds) * SECOND + BigInt(a.nanoseconds - b.nanoseconds))
}

/** Returns the UTC offset in seconds at the end of a time. */
export function offsetOf(text: string): number {
  const zone = /([+-])(\d\d):(\d\d)$/.exec(text)
  if (zone === null) return 0
  const seconds = Number(zone[2]) * 3600 + Number(zone[3]) * 60
  return zone[1] === '-' ? -seconds : seconds
}
