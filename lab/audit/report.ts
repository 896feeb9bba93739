/** The tables of docs/costs.md. */
import { bill, monthlyFee, type Price, prices, storageCost, storagePrice } from './prices.ts'
import type { ProcessorTimes } from './processor.ts'
import { type Priced, priced, scenariosOf } from './scenarios.ts'
import { onceOf, type Step, type StepName, stepNames } from './step.ts'
import { type Quantity, quantities, quantityNames } from './usage.ts'

/** The measured steps, as they are stored. */
export interface Results {
  /** The day of the measurement. */
  readonly date: string
  /** With a Durable Object for each collection. */
  readonly steps: readonly Step[]
  /** With one Durable Object for the cluster. */
  readonly oneObject: readonly Step[]
  readonly processor: ProcessorTimes
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Formats dollars with the digits that matter. */
function dollars(amount: number): string {
  if (amount === 0) return '$0'
  if (amount >= 0.01) return `$${amount.toFixed(2)}`
  return amount < 0.00005 ? '< $0.0001' : `$${amount.toFixed(4)}`
}

function amount(value: number): string {
  if (value === 0) return '0'
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value < 0.0005 ? '< 0.001' : String(Number(value.toPrecision(3)))
}

const goalOf = ({ scenario }: Priced): string => {
  const { goal } = scenario
  if (goal === undefined) return ''
  return goal === 'nothing' ? 'nothing' : dollars(goal.dollars)
}

const verdict = (isMet: boolean | undefined): string => (isMet === undefined ? '' : isMet ? 'yes' : '**no**')

const keptOf = ({ scenario: { stored } }: Priced): string =>
  stored === undefined || stored.days !== undefined
    ? ''
    : ` (and ${dollars(storageCost(stored.bytes))} for each month in which they are kept)`

const goals = (all: readonly Priced[], oneObject: readonly Priced[]): string =>
  table(
    ['scenario', 'by list prices', 'goal', 'met', 'bill of an account that does nothing else', 'by list prices, with one object'],
    all.map((one, index) => {
      const other = oneObject[index]
      return [
        one.scenario.name,
        dollars(one.list) + keptOf(one),
        goalOf(one),
        verdict(one.isMet),
        dollars(one.account),
        other === undefined ? '' : dollars(other.list),
      ]
    }),
  )

/** The steps after which nothing may happen until the next request. */
const quiet: readonly StepName[] = ['second without clients', 'rest of a preview']

/** Names the steps after which an object stays in memory or an alarm is set. */
const unrest = (steps: readonly Step[]): readonly string[] =>
  steps
    .filter(({ name, held, alarmsLeft }) => quiet.includes(name) && held + alarmsLeft > 0)
    .map(({ name, held, alarmsLeft }) => `- ${name}: ${held} objects stay in memory, ${alarmsLeft} alarms are set.`)

/** Names the goals that are missed, each with the largest part of its price. */
function missed(all: readonly Priced[], steps: readonly Step[]): string {
  const sentences = all
    .filter(({ isMet }) => isMet === false)
    .map(({ scenario, list, lines }) => {
      const largest = lines.reduce((one, other) => (other.dollars > one.dollars ? other : one))
      return `- ${scenario.name}: ${dollars(largest.dollars)} of the ${dollars(list)} are for "${largest.price.name}".`
    })
  const found = [...sentences, ...unrest(steps)]
  return found.length === 0 ? 'All goals are met.' : ['Missed:', '', ...found].join('\n')
}

const breakdown = (all: readonly Priced[]): string =>
  table(
    ['scenario', ...prices.map(({ name }) => name), 'sum'],
    all.map(({ scenario, lines }) => [
      scenario.name,
      ...lines.map((line) => dollars(line.dollars)),
      dollars(lines.reduce((total, line) => total + line.dollars, 0)),
    ]),
  )

const rules = (all: readonly Priced[]): string =>
  table(
    ['scenario', 'computed from'],
    all.map(({ scenario }) => [scenario.name, scenario.rule]),
  )

/** The quantities that have a column of their own. */
const columns = {
  workerRequests: 'Worker requests',
  objectRequests: 'object requests',
  policyRenewals: 'renewals of the rules',
  alarms: 'alarms',
  rowsRead: 'rows read',
  rowsWritten: 'rows written',
  wakes: 'wakes',
  heldSeconds: 'seconds in memory',
  logEvents: 'log lines',
} as const satisfies Partial<Record<Quantity, string>>

function counts(steps: readonly Step[]): string {
  const shown = quantityNames.filter((quantity) => quantity in columns) as (keyof typeof columns)[]
  const row = ({ name, times }: Step): string[] => {
    const usage = onceOf(steps, name)
    return [name, amount(times), ...shown.map((quantity) => amount(usage[quantity]))]
  }
  return table(['step', 'measured', ...shown.map((quantity) => columns[quantity])], steps.map(row))
}

const explanations = (steps: readonly Step[]): string =>
  table(
    ['step', 'meaning'],
    steps.map(({ name }): string[] => [name, stepNames[name satisfies StepName]]),
  )

const pageOf = ({ page }: Pick<Price, 'page'>): string => `[documentation](${page})`

function listPrices(): string {
  const rows = [...prices, storagePrice].map((price) => [
    price.name,
    `$${price.dollars} for each ${price.unit}`,
    `${price.included.toLocaleString('en-US')} ${price.unit}`,
    pageOf(price),
  ])
  return table(['quantity', 'price', `included in the $${monthlyFee} a month of Workers Paid`, 'source'], rows)
}

/** A day of informers and one of a leader election, beside the limits of Workers Free. */
function freePlan(all: readonly Priced[]): string {
  const daily = (part: string): readonly number[] => {
    const found = all.find(({ scenario }) => scenario.name.includes(part))
    return found === undefined ? [] : bill(found.scenario.usage).map(({ units }) => units / 30)
  }
  const [watching, electing] = [daily('informers'), daily('election')]
  const rows = prices.flatMap(({ name, unit, free }, index) =>
    free.each === 'day'
      ? [[name, `${amount(free.amount)} ${unit}`, amount(watching[index] ?? 0), amount(electing[index] ?? 0)]]
      : [],
  )
  return table(['quantity', 'a day of Workers Free', '20 informers use', 'a leader election uses'], rows)
}

/** Returns the marked parts of the page, by name. */
function parts({ date, steps, oneObject, processor }: Results): Readonly<Record<string, string>> {
  const all = scenariosOf(steps, processor).map(priced)
  return {
    date: `Measured on ${date}.`,
    goals: goals(all, scenariosOf(oneObject, processor).map(priced)),
    missed: missed(all, steps),
    breakdown: breakdown(all),
    rules: rules(all),
    counts: counts(steps),
    oneObject: counts(oneObject),
    processor: table(
      ['step', 'milliseconds of the processor'],
      Object.entries(processor).map(([name, milliseconds]) => [name, amount(milliseconds)]),
    ),
    explanations: explanations(steps),
    quantities: table(
      ['quantity', 'counted'],
      Object.entries(quantities).map(([name, meaning]) => [name, meaning]),
    ),
    prices: listPrices(),
    free: freePlan(all),
  }
}

/**
 * Returns the page with its marked parts made again from the results.
 * @throws Error if a part is unknown
 */
export function render(page: string, results: Results): string {
  const made = parts(results)
  return page.replace(/(<!-- audit:(\w+) -->\n)[\s\S]*?(<!-- \/audit -->)/g, (_, begin: string, name: string, end: string) => {
    const part = made[name]
    if (part === undefined) throw new Error(`docs/costs.md names an unknown part: ${name}`)
    return `${begin}${part}\n${end}`
  })
}
