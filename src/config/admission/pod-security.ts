/** The configuration of the plugin PodSecurity. Follows k8s.io/pod-security-admission/admission/api. */
import type { JsonValue } from '../../go/json-value.ts'
import { aggregate, duplicate, type FieldError, invalidValue } from '../../meta/field-error.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../meta/names.ts'
import { validatePodSecurity } from '../validators.mjs'
import { InitializationError, readDocument } from './read-document.ts'

/** The levels and versions that apply to namespaces without labels. Versions are `latest` or `v1.N`. */
export interface PodSecurityDefaults {
  readonly enforce: PodSecurityLevel
  readonly enforceVersion: string
  readonly audit: PodSecurityLevel
  readonly auditVersion: string
  readonly warn: PodSecurityLevel
  readonly warnVersion: string
}

export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted'

/** A PodSecurityConfiguration with its defaults applied. */
export interface PodSecurityConfiguration {
  readonly defaults: PodSecurityDefaults
  readonly exemptions: {
    readonly usernames: readonly string[]
    readonly namespaces: readonly string[]
    readonly runtimeClasses: readonly string[]
  }
}

interface RawPodSecurity {
  readonly defaults?: Readonly<Record<string, string | undefined>> | null
  readonly exemptions?: {
    readonly usernames?: readonly string[] | null
    readonly namespaces?: readonly string[] | null
    readonly runtimeClasses?: readonly string[] | null
  } | null
}

/** The configuration without a document. */
export const defaultPodSecurity: PodSecurityConfiguration = {
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

const group = 'pod-security.admission.config.k8s.io'
const kinds = Object.fromEntries(
  ['v1', 'v1beta1', 'v1alpha1'].map((version) => [`${group}/${version}`, 'PodSecurityConfiguration']),
)

const modes = ['enforce', 'audit', 'warn'] as const

const isLevel = (text: string): text is PodSecurityLevel => ['privileged', 'baseline', 'restricted'].includes(text)
const isVersion = (text: string): boolean => text === 'latest' || /^v1\.(?:\d|[1-9]\d*)$/.test(text)

/** Reads the defaults. kube-apiserver reports them before the exemptions, with short paths. */
function readDefaults(raw: NonNullable<RawPodSecurity['defaults']>): PodSecurityDefaults {
  const problems: string[] = []
  const levelOf = (field: (typeof modes)[number]): PodSecurityLevel => {
    const level = raw[field] || 'privileged'
    if (isLevel(level)) return level
    problems.push(`${field}: must be one of privileged, baseline, restricted`)
    return 'restricted'
  }
  const versionOf = (field: (typeof modes)[number]): string => {
    const version = raw[`${field}-version`] || 'latest'
    if (!isVersion(version)) problems.push(`${field}-version: must be "latest" or "v1.x"`)
    return version
  }
  const defaults = {
    enforce: levelOf('enforce'),
    enforceVersion: versionOf('enforce'),
    audit: levelOf('audit'),
    auditVersion: versionOf('audit'),
    warn: levelOf('warn'),
    warnVersion: versionOf('warn'),
  }
  if (problems.length === 0) return defaults
  const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`
  throw new InitializationError(`PodSecurity configuration error: ${text}`)
}

/** Returns the errors in a list of names that may not repeat. */
function namesErrors(names: readonly string[], field: string, check: (name: string) => readonly string[]): FieldError[] {
  return names.flatMap((name, index) => {
    const problems = check(name)
    const at = `exemptions.${field}[${index}]`
    if (problems.length > 0) return [invalidValue(at, name, problems.join(', '))]
    return names.indexOf(name) < index ? [duplicate(at, name)] : []
  })
}

/**
 * Reads a PodSecurityConfiguration.
 * @throws Error in kube-apiserver's words
 */
export function readPodSecurity(document: JsonValue): PodSecurityConfiguration {
  const raw = readDocument<RawPodSecurity>(document, { kinds, validate: validatePodSecurity })
  const { usernames, namespaces, runtimeClasses } = raw.exemptions ?? {}
  const defaults = readDefaults(raw.defaults ?? {})
  const exemptions = { usernames: usernames ?? [], namespaces: namespaces ?? [], runtimeClasses: runtimeClasses ?? [] }
  const errors = [
    ...namesErrors(exemptions.namespaces, 'namespaces', (name) => isDns1123Label(name)),
    ...namesErrors(exemptions.runtimeClasses, 'runtimeClasses', (name) => isDns1123Subdomain(name)),
    ...namesErrors(exemptions.usernames, 'usernames', (name) => (name === '' ? ['username must not be empty'] : [])),
  ]
  if (errors.length > 0) throw new InitializationError(`PodSecurity invalid: ${aggregate(errors)}`)
  return { defaults, exemptions }
}
