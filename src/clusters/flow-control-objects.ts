/** Flow schemas and priority levels as far as decisions follow from them: plain data, as the control object sends it to the Workers. */

/** Whom a rule of a FlowSchema is about. Follows Subject of flowcontrol.apiserver.k8s.io/v1. */
export type FlowSubject =
  | { readonly kind: 'User'; readonly name: string }
  | { readonly kind: 'Group'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }

/** Requests for resources that a rule is about. */
export interface FlowResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope: boolean
  readonly namespaces: readonly string[]
}

/** Requests for other paths that a rule is about. */
export interface FlowNonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** One rule: some of the subjects, and some of the requests. */
export interface FlowRule {
  readonly subjects: readonly FlowSubject[]
  readonly resourceRules: readonly FlowResourceRule[]
  readonly nonResourceRules: readonly FlowNonResourceRule[]
}

/** A FlowSchema. */
export interface FlowSchema {
  readonly name: string
  readonly uid: string
  readonly matchingPrecedence: number
  readonly priorityLevel: string
  /** By what its requests are told apart: '' for not at all. */
  readonly distinguisher: '' | 'ByUser' | 'ByNamespace'
  readonly rules: readonly FlowRule[]
}

/** What becomes of requests of a level that is full. */
export type LimitResponse =
  | { readonly type: 'Reject' }
  | { readonly type: 'Queue'; readonly queues: number; readonly queueLengthLimit: number }

/** A PriorityLevelConfiguration. */
export type PriorityLevel = { readonly name: string; readonly uid: string } & (
  | { readonly type: 'Exempt' }
  | {
      readonly type: 'Limited'
      readonly nominalConcurrencyShares: number
      /** How much of its own seats it may have besides, in percent; undefined for as many as there are. */
      readonly borrowingLimitPercent?: number
      readonly limitResponse: LimitResponse
    }
)

/** All of both of a cluster. */
export interface FlowControlObjects {
  readonly flowSchemas: readonly FlowSchema[]
  readonly priorityLevels: readonly PriorityLevel[]
}
