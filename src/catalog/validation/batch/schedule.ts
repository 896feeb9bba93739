/** Validates schedules of CronJobs as github.com/robfig/cron/v3 does, with its error messages. */
import { parseDuration } from '../../../go/duration.ts'
import { goQuote } from '../../../go/text.ts'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Minute, hour, day of the month, month, day of the week. */
const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
]

const descriptors: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
])
const maximumLength = 1024

/** Parses a number or a name. Returns the error message if the text is neither. */
function parseNumber(text: string, names: readonly string[] = [], first = 0): number | string {
  const named = names.indexOf(text.toLowerCase())
  if (named >= 0) return named + first
  if (/^[+-]?\d{1,15}$/.test(text)) {
    return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text)
  }
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`
}

/** Returns the error message for one range of a field, such as `1-5/2`, or undefined if it is valid. */
function rangeError(expression: string, { min, max, names }: Bounds): string | undefined {
  const [range = '', step, ...moreSteps] = expression.split('/')
  const [low = '', high, ...moreEnds] = range.split('-')
  let start: number | string = min
  let end: number | string = max
  if (low !== '*' && low !== '?') {
    start = parseNumber(low, names, min)
    if (typeof start === 'string') return start
    end = high === undefined ? start : parseNumber(high, names, min)
    if (typeof end === 'string') return end
    if (moreEnds.length > 0) return `too many hyphens: ${expression}`
  }
  const every = step === undefined ? 1 : parseNumber(step)
  if (typeof every === 'string') return every
  if (moreSteps.length > 0) return `too many slashes: ${expression}`
  if (step !== undefined && high === undefined) end = max
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${expression}`
  if (end > max) return `end of range (${end}) above maximum (${max}): ${expression}`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`
  return every === 0 ? `step of range should be a positive number: ${expression}` : undefined
}

const every = '@every '

/** Returns the error message for a schedule that names only an interval. */
function intervalError(spec: string): string | undefined {
  try {
    parseDuration(spec.slice(every.length))
    return undefined
  } catch (error) {
    return `failed to parse duration ${spec}: ${(error as Error).message}`
  }
}

/** Returns the error message for a schedule, or undefined if it is valid. */
export function scheduleError(schedule: string): string | undefined {
  if (schedule.length > maximumLength) return 'schedule is too long'
  const spec = schedule.replace(/^(?:CRON_)?TZ=\S* */, '')
  if (spec === '') return 'empty spec string'
  if (spec.startsWith(every)) return intervalError(spec)
  if (spec.startsWith('@')) return descriptors.has(spec) ? undefined : `unrecognized descriptor: ${spec}`
  const given = spec.split(/\s+/).filter((field) => field !== '')
  if (given.length !== fields.length) return `expected exactly 5 fields, found ${given.length}: [${given.join(' ')}]`
  for (const [index, bounds] of fields.entries()) {
    for (const range of (given[index] ?? '').split(',').filter((part) => part !== '')) {
      const error = rangeError(range, bounds)
      if (error !== undefined) return error
    }
  }
  return undefined
}
