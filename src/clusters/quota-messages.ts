/** The messages between the control object, which stores the quotas, and the collections, whose objects use them. */
import type { ResourceQuotaSpec } from '../catalog/generated/types/core.v1.ts'

/** Quantities by the name of the resource. */
export type ResourceList = Readonly<Record<string, string>>

/** The facts about one object on which quotas depend. JSON. */
export interface QuotaFacts {
  readonly usage: ResourceList
  /**
   * The scopes that exist for the kind. A boolean tells whether the object is in the scope; texts are the values that a selector of
   * the scope is matched against.
   */
  readonly scopes?: Readonly<Record<string, boolean | readonly string[]>>
  /** The names of the containers that do not specify a resource, by resource. */
  readonly unspecified?: Readonly<Record<string, readonly string[]>>
}

/** A write whose use of resources is checked and charged. JSON. */
export interface QuotaRequest {
  /** The prefix of the collection's keys: `<resource>[.<group>]`. */
  readonly collection: string
  readonly namespace: string
  readonly subresource: string
  readonly facts: QuotaFacts
  /** The facts about the old object; absent for a CREATE. */
  readonly old?: QuotaFacts
}

/** A refusal: the 403 error of the plugin, or an error without a reason, as kube-apiserver returns it. */
export interface QuotaRefusal {
  readonly kind: 'forbidden' | 'error'
  readonly why: string
}

/** The answer of the quotas to a write. */
export interface QuotaAnswer {
  /** Set if a quota does not allow the write. */
  readonly refusal?: QuotaRefusal
  /** Identifies the reservation; absent if nothing was reserved. */
  readonly reservation?: number
}

/** Asks for a reservation. */
export interface ReserveMessage {
  readonly request: QuotaRequest
  readonly dryRun: boolean
}

/** Tells which ranges of keys quotas limit. A range is `<resource>[.<group>]/<namespace>/`. */
export interface LimitedRanges {
  readonly limited: readonly string[]
  /** The version of the control object at which this is true. */
  readonly revision: number
}

/** Answers a ReserveMessage; `limited` contains the range of the request if a quota limits it. */
export interface ReserveAnswer extends QuotaAnswer, LimitedRanges {}

/** The fields of a quota's spec that select objects. */
export type ScopedSpec = Pick<ResourceQuotaSpec, 'scopes' | 'scopeSelector'>

/** A quota whose use is counted. */
export interface CountedQuota extends ScopedSpec {
  readonly name: string
  /** The names of the resources to count. */
  readonly resources: readonly string[]
}

/** Asks a collection for the use of its objects, and for the reservations that its commits have used. */
export interface UsageQuestion {
  /** `<resource>[.<group>]`; absent in questions of earlier releases. */
  readonly collection?: string
  /** The quotas by the ranges of keys that they limit. */
  readonly ranges: Readonly<Record<string, readonly CountedQuota[]>>
  /** The reservations of the collection that are not known to be used. */
  readonly outstanding: readonly number[]
  /** Reservations that must not be used any more, unless they were already. */
  readonly voided: readonly number[]
  /** The version of the control object: all later reservations have larger numbers. */
  readonly revision: number
}

/** The use at one moment. */
export interface UsageAnswer {
  /** The use by range and name of the quota. */
  readonly usage: Readonly<Record<string, Readonly<Record<string, ResourceList>>>>
  /** The reservations whose objects are included. */
  readonly used: readonly number[]
}
