/**
 * The policy of a namespace: the Pod Security Standard for each mode, from the labels of the namespace.
 * Follows k8s.io/pod-security-admission/api.
 */
import {
  type Level,
  type LevelVersion,
  levelMessage,
  levels,
  type Mode,
  modes,
  type Policy,
  parseLevel,
  parseVersion,
  versionMessage,
} from '../../../clusters/pod-security.ts'
import { goQuote } from '../../../go/text.ts'
import { type FieldError, invalidValue } from '../../../meta/field-error.ts'

/** A policy, and the errors in the labels that it is from. */
export interface NamespacePolicy {
  readonly policy: Policy
  readonly errors: readonly FieldError[]
}

/** The prefix of the labels of namespaces and of the audit annotations. */
export const labelPrefix = 'pod-security.kubernetes.io/'

/** Formats a standard and its version, for example `restricted:v1.25`. */
export const levelVersionText = ({ level, version }: LevelVersion): string => `${level}:${version}`

/** Returns whether `one` is stricter than `other`. */
const isStricter = (one: Level, other: Level): boolean => levels.indexOf(one) > levels.indexOf(other)

/** Returns whether both are the same standard in the same version. */
export const equalLevelVersions = (one: LevelVersion, other: LevelVersion): boolean =>
  one.level === other.level && one.version === other.version

/** Returns whether all modes allow everything. */
export const isFullyPrivileged = (policy: Policy): boolean => modes.every((mode) => policy[mode].level === 'privileged')

/** Returns whether two policies have the same effect: versions of `privileged` do not differ. */
const equivalentPolicies = (one: Policy, other: Policy): boolean =>
  modes.every((mode) => {
    const isPrivileged = one[mode].level === 'privileged' && other[mode].level === 'privileged'
    return isPrivileged || equalLevelVersions(one[mode], other[mode])
  })

/** The level of a mode if its label is invalid: only `enforce` fails closed. */
const levelOnError: Readonly<Record<Mode, Level>> = { enforce: 'restricted', audit: 'privileged', warn: 'privileged' }

const levelLabel = (mode: Mode): string => `${labelPrefix}${mode}`
const versionLabel = (mode: Mode): string => `${labelPrefix}${mode}-version`

/** Returns whether a namespace sets the level or the version of a mode. */
const setsMode = (labels: Readonly<Record<string, string>>, mode: Mode): boolean =>
  labels[levelLabel(mode)] !== undefined || labels[versionLabel(mode)] !== undefined

/** Reads both labels of a mode; errors are appended to `errors`. */
function readMode(
  labels: Readonly<Record<string, string>>,
  mode: Mode,
  fallback: LevelVersion,
  errors: FieldError[],
): LevelVersion {
  const read = <Value>(label: string, parse: (text: string) => Value | undefined, message: string): Value | undefined => {
    const text = labels[label]
    if (text === undefined) return undefined
    const value = parse(text)
    if (value === undefined) errors.push(invalidValue(`metadata.labels[${label}]`, text, message))
    return value
  }
  const level = read(levelLabel(mode), parseLevel, levelMessage)
  const version = read(versionLabel(mode), parseVersion, versionMessage)
  return {
    level: level ?? (labels[levelLabel(mode)] === undefined ? fallback.level : levelOnError[mode]),
    version: version ?? (labels[versionLabel(mode)] === undefined ? fallback.version : 'latest'),
  }
}

/**
 * Reads the policy of a namespace. A valid policy is returned even if labels have errors.
 * @param labels of the namespace; undefined without any
 * @param defaults the policy of a namespace without labels
 */
export function policyOf(labels: Readonly<Record<string, string>> | undefined, defaults: Policy): NamespacePolicy {
  if (labels === undefined) return { policy: defaults, errors: [] }
  const errors: FieldError[] = []
  const enforce = readMode(labels, 'enforce', defaults.enforce, errors)
  const audit = readMode(labels, 'audit', defaults.audit, errors)
  const warn = readMode(labels, 'warn', defaults.warn, errors)
  const isEnforced = parseLevel(labels[levelLabel('enforce')] ?? '') !== undefined
  const follows = isEnforced && labels[levelLabel('warn')] === undefined && isStricter(enforce.level, warn.level)
  if (!follows) return { policy: { enforce, audit, warn }, errors }
  // An explicit level of `enforce` also warns, about the templates of Pods, unless `warn` is set.
  const version = labels[versionLabel('warn')] === undefined ? enforce.version : warn.version
  return { policy: { enforce, audit, warn: { level: enforce.level, version } }, errors }
}

/**
 * Returns whether the existing Pods of a namespace are evaluated when its policy changes: if `enforce` becomes stricter or changes
 * its version.
 */
export function concernsExistingPods({ enforce }: Policy, { enforce: old }: Policy): boolean {
  if (enforce.level === 'privileged' || equalLevelVersions(enforce, old)) return false
  return enforce.version !== old.version || isStricter(enforce.level, old.level)
}

/**
 * Returns the warning about a new namespace whose labels have no effect because it is exempt; undefined if they would have none
 * otherwise either.
 */
export function exemptNamespaceWarning(
  name: string,
  labels: Readonly<Record<string, string>>,
  policy: Policy,
  defaults: Policy,
): string | undefined {
  if (isFullyPrivileged(policy) || equivalentPolicies(policy, defaults)) return undefined
  const set = modes.filter((mode) => policy[mode].level !== 'privileged' && setsMode(labels, mode))
  const ignored = set.map((mode) => `${mode}=${levelVersionText(policy[mode])}`).join(', ')
  return `namespace ${goQuote(name)} is exempt from Pod Security, and the policy (${ignored}) will be ignored`
}
