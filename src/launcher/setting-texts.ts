/** The settings that options of the command line stand for, as texts for the Worker. */
import { enabledAdmissionPlugins } from '../config/admission/plugin-names.ts'
import { loopback } from '../config/cluster-egress.ts'
import { type EmulationTexts, readEmulation } from '../config/emulation.ts'
import { settingRows } from '../config/settings.ts'
import type { Values } from './command-line.ts'
import { readFeatureGates } from './feature-gates.ts'
import { LauncherError, reasonOf } from './launcher-error.ts'

/** Returns the value of an option; those of one that may be given several times as a list. */
const textOf = (values: Values, flag: string): string | undefined =>
  values.text(flag) ??
  values
    .list(flag)
    ?.filter((one) => one !== '')
    .join(',')

/**
 * Reads the options that are settings.
 * @returns the texts by their variables
 * @throws LauncherError for a value with which the Worker would not start
 */
export function settingTexts(values: Values): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const [, { variable, flag, deprecated, file, read }] of settingRows) {
    if (flag === undefined || file === true) continue
    const text = textOf(values, flag) ?? (deprecated && textOf(values, deprecated.flag))
    if (text === undefined) continue
    try {
      if (text !== '') read?.(text)
    } catch (error) {
      throw new LauncherError(`--${flag}: ${reasonOf(error)}.`)
    }
    texts[variable] = text
  }
  // With a webhook, events are written to a log only if one is named.
  if (values.has('audit-webhook-config-file') && values.has('audit-log-path')) texts.AUDIT_LOG = 'console'
  // Many clusters with few objects each.
  if (values.has('testing')) Object.assign(texts, { TESTING: 'enabled', PLACEMENT: texts.PLACEMENT ?? 'one-object' })
  // Webhooks under test are on this machine.
  if (values.has('testing') || values.has('ephemeral')) texts.CLUSTER_EGRESS ??= loopback
  checkAdmissionPlugins(texts)
  checkEmulation(texts)
  if (texts.FEATURE_GATES !== undefined) texts.FEATURE_GATES = readFeatureGates(texts.FEATURE_GATES, texts)
  return texts
}

/** Refuses an unknown release, and a resource config that does not fit it. */
function checkEmulation(texts: EmulationTexts): void {
  try {
    readEmulation(texts)
  } catch (error) {
    throw new LauncherError(`The API cannot be served: ${reasonOf(error)}.`)
  }
}

function checkAdmissionPlugins({ ENABLE_ADMISSION_PLUGINS = '', DISABLE_ADMISSION_PLUGINS = '' }: Record<string, string>): void {
  try {
    enabledAdmissionPlugins(ENABLE_ADMISSION_PLUGINS, DISABLE_ADMISSION_PLUGINS)
  } catch (error) {
    throw new LauncherError(`The admission plugins cannot be used: ${reasonOf(error)}.`)
  }
}
