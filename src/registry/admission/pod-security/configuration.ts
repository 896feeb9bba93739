/** The configuration of the plugin PodSecurity. */
import type { Level, LevelVersion } from '../../../clusters/pod-security.ts'
import { type Policy, parseVersion } from './policy.ts'

/** The standards of namespaces without labels. Versions are `latest` or `v1.N`. */
interface PodSecurityDefaults {
  readonly enforce: Level
  readonly enforceVersion: string
  readonly audit: Level
  readonly auditVersion: string
  readonly warn: Level
  readonly warnVersion: string
}

/** A PodSecurityConfiguration with all its fields. */
export interface PodSecurityConfiguration {
  readonly defaults: PodSecurityDefaults
  readonly exemptions: {
    readonly usernames: readonly string[]
    readonly namespaces: readonly string[]
    readonly runtimeClasses: readonly string[]
  }
}

/** The configuration without a document. */
export const defaultConfiguration: PodSecurityConfiguration = {
  defaults: {
    enforce: 'privileged',
    enforceVersion: 'latest',
    audit: 'privileged',
    auditVersion: 'latest',
    warn: 'privileged',
    warnVersion: 'latest',
  },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
}

const standard = (level: Level, version: string): LevelVersion => ({ level, version: parseVersion(version) ?? 'latest' })

/** Returns the policy of namespaces without labels. */
export const defaultPolicyOf = ({ defaults }: PodSecurityConfiguration): Policy => ({
  enforce: standard(defaults.enforce, defaults.enforceVersion),
  audit: standard(defaults.audit, defaults.auditVersion),
  warn: standard(defaults.warn, defaults.warnVersion),
})
