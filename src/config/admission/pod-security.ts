/** The configuration of the plugin PodSecurity. Follows k8s.io/pod-security-admission/admission/api. */
import {
  type LevelVersion,
  levelMessage,
  type Mode,
  type Policy,
  parseLevel,
  parseVersion,
  versionMessage,
} from '../../clusters/pod-security.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { aggregate, aggregateTexts, duplicate, type FieldError, invalidValue } from '../../meta/field-error.ts'
import { isDns1123Label, isDns1123Subdomain } from '../../meta/names.ts'
import { InitializationError, readDocument } from './read-document.ts'

/** A PodSecurityConfiguration with its defaults applied. */
export interface PodSecurityConfiguration {
  /** The policy of namespaces without labels. */
  readonly defaults: Policy
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

const privileged: LevelVersion = { level: 'privileged', version: 'latest' }

/** The configuration without a document. */
export const defaultPodSecurity: PodSecurityConfiguration = {
  defaults: { enforce: privileged, audit: privileged, warn: privileged },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
}

const group = 'pod-security.admission.config.k8s.io'
const kinds = Object.fromEntries(
  ['v1', 'v1beta1', 'v1alpha1'].map((version) => [`${group}/${version}`, 'PodSecurityConfiguration']),
)

/** Reads the defaults. kube-apiserver reports them before the exemptions, with short paths. */
function readDefaults(raw: NonNullable<RawPodSecurity['defaults']>): Policy {
  const problems: string[] = []
  const standardOf = (mode: Mode): LevelVersion => {
    const level = parseLevel(raw[mode] || privileged.level)
    if (level === undefined) problems.push(`${mode}: ${levelMessage}`)
    const version = parseVersion(raw[`${mode}-version`] || privileged.version)
    if (version === undefined) problems.push(`${mode}-version: ${versionMessage}`)
    return { level: level ?? privileged.level, version: version ?? privileged.version }
  }
  const defaults = { enforce: standardOf('enforce'), audit: standardOf('audit'), warn: standardOf('warn') }
  if (problems.length === 0) return defaults
  throw new InitializationError(`PodSecurity configuration error: ${aggregateTexts(problems)}`)
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
  const raw = readDocument<RawPodSecurity>(document, { kinds, schema: 'podSecurity' })
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
