/** Pod Security Standards, and the evaluation of a namespace's Pods that its own Durable Object requests from theirs. */

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
