/** The settings that select metrics. Follows the options of component-base's metrics. */
import { isHidden } from '../meta/metrics/definition.ts'
import type { Family } from '../meta/metrics/families.ts'

/** The minor version of the emulated release, 1.36. */
const minor = 36

/** The families that an operator wants. */
export interface MetricsOptions {
  readonly hidden: 'hidden' | 'shown'
  /** The names of families that are not served. */
  readonly disabled: ReadonlySet<string>
}

/**
 * Reads SHOW_HIDDEN_METRICS_FOR_VERSION.
 * @throws Error in kube-apiserver's words if hidden metrics are asked for another release than the previous one
 */
export function readHiddenMetrics(version: string): MetricsOptions['hidden'] {
  if (version === '') return 'hidden'
  if (version === `1.${minor - 1}`) return 'shown'
  const rule = `must be omitted or have the value '1.${minor - 1}'; only the previous minor version is allowed`
  throw new Error(`metrics.showHiddenMetricsForVersion: Invalid value: ${JSON.stringify(version)}: ${rule}`)
}

/** Reads DISABLED_METRICS: names of families, separated by commas. */
export const readDisabledMetrics = (list: string): MetricsOptions['disabled'] => {
  const names = list.split(',').map((name) => name.trim())
  return new Set(names.filter((name) => name !== ''))
}

/** Whether a family has been deprecated for so long that it is served only on request. */
export const isHiddenFamily = ({ definition }: Pick<Family, 'definition'>): boolean => isHidden(definition, minor)

/** Whether a family is served. */
export function isServed(family: Pick<Family, 'name' | 'definition'>, { hidden, disabled }: MetricsOptions): boolean {
  return !disabled.has(family.name) && (hidden === 'shown' || !isHiddenFamily(family))
}
