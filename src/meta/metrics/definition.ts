/** The definition of a metric family, and the rule by which deprecated families are hidden. Follows component-base's metrics. */
/** A metric family without its values. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** The text of HELP, which begins with the stability in brackets. */
  readonly help: string
  /** The names of the labels, in the order in which code gives their values. */
  readonly labels: readonly string[]
  /** The upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[]
}

/** Definitions by the names of their families. */
export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>

/** How many minor releases a deprecated family is still served, by its stability. */
const servedReleases: Readonly<Record<string, number>> = { STABLE: 3, BETA: 1 }

/** Returns the stability of a family, and the release since which it is deprecated; '' for those that are not. */
export function lifecycleOf({ help }: MetricDefinition): { readonly stability: string; readonly deprecated: string } {
  const [, stability = '', deprecated = ''] = /^\[(\w+)\](?: \(Deprecated since ([\d.]+)\))?/.exec(help) ?? []
  return { stability, deprecated }
}

/** Whether a family has been deprecated for so long that release 1.`minor` serves it only on request. */
export function isHidden(definition: MetricDefinition, minor: number): boolean {
  const { stability, deprecated } = lifecycleOf(definition)
  if (deprecated === '') return false
  return Number(deprecated.split('.')[1]) + (servedReleases[stability] ?? 0) <= minor
}
