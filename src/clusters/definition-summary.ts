/** What the policy snapshot says of CustomResourceDefinitions: enough for discovery and routing. */

/** A served version of a definition. */
export interface SummaryVersion {
  readonly name: string
  readonly hasStatus: boolean
  readonly hasScale: boolean
}

/** A definition whose names are accepted. */
export interface DefinitionSummary {
  /** Another one for each state of the definition in which its objects are treated differently. */
  readonly tag: string
  readonly group: string
  readonly resource: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly isEstablished: boolean
  readonly isTerminating: boolean
  readonly storageVersion: string
  readonly versions: readonly SummaryVersion[]
}

/** Summaries by the definitions' names, `<resource>.<group>`. */
export type DefinitionSummaries = Readonly<Record<string, DefinitionSummary>>
