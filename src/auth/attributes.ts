import type { SelectorSource } from './selector-requirements.ts'

/** The attributes of a request that authorization decides on. Follows authorizer.Attributes of apiserver. */
export type Attributes = NonResourceAttributes | ResourceAttributes

/** A request for a non-resource path. */
export interface NonResourceAttributes {
  readonly isResource: false
  readonly verb: string
  readonly path: string
}

/** A request for a resource. */
export interface ResourceAttributes {
  readonly isResource: true
  readonly verb: string
  readonly group: string
  /** The version of the group; omitted or '' if it does not matter. RBAC rules ignore it, webhooks may use it. */
  readonly version?: string
  readonly resource: string
  readonly subresource: string
  /** '' for all namespaces and for cluster-scoped resources. */
  readonly namespace: string
  /** '' for a collection. */
  readonly name: string
  /** The selectors of a list, watch or deletecollection, for webhooks. */
  readonly fieldSelector?: SelectorSource | undefined
  readonly labelSelector?: SelectorSource | undefined
}

/** The decision on a request, with its reason. */
export interface Decision {
  readonly allowed: boolean
  /** The rule that allows the request. For a refusal, the errors met while looking for a rule, usually ''. */
  readonly reason: string
  /** True if an authorizer denied the request explicitly, so that no later authorizer was asked (authorizer.DecisionDeny). */
  readonly denied?: boolean
  /** The error that kept an authorizer from deciding. The request was then refused, or another authorizer allowed it. */
  readonly error?: string
}
