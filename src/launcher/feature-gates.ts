import { type EmulationTexts, readEmulation } from '../config/emulation.ts'
import { readFeatureGates as read } from '../config/feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'

/**
 * Reads the option `--feature-gates`.
 * @param emulation the values of `--emulated-version` and `--min-compatibility-version`, by their settings
 * @returns the same with plain names and values, as the setting FEATURE_GATES has it
 * @throws LauncherError in kube-apiserver's words if it is not a list of this release's gates
 */
export function readFeatureGates(list: string, { EMULATED_RELEASE, MIN_COMPATIBILITY_VERSION }: EmulationTexts = {}): string {
  try {
    const version = readEmulation({
      ...(EMULATED_RELEASE !== undefined && { EMULATED_RELEASE }),
      ...(MIN_COMPATIBILITY_VERSION !== undefined && { MIN_COMPATIBILITY_VERSION }),
    })
    return [...read(list, version)].map(([name, value]) => `${name}=${value}`).join(',')
  } catch (error) {
    throw new LauncherError(`--feature-gates: ${reasonOf(error)}.`)
  }
}
