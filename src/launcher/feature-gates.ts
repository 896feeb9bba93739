import { type EmulationTexts, readEmulation } from '../config/emulation.ts'
import { type EmulatedVersion, gateWarnings, readFeatureGates as read } from '../config/feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'

const versionOf = ({ EMULATED_RELEASE = '', MIN_COMPATIBILITY_VERSION = '' }: EmulationTexts): EmulatedVersion =>
  readEmulation({ EMULATED_RELEASE, MIN_COMPATIBILITY_VERSION })

/**
 * Reads the option `--feature-gates`.
 * @param emulation the values of `--emulated-version` and `--min-compatibility-version`, by their settings
 * @returns the same with plain names and values, as the setting FEATURE_GATES has it
 * @throws LauncherError in kube-apiserver's words if it is not a list of this release's gates
 */
export function readFeatureGates(list: string, emulation: EmulationTexts = {}): string {
  try {
    return [...read(list, versionOf(emulation))].map(([name, value]) => `${name}=${value}`).join(',')
  } catch (error) {
    throw new LauncherError(`--feature-gates: ${reasonOf(error)}.`)
  }
}

/** Tells of gates that are set and that a later release will not have, in kube-apiserver's words. */
export function warnOfGates(settings: EmulationTexts & { readonly FEATURE_GATES?: string }): void {
  for (const warning of gateWarnings(settings.FEATURE_GATES ?? '', versionOf(settings))) console.error(warning)
}
