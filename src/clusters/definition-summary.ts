/** CustomResourceDefinitions in the policy snapshot: the fields that discovery and routing need. */

/** A served version of a CustomResourceDefinition. */
export interface SummaryVersion {
  readonly name: string
  readonly hasStatus: boolean
  readonly hasScale: boolean
}

/** A CustomResourceDefinition whose names are accepted. */
export interface DefinitionSummary {
  /** Changes with each change of the definition that affects its objects. */
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

/** The summaries by the definitions' names, `<resource>.<group>`. */
export type DefinitionSummaries = Readonly<Record<string, DefinitionSummary>>
