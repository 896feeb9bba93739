/** Metrics in memory, their samples as data, and their output in the Prometheus text format 0.0.4. */
import type { MetricDefinition } from './definition.ts'

/** The value of one counter or gauge with its labels, as data. */
export type NumberSample = readonly [labels: readonly string[], value: number]

/** One histogram with its labels, as data: the observations of each bucket but the last, their sum and their number. */
export type DistributionSample = readonly [labels: readonly string[], counts: readonly number[], sum: number, count: number]

/** The samples of a family. */
export type Samples = readonly NumberSample[] | readonly DistributionSample[]

const escaped = (value: string): string => value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))

/** Returns labels such as `{a="1",b="2"}`; '' without labels. Labels are sorted by name, as Go's client sorts them. */
function labelText(names: readonly string[], values: readonly string[], more: readonly string[] = []): string {
  const pairs = [...names.entries()].map(([index, name]) => `${name}="${escaped(values[index] ?? '')}"`).sort()
  const all = [...pairs, ...more]
  return all.length === 0 ? '' : `{${all.join(',')}}`
}

/** Formats a number. Go writes large ones with an exponent; Prometheus reads both forms. */
const formatted = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))

/** A metric family in /metrics. */
export interface Family {
  readonly name: string
  readonly definition: MetricDefinition
  /** Returns its values as data. */
  read(): Samples
  /** Returns the lines of its values, without HELP and TYPE. */
  lines(): string[]
}

/** Returns the text of a family; '' if it has no values. */
export function render(family: Family): string {
  const lines = family.lines()
  if (lines.length === 0) return ''
  const { name, definition } = family
  return `# HELP ${name} ${definition.help}\n# TYPE ${name} ${definition.type}\n${lines.join('\n')}\n`
}

/** The value of one counter or gauge. Code that counts keeps the cell, so that labels are joined only once. */
export class Cell {
  value = 0
}

/** The counters or gauges of one name. */
export class Numbers implements Family {
  readonly name: string
  readonly definition: MetricDefinition
  readonly #cells = new Map<string, { readonly values: readonly string[]; readonly cell: Cell }>()

  constructor(name: string, definition: MetricDefinition) {
    this.name = name
    this.definition = definition
    // Go's client shows a counter without labels from the beginning.
    if (definition.labels.length === 0) this.of()
  }

  /** Returns the cell with these label values. */
  of(...values: readonly string[]): Cell {
    const key = values.join('\n')
    let found = this.#cells.get(key)
    if (found === undefined) {
      found = { values, cell: new Cell() }
      this.#cells.set(key, found)
    }
    return found.cell
  }

  /** Removes all cells, before the values are read again. */
  clear(): void {
    this.#cells.clear()
  }

  read(): readonly NumberSample[] {
    return [...this.#cells.values()].map(({ values, cell }) => [values, cell.value])
  }

  /** Adds values of the same family of another place. */
  add(samples: readonly NumberSample[]): void {
    for (const [labels, value] of samples) this.of(...labels).value += value
  }

  lines(): string[] {
    const { labels } = this.definition
    const all = [...this.#cells.values()]
    return all.map(({ values, cell }) => `${this.name}${labelText(labels, values)} ${formatted(cell.value)}`).sort()
  }
}

/** One histogram: the number of observations in each bucket. */
export class Distribution {
  readonly #bounds: readonly number[]
  readonly counts: number[]
  sum = 0
  count = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = bounds.map(() => 0)
  }

  /** Observes a value. @param times the number of observations of this value */
  observe(value: number, times = 1): void {
    this.sum += value * times
    this.count += times
    const bounds = this.#bounds
    // Most observations belong to the first buckets.
    for (let index = 0; index < bounds.length; index++) {
      if (value > (bounds[index] ?? Number.POSITIVE_INFINITY)) continue
      this.counts[index] = (this.counts[index] ?? 0) + times
      return
    }
  }
}

/** The histograms of one name. */
export class Distributions implements Family {
  readonly name: string
  readonly definition: MetricDefinition
  readonly #bounds: readonly number[]
  readonly #distributions = new Map<string, { readonly values: readonly string[]; readonly distribution: Distribution }>()

  constructor(name: string, definition: MetricDefinition) {
    this.name = name
    this.definition = definition
    this.#bounds = definition.buckets ?? []
    if (definition.labels.length === 0) this.of()
  }

  /** Returns the histogram with these label values. */
  of(...values: readonly string[]): Distribution {
    const key = values.join('\n')
    let found = this.#distributions.get(key)
    if (found === undefined) {
      found = { values, distribution: new Distribution(this.#bounds) }
      this.#distributions.set(key, found)
    }
    return found.distribution
  }

  read(): readonly DistributionSample[] {
    const all = [...this.#distributions.values()]
    return all.map(({ values, distribution: { counts, sum, count } }) => [values, counts, sum, count])
  }

  /** Adds the histograms of the same family of another place. */
  add(samples: readonly DistributionSample[]): void {
    for (const [labels, counts, sum, count] of samples) {
      const own = this.of(...labels)
      own.sum += sum
      own.count += count
      for (const [index, more] of counts.entries()) own.counts[index] = (own.counts[index] ?? 0) + more
    }
  }

  lines(): string[] {
    const all = [...this.#distributions].sort(([a], [b]) => (a < b ? -1 : 1))
    return all.flatMap(([, { values, distribution }]) => this.#linesOf(values, distribution))
  }

  #linesOf(values: readonly string[], { counts, sum, count }: Distribution): string[] {
    const names = this.definition.labels
    const labels = labelText(names, values)
    let below = 0
    const buckets = this.#bounds.map((bound, index) => {
      below += counts[index] ?? 0
      return `${this.name}_bucket${labelText(names, values, [`le="${bound}"`])} ${below}`
    })
    const last = `${this.name}_bucket${labelText(names, values, ['le="+Inf"'])} ${count}`
    return [...buckets, last, `${this.name}_sum${labels} ${sum}`, `${this.name}_count${labels} ${count}`]
  }
}
