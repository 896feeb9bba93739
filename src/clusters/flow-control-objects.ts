/** FlowSchemas and priority levels in the policy snapshot: the fields that decisions need, as plain data. */

/** A subject of a FlowSchema's rule. Follows Subject of flowcontrol.apiserver.k8s.io/v1. */
export type FlowSubject =
  | { readonly kind: 'User'; readonly name: string }
  | { readonly kind: 'Group'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly namespace: string; readonly name: string }

/** The resource requests to which a rule applies. */
export interface FlowResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope: boolean
  readonly namespaces: readonly string[]
}

/** The non-resource requests to which a rule applies. */
export interface FlowNonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** One rule: it applies if one subject and one request rule match. */
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
  /** The distinguisherMethod, which separates a schema's requests into flows; '' if all are one flow. */
  readonly distinguisher: '' | 'ByUser' | 'ByNamespace'
  readonly rules: readonly FlowRule[]
}

/** The treatment of requests for a priority level without free seats. */
export type LimitResponse =
  | { readonly type: 'Reject' }
  | { readonly type: 'Queue'; readonly queues: number; readonly queueLengthLimit: number }

/** A PriorityLevelConfiguration. */
export type PriorityLevel = { readonly name: string; readonly uid: string } & (
  | { readonly type: 'Exempt' }
  | {
      readonly type: 'Limited'
      readonly nominalConcurrencyShares: number
      /** Limit of borrowed seats, in percent of its own; undefined without a limit. */
      readonly borrowingLimitPercent?: number
      readonly limitResponse: LimitResponse
    }
)

/** All FlowSchemas and priority levels of a cluster. */
export interface FlowControlObjects {
  readonly flowSchemas: readonly FlowSchema[]
  readonly priorityLevels: readonly PriorityLevel[]
}
