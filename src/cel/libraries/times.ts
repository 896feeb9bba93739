/** The accessors of timestamps and durations. */
import { durationAt, textAt, timestampAt } from '../arguments.ts'
import { declare, type FunctionDeclaration, type Implementation, method } from '../declarations.ts'
import { CelError, intOf, type Timestamp, type Value } from '../value.ts'

/** A point in time as a calendar shows it in a time zone. */
interface Civil {
  readonly local: Date
  readonly nanoseconds: number
}

const FORMATS = new Map<string, Intl.DateTimeFormat>()

/** Returns the format that yields the UTC offset of a named zone; undefined if the zone is unknown. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = FORMATS.get(zone)
  if (known !== undefined) return known
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(zone)) return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    FORMATS.set(zone, format)
    return format
  } catch {
    return undefined
  }
}

function namedOffset(zone: string, seconds: number): number | CelError {
  if (zone === '' || zone === 'UTC') return 0
  const format = formatOf(zone)
  if (format === undefined) return new CelError(`unknown time zone ${zone}`)
  const name = format.formatToParts(seconds * 1000).find((part) => part.type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0', rest = '0'] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? []
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
  return sign === '-' ? -size : size
}

/** Returns the UTC offset in seconds of a zone at a time: a name of the time zone database, or hours and minutes. */
function offsetIn(zone: string, seconds: number): number | CelError {
  const colon = zone.indexOf(':')
  if (colon < 0) return namedOffset(zone, seconds)
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)]
  for (const part of [hours, minutes])
    if (!/^[+-]?\d{1,18}$/.test(part)) return new CelError(`strconv.Atoi: parsing "${part}": invalid syntax`)
  const size = Number(hours) * 60 + (zone.startsWith('-') ? -Number(minutes) : Number(minutes))
  return size * 60
}

function civil(time: Timestamp, zone: string): Civil | CelError {
  const offset = offsetIn(zone, time.seconds)
  if (offset instanceof CelError) return offset
  return { local: new Date((time.seconds + offset) * 1000), nanoseconds: time.nanoseconds }
}

function dayOfYear({ local }: Civil): number {
  const start = new Date(local)
  start.setUTCMonth(0, 1)
  return Math.round((local.getTime() - start.getTime()) / 86_400_000)
}

type Field = (civil: Civil) => number

/** Adapts an accessor of a timestamp, in UTC or in the zone of the second argument. */
const ofTimestamp =
  (field: Field): Implementation =>
  (args): Value => {
    const at = civil(timestampAt(args, 0), args.length > 1 ? textAt(args, 1) : '')
    return at instanceof CelError ? at : field(at)
  }

const timestampField = (id: string, field: Field): ReturnType<typeof method>[] => [
  method(id, 'timestamp', 'int', ofTimestamp(field)),
  method(`${id}_with_tz`, 'timestamp, string', 'int', ofTimestamp(field)),
]

const ofDuration = (id: string, compute: (nanoseconds: bigint) => bigint): ReturnType<typeof method> =>
  method(id, 'duration', 'int', (args) => intOf(compute(durationAt(args, 0))))

const SECOND = 1_000_000_000n

/** The accessor functions. */
export const TIMES: readonly FunctionDeclaration[] = [
  declare('getFullYear', ...timestampField('timestamp_to_year', ({ local }) => local.getUTCFullYear())),
  declare('getMonth', ...timestampField('timestamp_to_month', ({ local }) => local.getUTCMonth())),
  declare('getDayOfYear', ...timestampField('timestamp_to_day_of_year', dayOfYear)),
  declare('getDayOfMonth', ...timestampField('timestamp_to_day_of_month', ({ local }) => local.getUTCDate() - 1)),
  declare('getDate', ...timestampField('timestamp_to_day_of_month_1_based', ({ local }) => local.getUTCDate())),
  declare('getDayOfWeek', ...timestampField('timestamp_to_day_of_week', ({ local }) => local.getUTCDay())),
  declare(
    'getHours',
    ...timestampField('timestamp_to_hours', ({ local }) => local.getUTCHours()),
    ofDuration('duration_to_hours', (nanoseconds) => nanoseconds / (3600n * SECOND)),
  ),
  declare(
    'getMinutes',
    ...timestampField('timestamp_to_minutes', ({ local }) => local.getUTCMinutes()),
    ofDuration('duration_to_minutes', (nanoseconds) => nanoseconds / (60n * SECOND)),
  ),
  declare(
    'getSeconds',
    ...timestampField('timestamp_to_seconds', ({ local }) => local.getUTCSeconds()),
    ofDuration('duration_to_seconds', (nanoseconds) => nanoseconds / SECOND),
  ),
  declare(
    'getMilliseconds',
    ...timestampField('timestamp_to_milliseconds', ({ nanoseconds }) => Math.trunc(nanoseconds / 1_000_000)),
    ofDuration('duration_to_milliseconds', (nanoseconds) => nanoseconds / 1_000_000n),
  ),
]
