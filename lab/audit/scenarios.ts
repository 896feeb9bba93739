/** The scenarios: sums of measured steps, with their goals. */
import { bill, type Line, monthlyFee, storageCost, totalOf } from './prices.ts'
import type { ProcessorTimes } from './processor.ts'
import { onceOf, type Step } from './step.ts'
import { atLeastZero, difference, noUsage, quantityNames, sum, times, type Usage } from './usage.ts'

const million = 1_000_000
const dayInSeconds = 86_400
const monthInDays = 30
/** client-go ends a watch after a random time between five and ten minutes, and starts the next. */
const watchInSeconds = 450
const informers = 20
/** The number of writes to each watched collection in a day. */
const writes = 100
/** The watches of a preview and their seconds. */
const previewWatchSeconds = 5 * 300
const previewDays = 7

/** A scenario. */
export interface Scenario {
  readonly name: string
  /** How the usage follows from the steps. */
  readonly rule: string
  readonly usage: Usage
  /** The data that it stores; if `days` is undefined, the time is the user's decision, and its price is given apart. */
  readonly stored: { readonly bytes: number; readonly days: number | undefined } | undefined
  readonly goal: Goal | undefined
}

/** A goal: at most so many dollars, or nothing at all. */
export type Goal = { readonly dollars: number } | 'nothing'

/** The usage of informers for a month. */
function monthOfInformers(steps: readonly Step[]): Usage {
  const second = onceOf(steps, 'second of an idle watch')
  const renewal = atLeastZero(difference(onceOf(steps, 'watch of ten seconds'), times(10, second)))
  const day = sum(
    times(dayInSeconds / watchInSeconds, renewal),
    times(dayInSeconds, second),
    times(writes, onceOf(steps, 'event of an idle watch')),
  )
  return times(informers, sum(onceOf(steps, 'start of an informer'), times(monthInDays, day)))
}

/** The usage of a leader election for a month. */
function monthOfElection(steps: readonly Step[]): Usage {
  const compaction = atLeastZero(difference(onceOf(steps, 'update'), onceOf(steps, 'update without compaction')))
  // Only the rows and alarms of compaction differ: the renewals and times of the two steps do not belong to it.
  const { alarms, alarmsSet, rowsRead, rowsWritten } = compaction
  const perWrite: Usage = { ...noUsage, alarms, alarmsSet, rowsRead, rowsWritten }
  return times((monthInDays * dayInSeconds) / 2, sum(onceOf(steps, 'step of a leader election'), perWrite))
}

const preview = (steps: readonly Step[]): Usage =>
  sum(
    onceOf(steps, 'preview'),
    times(previewWatchSeconds, onceOf(steps, 'second of a watch of a preview')),
    onceOf(steps, 'rest of a preview'),
    onceOf(steps, 'end of a preview'),
  )

/**
 * Gives each step the processor's time of its requests to the Worker, measured without the counters; if it was not measured for the
 * step, that of creates.
 */
function withWorkerTime(steps: readonly Step[], processor: ProcessorTimes): readonly Step[] {
  return steps.map((step) => {
    const cpuMilliseconds = step.usage.workerRequests * (processor[step.name] ?? processor.create ?? 0)
    return { ...step, usage: { ...step.usage, cpuMilliseconds } }
  })
}

/** Returns the scenarios for measured steps. */
export function scenariosOf(measured: readonly Step[], processor: ProcessorTimes): readonly Scenario[] {
  const steps = withWorkerTime(measured, processor)
  const once = (name: Parameters<typeof onceOf>[1]): Usage => onceOf(steps, name)
  const repeated = (name: Parameters<typeof onceOf>[1]) => times(million, once(name))
  return [
    {
      name: 'a month without clients',
      rule: `${monthInDays * dayInSeconds} seconds without clients`,
      usage: times(monthInDays * dayInSeconds, once('second without clients')),
      stored: undefined,
      goal: 'nothing',
    },
    {
      name: `${informers} informers for a month`,
      rule:
        `for each: a start; in each of ${monthInDays} days ${dayInSeconds} seconds of an idle watch, ${writes} events, and ` +
        `${dayInSeconds / watchInSeconds} new watches, each a watch of ten seconds without these seconds`,
      usage: monthOfInformers(steps),
      stored: undefined,
      goal: { dollars: 1 },
    },
    {
      name: '1,000,000 creates',
      rule: 'a million creates',
      usage: repeated('create'),
      stored: { bytes: million * once('create').storedBytes, days: undefined },
      goal: { dollars: 3 },
    },
    ...(
      [
        ['1,000,000 gets', 'get'],
        ['1,000,000 gets by a ServiceAccount', 'get by a ServiceAccount'],
        ['1,000,000 gets of hibernated objects', 'get after hibernation'],
      ] as const
    ).map(([name, step]) => ({
      name,
      rule: `a million times: ${step}`,
      usage: repeated(step),
      stored: undefined,
      goal: { dollars: 1 },
    })),
    { name: '1,000,000 updates', rule: 'a million updates', usage: repeated('update'), stored: undefined, goal: undefined },
    {
      name: '10,000 lists of 500',
      rule: 'ten thousand lists',
      usage: times(10_000, once('list of 500')),
      stored: undefined,
      goal: undefined,
    },
    {
      name: 'a leader election for a month',
      rule: 'a step every two seconds, and for each the compaction of one update',
      usage: monthOfElection(steps),
      stored: undefined,
      goal: undefined,
    },
    {
      name: 'a preview for a pull request',
      rule: `a preview, 300 seconds of its 5 watches, the rest of it, its end`,
      usage: preview(steps),
      stored: { bytes: once('preview').storedBytes, days: previewDays },
      goal: { dollars: 0.01 },
    },
  ]
}

/** The prices of a scenario. */
export interface Priced {
  readonly scenario: Scenario
  readonly lines: readonly Line[]
  /** Dollars by list prices, without regard to included amounts. */
  readonly list: number
  /** The bill of an account that does nothing else: the fee, and the usage beyond the included amounts. */
  readonly account: number
  readonly isMet: boolean | undefined
}

/** The cost of the data that a scenario itself keeps. */
function storageOf({ stored }: Scenario): number {
  return stored?.days === undefined ? 0 : (storageCost(stored.bytes) * stored.days) / monthInDays
}

function isMet({ goal, usage }: Scenario, list: number): boolean | undefined {
  if (goal === undefined) return undefined
  return goal === 'nothing' ? quantityNames.every((quantity) => usage[quantity] === 0) : list <= goal.dollars
}

/** Prices a scenario. */
export function priced(scenario: Scenario): Priced {
  const lines = bill(scenario.usage)
  const list = totalOf(lines, 'dollars') + storageOf(scenario)
  const account = monthlyFee + totalOf(lines, 'beyondIncluded')
  return { scenario, lines, list, account, isMet: isMet(scenario, list) }
}
