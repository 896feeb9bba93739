/** The messages between Durable Objects about owners and dependents. Every message may arrive late and twice. */
import type { DeletionPhase } from '../storage/owner-statements.ts'
import { nameInCluster, type Placement, placementNamed } from './placement.ts'

/** A lookup of an owner by uid and by the key that it must have. */
export interface OwnerLookup {
  readonly uid: string
  readonly key: string
}

/** The state of an owner. */
export interface OwnerAnswer {
  readonly state: 'solid' | 'gone' | 'foreground'
  /** Set if an object with this uid exists in another namespace than its dependent's. */
  readonly elsewhere?: true
}

/** Whether an owner has dependents. */
export interface DependenceAnswer {
  readonly some: boolean
  /** Whether a dependent itself waits until its own dependents are gone. */
  readonly foreground: boolean
}

/** A message about owners. Places are texts of placeText. */
export type OwnerMessage =
  /** Subscribes a place, which is about to hold dependents of these collections, to their deletions. */
  | { readonly do: 'introduce'; readonly place: string; readonly prefixes: readonly string[] }
  /** Queries the state of owners. Answered by an OwnerAnswer for each. */
  | { readonly do: 'ask'; readonly place: string; readonly owners: readonly OwnerLookup[] }
  /** Reports owners that are gone or wait for their dependents. Answered by the uids without dependents. */
  | { readonly do: 'tell'; readonly place: string; readonly phase: DeletionPhase; readonly uids: readonly string[] }
  /** Reports that a place has processed the dependents of an owner. */
  | { readonly do: 'done'; readonly place: string; readonly phase: DeletionPhase; readonly uid: string }
  /** Counts dependents. Answered by a DependenceAnswer for each. */
  | { readonly do: 'count'; readonly uids: readonly string[] }

/** The answers, by the message's `do`. */
export interface OwnerAnswers {
  readonly introduce: null
  readonly ask: readonly OwnerAnswer[]
  readonly tell: readonly string[]
  readonly done: null
  readonly count: readonly DependenceAnswer[]
}

/** Returns a placement as text. */
export function placeText({ class: className, name }: Placement): string {
  return `${className} ${name}`
}

/** Returns the placement of a text in a cluster: the cluster that a stored or received text names has no meaning. */
export function placementOfText(cluster: string, text: string): Placement {
  return placementNamed(nameInCluster(cluster, text.slice(text.indexOf(' ') + 1)))
}
