import { readEmulatedRelease } from '../config/emulation.ts'
import { readFeatureGates as read } from '../config/feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'

/**
 * Reads the option `--feature-gates`.
 * @param release the value of `--emulated-version`
 * @returns the same with plain names and values, as the setting FEATURE_GATES has it
 * @throws LauncherError in kube-apiserver's words if it is not a list of this release's gates
 */
export function readFeatureGates(list: string, release = ''): string {
  try {
    return [...read(list, readEmulatedRelease(release))].map(([name, value]) => `${name}=${value}`).join(',')
  } catch (error) {
    throw new LauncherError(`--feature-gates: ${reasonOf(error)}.`)
  }
}
