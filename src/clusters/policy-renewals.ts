/** The values that the policy cache remembers between requests. */
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Parts, PolicySnapshot } from './policy-snapshot.ts'

export interface Cached {
  readonly parts: Parts
  readonly snapshot: PolicySnapshot
  /** The time at which it was asked for. */
  readonly at: number
  /** The time at which the request was sent that was answered last; the same or earlier. */
  readonly requestedAt: number
  /** The number of the renewal that brought it. */
  readonly number: number
  readonly isSettled: boolean
}

export interface Renewal {
  readonly number: number
  readonly loaded: Promise<Loaded>
}

/** A ServiceAccount, as far as its tokens depend on it: its uid and its deletionTimestamp. */
export type AccountFacts = Pick<KubernetesObject, 'metadata'>

/** The control object's response to one request. */
export interface Loaded {
  readonly snapshot: PolicySnapshot
  /** Null if the account does not exist; 'unknown' if it was not asked for, or by another release. */
  readonly account: AccountFacts | null | 'unknown'
}
