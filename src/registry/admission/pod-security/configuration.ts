/** The PodSecurityConfiguration: the policy of namespaces without labels, and exemptions. */
import { duplicate, type FieldError, invalidValue } from '../../../meta/field-error.ts'
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { type LevelVersion, levelMessage, type Mode, type Policy, parseLevel, parseVersion, versionMessage } from './policy.ts'

/** The requests that are not evaluated. */
export interface Exemptions {
  readonly usernames: readonly string[]
  readonly namespaces: readonly string[]
  readonly runtimeClasses: readonly string[]
}

/** The configuration of the plugin. */
export interface PodSecurityConfiguration {
  readonly defaults: Policy
  readonly exemptions: Exemptions
}

const privileged: LevelVersion = { level: 'privileged', version: 'latest' }

/** The configuration without a file: everything is allowed, unless the labels of a namespace say otherwise. */
export const defaultConfiguration: PodSecurityConfiguration = {
  defaults: { enforce: privileged, audit: privileged, warn: privileged },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
}

/** A PodSecurityConfiguration of pod-security.admission.config.k8s.io as in a file, decoded but not validated. */
export interface PodSecurityConfigurationObject {
  /** Levels and versions: `enforce`, `enforce-version` and so on. */
  readonly defaults?: Readonly<Record<string, string>>
  readonly exemptions?: Partial<Exemptions>
}

/** A list of exemptions: the errors of each item, and of repeated items. */
function exemptionErrors(
  field: string,
  items: readonly string[] = [],
  problemsOf: (item: string) => readonly string[],
): FieldError[] {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const problems = problemsOf(item)
    if (problems.length > 0) return [invalidValue(`${field}[${index}]`, item, problems.join(', '))]
    if (seen.has(item)) return [duplicate(`${field}[${index}]`, item)]
    seen.add(item)
    return []
  })
}

/** Returns the errors of a configuration. Follows admission/api/validation of k8s.io/pod-security-admission. */
export function podSecurityConfigurationErrors({ defaults = {}, exemptions = {} }: PodSecurityConfigurationObject): FieldError[] {
  const read = (field: string, parse: (text: string) => unknown, message: string): FieldError[] => {
    const text = defaults[field] || undefined
    return text === undefined || parse(text) !== undefined ? [] : [invalidValue(`defaults.${field}`, text, message)]
  }
  const ofDefaults = (['enforce', 'warn', 'audit'] as const).flatMap((mode) => [
    ...read(mode, parseLevel, levelMessage),
    ...read(`${mode}-version`, parseVersion, versionMessage),
  ])
  return [
    ...ofDefaults,
    ...exemptionErrors('exemptions.namespaces', exemptions.namespaces, (name) => nameIsDnsLabel(name, false)),
    ...exemptionErrors('exemptions.runtimeClasses', exemptions.runtimeClasses, (name) => nameIsDnsSubdomain(name, false)),
    ...exemptionErrors('exemptions.usernames', exemptions.usernames, (name) =>
      name === '' ? ['username must not be empty'] : [],
    ),
  ]
}

/** Returns the configuration of a valid file. Absent levels are `privileged`, absent versions `latest`. */
export function podSecurityConfigurationOf({
  defaults = {},
  exemptions = {},
}: PodSecurityConfigurationObject): PodSecurityConfiguration {
  const standardOf = (mode: Mode): LevelVersion => ({
    level: parseLevel(defaults[mode] ?? '') ?? privileged.level,
    version: parseVersion(defaults[`${mode}-version`] ?? '') ?? privileged.version,
  })
  const { usernames = [], namespaces = [], runtimeClasses = [] } = exemptions
  return {
    defaults: { enforce: standardOf('enforce'), audit: standardOf('audit'), warn: standardOf('warn') },
    exemptions: { usernames, namespaces, runtimeClasses },
  }
}
