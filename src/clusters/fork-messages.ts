/** The messages about forks between the control objects of two clusters, and between the objects of both. */

import type { ClusterPlacement } from './placement.ts'
import type { RegisteredCollection } from './registration-messages.ts'

/** A fork that is to be made. */
export interface NewFork {
  /** The uid of the fork's Cluster object. */
  readonly uid: string
  readonly cluster: string
  /** The moment, in milliseconds since the epoch; absent for the present. */
  readonly time?: number
}

/** A moment of another cluster. */
export interface Fork {
  /** The cluster of which this is a fork. */
  readonly parent: string
  /** The uid of the fork's Cluster object. */
  readonly uid: string
  /** The moment, in milliseconds since the epoch. */
  readonly time: number
  readonly placement: ClusterPlacement
  /** The objects at the moment, as far as the parent's control object knows; absent in the answer of an earlier release. */
  readonly objects?: number
  /** The jurisdiction of the parent; absent for that of the deployment. */
  readonly jurisdiction?: string
  /** The collections that may hold objects, besides those of the control object. */
  readonly collections: readonly RegisteredCollection[]
}

/** A fork that reads its parent. */
export interface ForkIdentity {
  /** The uid of the fork's Cluster object. */
  readonly uid: string
  readonly cluster: string
}

/** The part of the parent's history that a fork still needs. */
export interface ForkProgress {
  /** The uid of the fork's Cluster object. */
  readonly uid: string
  /** The prefixes of the collections that are still to be copied. */
  readonly remaining: readonly string[]
}

/** How long the history of a collection has to reach back. */
export interface KeptHistory extends ChangedHistory {
  /** Milliseconds since the epoch. */
  readonly from: number
  /** Whether a fork needs it now. Control objects of earlier releases do not tell, nor would they tell of a later fork. */
  readonly isHeld?: boolean
}

/** How much history the cluster wishes. */
export interface ChangedHistory {
  /** Absent for the setting of the deployment. */
  readonly historySeconds?: number
}

/** The state of collections at a moment, besides their objects. */
export interface PastState {
  readonly version: number
  /** The places that hold dependents of its objects, by collection. */
  readonly dependentPlaces: readonly { readonly prefix: string; readonly place: string }[]
  /** The former storage versions of its custom resources; `key` is of no meaning. */
  readonly storageVersions?: { readonly key: string; readonly value: unknown }
}

/** An object at a moment: a line of pastObjects. */
export interface PastObject {
  readonly key: string
  readonly version: number
  /** When it was written, in milliseconds since the epoch. */
  readonly at: number
  readonly labels: string
  readonly value: string
}

/**
 * The header of requests between objects, and of their responses, with the time of the sender: whatever the receiver writes then
 * gets this time or a later one.
 */
export const causeHeader = 'edgeplane-cause'

/** The clock of an object. */
export interface CauseClock {
  /** Milliseconds since the epoch. */
  readonly time: number
  notBefore(at: number): void
}

/** Returns the time in a header; undefined without one. */
function causeIn({ headers }: Request | Response): number | undefined {
  const text = headers.get(causeHeader)
  return text === null ? undefined : Number(text)
}

/** Makes a clock go on from the time of a request or response. @returns whether it had one */
export function learnCause(clock: CauseClock, message: Request | Response): boolean {
  const cause = causeIn(message)
  if (cause === undefined) return false
  clock.notBefore(cause)
  return true
}

/** Returns the response with the time of the clock. */
export function withCause(clock: CauseClock, response: Response): Response {
  if (response.status === 101) return response
  const answer = new Response(response.body, response)
  answer.headers.set(causeHeader, String(clock.time))
  return answer
}
