/** The metrics of one place that counts: an isolate's server, or a Durable Object. */
import { type HistogramName, type MetricName, metricDefinitions, type NumberName } from './definitions/all.ts'
import { type DistributionSample, Distributions, type Family, type NumberSample, Numbers, type Samples } from './families.ts'

/** The samples of the families that have any, by name. */
export type MetricSamples = Readonly<Record<string, Samples>>

const isName = (name: string): name is MetricName => Object.hasOwn(metricDefinitions, name)

/**
 * Metrics by name, each made at its first use.
 * @example
 * const metrics = new Metrics()
 * const allowed = metrics.numbers('authorization_attempts_total').of('allowed') // once
 * allowed.value++ // for each request
 */
export class Metrics {
  readonly #families = new Map<MetricName, Numbers | Distributions>()

  /** Returns the counters or gauges of a name. */
  numbers(name: NumberName): Numbers {
    return this.#of(name) as Numbers
  }

  /** Returns the histograms of a name. */
  distributions(name: HistogramName): Distributions {
    return this.#of(name) as Distributions
  }

  /** Adds one observation of a histogram, or adds to a counter. */
  measure(name: MetricName, labels: readonly string[], value: number): void {
    const family = this.#of(name)
    if (family instanceof Distributions) family.of(...labels).observe(value)
    else family.of(...labels).value += value
  }

  /** Returns all samples as data. */
  read(): MetricSamples {
    return Object.fromEntries(this.families().map((family) => [family.name, family.read()]))
  }

  /** Adds the samples of another place. Names that another release has are left out. */
  merge(samples: MetricSamples): void {
    for (const [name, values] of Object.entries(samples)) {
      if (!isName(name)) continue
      const family = this.#of(name)
      if (family instanceof Distributions) family.add(values as readonly DistributionSample[])
      else family.add(values as readonly NumberSample[])
    }
  }

  families(): readonly Family[] {
    return [...this.#families.values()]
  }

  #of(name: MetricName): Numbers | Distributions {
    let family = this.#families.get(name)
    if (family === undefined) {
      const definition = metricDefinitions[name]
      family = definition.type === 'histogram' ? new Distributions(name, definition) : new Numbers(name, definition)
      this.#families.set(name, family)
    }
    return family
  }
}
