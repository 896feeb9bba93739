import { readFeatureGates as read } from '../config/feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'

/**
 * Reads the option `--feature-gates`.
 * @returns the same with plain names and values, as the setting FEATURE_GATES has it
 * @throws LauncherError in kube-apiserver's words if it is not a list of this release's gates
 */
export function readFeatureGates(list: string): string {
  try {
    return [...read(list)].map(([name, value]) => `${name}=${value}`).join(',')
  } catch (error) {
    throw new LauncherError(`--feature-gates: ${reasonOf(error)}.`)
  }
}
