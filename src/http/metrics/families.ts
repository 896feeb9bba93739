/** Metrics in memory and their output in the Prometheus text format 0.0.4. */

/** The names of labels, in the order of their values. */
type Labels = readonly string[]

/** A metric family in /metrics. */
export interface Family {
  readonly name: string
  /** Returns the lines with HELP and TYPE; '' if there are no values. */
  render(): string
}

const escaped = (value: string): string => value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))

/** Returns labels such as `{a="1",b="2"}`; '' without labels. Labels are sorted by name, as Go's client sorts them. */
export function labelText(names: Labels, values: readonly string[], more: readonly string[] = []): string {
  const pairs = [...names.entries()].map(([index, name]) => `${name}="${escaped(values[index] ?? '')}"`).sort()
  const all = [...pairs, ...more]
  return all.length === 0 ? '' : `{${all.join(',')}}`
}

function headed(name: string, help: string, type: string, lines: string[]): string {
  if (lines.length === 0) return ''
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.sort().join('\n')}\n`
}

/** Formats a number. Go writes large ones with an exponent; Prometheus reads both forms. */
const formatted = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))

/** The value of one counter or gauge. Code that counts keeps the cell, so that labels are joined only once. */
export class Cell {
  value = 0
}

/** The counters or gauges of one name. */
export class Numbers implements Family {
  readonly name: string
  readonly #help: string
  readonly #type: 'counter' | 'gauge'
  readonly #labels: Labels
  readonly #cells = new Map<string, Cell>()

  constructor(type: 'counter' | 'gauge', name: string, help: string, labels: Labels = []) {
    this.name = name
    this.#help = help
    this.#type = type
    this.#labels = labels
  }

  /** Returns the cell with these label values. */
  of(...values: readonly string[]): Cell {
    const key = labelText(this.#labels, values)
    let cell = this.#cells.get(key)
    if (cell === undefined) {
      cell = new Cell()
      this.#cells.set(key, cell)
    }
    return cell
  }

  /** Removes all cells, before the values are read again. */
  clear(): void {
    this.#cells.clear()
  }

  render(): string {
    const lines = [...this.#cells].map(([labels, { value }]) => `${this.name}${labels} ${formatted(value)}`)
    return headed(this.name, this.#help, this.#type, lines)
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

  observe(value: number): void {
    this.sum += value
    this.count++
    const bounds = this.#bounds
    // Most observations belong to the first buckets.
    for (let index = 0; index < bounds.length; index++) {
      if (value > (bounds[index] ?? Number.POSITIVE_INFINITY)) continue
      this.counts[index] = (this.counts[index] ?? 0) + 1
      return
    }
  }
}

/** The histograms of one name. */
export class Distributions implements Family {
  readonly name: string
  readonly #help: string
  readonly #labels: Labels
  readonly #bounds: readonly number[]
  readonly #distributions = new Map<string, { readonly values: readonly string[]; readonly distribution: Distribution }>()

  constructor(name: string, help: string, labels: Labels, bounds: readonly number[]) {
    this.name = name
    this.#help = help
    this.#labels = labels
    this.#bounds = bounds
  }

  of(...values: readonly string[]): Distribution {
    const key = values.join('\n')
    let found = this.#distributions.get(key)
    if (found === undefined) {
      found = { values, distribution: new Distribution(this.#bounds) }
      this.#distributions.set(key, found)
    }
    return found.distribution
  }

  render(): string {
    const all = [...this.#distributions].sort(([a], [b]) => (a < b ? -1 : 1))
    const lines = all.flatMap(([, { values, distribution }]) => this.#lines(values, distribution))
    if (lines.length === 0) return ''
    return `# HELP ${this.name} ${this.#help}\n# TYPE ${this.name} histogram\n${lines.join('\n')}\n`
  }

  #lines(values: readonly string[], { counts, sum, count }: Distribution): string[] {
    const labels = labelText(this.#labels, values)
    let below = 0
    const buckets = this.#bounds.map((bound, index) => {
      below += counts[index] ?? 0
      return `${this.name}_bucket${labelText(this.#labels, values, [`le="${bound}"`])} ${below}`
    })
    const last = `${this.name}_bucket${labelText(this.#labels, values, ['le="+Inf"'])} ${count}`
    return [...buckets, last, `${this.name}_sum${labels} ${sum}`, `${this.name}_count${labels} ${count}`]
  }
}
