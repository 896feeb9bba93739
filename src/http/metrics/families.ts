/** Metrics in memory, and how Prometheus reads them. Follows the text format 0.0.4. */

/** Names of labels, in the order of their values. */
type Labels = readonly string[]

/** Something that /metrics shows. */
export interface Family {
  readonly name: string
  /** The lines, with HELP and TYPE; '' where nothing has been counted. */
  render(): string
}

const escaped = (value: string): string => value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))

/** `{a="1",b="2"}`; '' without labels. Labels are sorted by name, as Go's client sorts them. */
export function labelText(names: Labels, values: readonly string[], more: readonly string[] = []): string {
  const pairs = [...names.entries()].map(([index, name]) => `${name}="${escaped(values[index] ?? '')}"`).sort()
  const all = [...pairs, ...more]
  return all.length === 0 ? '' : `{${all.join(',')}}`
}

function headed(name: string, help: string, type: string, lines: string[]): string {
  if (lines.length === 0) return ''
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.sort().join('\n')}\n`
}

/** A number; Go writes large ones with an exponent, which Prometheus does not mind being without. */
const shown = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))

/** One line of a counter or a gauge: whoever counts, holds it. */
export class Cell {
  value = 0
}

/** Counters or gauges of one name. */
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

  /** The cell of these values of the labels. */
  of(...values: readonly string[]): Cell {
    const key = labelText(this.#labels, values)
    let cell = this.#cells.get(key)
    if (cell === undefined) {
      cell = new Cell()
      this.#cells.set(key, cell)
    }
    return cell
  }

  /** Forgets all: for what is read anew. */
  clear(): void {
    this.#cells.clear()
  }

  render(): string {
    const lines = [...this.#cells].map(([labels, { value }]) => `${this.name}${labels} ${shown(value)}`)
    return headed(this.name, this.#help, this.#type, lines)
  }
}

/** One histogram: how many observations are in which bucket. */
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
    // Most observations belong into the first buckets.
    for (let index = 0; index < bounds.length; index++) {
      if (value > (bounds[index] ?? Number.POSITIVE_INFINITY)) continue
      this.counts[index] = (this.counts[index] ?? 0) + 1
      return
    }
  }
}

/** Histograms of one name. */
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
