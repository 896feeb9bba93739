/**
 * Pod Security Standards: their levels and versions, and the evaluation of a namespace's Pods that its own Durable Object requests
 * from theirs. Follows k8s.io/pod-security-admission/api.
 */

/** The Pod Security Standards, from the least to the most strict. */
export const levels = ['privileged', 'baseline', 'restricted'] as const

/** A Pod Security Standard. */
export type Level = (typeof levels)[number]

/** The version of a standard. */
export type PolicyVersion = 'latest' | `v1.${string}`

/** A standard in one of its versions. */
export interface LevelVersion {
  readonly level: Level
  readonly version: PolicyVersion
}

/** The modes: reject violations, record them in the audit log, warn about them. */
export const modes = ['enforce', 'audit', 'warn'] as const

/** A mode of Pod Security. */
export type Mode = (typeof modes)[number]

/** The standard of each mode. */
export type Policy = Readonly<Record<Mode, LevelVersion>>

/** The message about a text that names no level. */
export const levelMessage = `must be one of ${levels.join(', ')}`

/** The message about a text that names no version. */
export const versionMessage = 'must be "latest" or "v1.x"'

/** The largest int64. */
const largestMinor = 2n ** 63n - 1n

/** Returns the level that a text names; undefined if it names none. */
export const parseLevel = (text: string): Level | undefined => levels.find((level) => level === text)

/** Returns the version that a text names; undefined if it names none. */
export function parseVersion(text: string): PolicyVersion | undefined {
  if (text === 'latest') return text
  const [, minor] = /^v1\.(0|[1-9]\d*)$/.exec(text) ?? []
  return minor === undefined || BigInt(minor) > largestMinor ? undefined : `v1.${minor}`
}

/** The Pods of a namespace that are evaluated, and the standard. */
export interface PodsEvaluation {
  readonly standard: LevelVersion
  /** The RuntimeClasses whose Pods are left out. */
  readonly exemptRuntimeClasses: readonly string[]
}

/** Pods with the same violations. */
export interface PodGroup {
  /** The reasons of the violations. */
  readonly reasons: string
  /** The name that sorts first. */
  readonly name: string
  readonly count: number
}

/** The violations of the existing Pods of a namespace. */
export interface ExistingPods {
  readonly total: number
  readonly evaluated: number
  readonly groups: readonly PodGroup[]
}
