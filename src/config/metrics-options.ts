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

/** The unparsed settings. */
export interface MetricsTexts {
  readonly SHOW_HIDDEN_METRICS_FOR_VERSION?: string
  readonly DISABLED_METRICS?: string
}

/**
 * Reads the settings.
 * @throws Error in kube-apiserver's words if hidden metrics are asked for another release than the previous one
 */
export function readMetricsOptions({ SHOW_HIDDEN_METRICS_FOR_VERSION, DISABLED_METRICS }: MetricsTexts): MetricsOptions {
  const shown = SHOW_HIDDEN_METRICS_FOR_VERSION ?? ''
  if (shown !== '' && shown !== `1.${minor - 1}`) {
    const rule = `must be omitted or have the value '1.${minor - 1}'; only the previous minor version is allowed`
    throw new Error(`metrics.showHiddenMetricsForVersion: Invalid value: ${JSON.stringify(shown)}: ${rule}`)
  }
  const names = (DISABLED_METRICS ?? '').split(',').map((name) => name.trim())
  return { hidden: shown === '' ? 'hidden' : 'shown', disabled: new Set(names.filter((name) => name !== '')) }
}

/** Whether a family has been deprecated for so long that it is served only on request. */
export const isHiddenFamily = ({ definition }: Pick<Family, 'definition'>): boolean => isHidden(definition, minor)

/** Whether a family is served. */
export function isServed(family: Pick<Family, 'name' | 'definition'>, { hidden, disabled }: MetricsOptions): boolean {
  return !disabled.has(family.name) && (hidden === 'shown' || !isHiddenFamily(family))
}
