/** The messages between the control object, which stores the quotas, and the collections, whose objects use them. */
import type { QuotaRequest } from '../../registry/admission/quota/check.ts'
import type { ResourceList } from '../../registry/admission/quota/resource-list.ts'
import type { ScopedSpec } from '../../registry/admission/quota/scopes.ts'
import type { QuotaAnswer } from '../../registry/quota-reservations.ts'

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

/** The control object, as the collections call it. */
export interface QuotaControl {
  reserve(message: ReserveMessage): Promise<ReserveAnswer>
  /** Gives a reservation back that no commit has used. */
  release(reservation: number): Promise<void>
  /** Counts the use of ranges again. Resolves when the status of their quotas is durable. */
  recount(ranges: readonly string[]): Promise<LimitedRanges>
}

/** Returns the range of the key's collection and namespace. */
export const rangeOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

/** Returns the collection of a range. */
export const collectionOf = (range: string): string => range.slice(0, range.indexOf('/'))

/** Returns the namespace of a range. */
export const namespaceOf = (range: string): string => range.slice(range.indexOf('/') + 1, -1)
