/** The facts about a namespace that decide about requests in it. */
import type { LimitRange, ResourceQuota } from '../catalog/generated/types/core.v1.ts'

/** The phase of a namespace. */
export type NamespacePhase = 'Active' | 'Terminating'

/** The phase and the labels of a namespace. */
export interface NamespaceFacts {
  readonly phase: NamespacePhase
  /** The labels without `kubernetes.io/metadata.name`, which all namespaces have; absent if there are no others. */
  readonly labels?: Readonly<Record<string, string>>
}

/** The objects that limit the resources of a namespace. */
export interface NamespaceLimits {
  readonly limitRanges?: readonly LimitRange[]
  /** The ResourceQuotas without their status, which changes with every write. */
  readonly quotas?: readonly Pick<ResourceQuota, 'metadata' | 'spec'>[]
}

/** The result of the lookup `namespace`. */
export interface NamespaceResult extends NamespaceFacts {
  /** Absent if the namespace has neither LimitRanges nor ResourceQuotas. */
  readonly limits?: NamespaceLimits
}

/** The label of every namespace with its name. */
export const nameLabel = 'kubernetes.io/metadata.name'

/** Returns all labels of a namespace. */
export const labelsOfNamespace = (name: string, { labels = {} }: NamespaceFacts): Readonly<Record<string, string>> => ({
  [nameLabel]: name,
  ...labels,
})
