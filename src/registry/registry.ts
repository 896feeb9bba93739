/** The dependencies of the verbs in a collection's Durable Object. */
import type { Kind } from '../catalog/kind.ts'
import type { LookupResults } from '../meta/lookups.ts'
import type { CollectionServices } from './hooks.ts'
import type { NameGenerator } from './name-generator.ts'
import type { OwnerSubscriptions } from './owners.ts'
import type { WatchTallies } from './watch-tallies.ts'

/** The dependencies of the verbs in one Durable Object. */
export interface Registry extends CollectionServices {
  /** The kind of a resource in a version; undefined if there is no such kind. */
  readonly kindOf: (group: string, version: string, resource: string) => Kind | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** When the request's time is over, in milliseconds since the epoch; absent if no client waits. */
  readonly deadline?: number
  /** Draws names and uids for new objects. */
  readonly names: NameGenerator
  /** Counts the events that watches are sent; absent if nobody asks for the numbers. */
  readonly watchTallies?: WatchTallies
  /** Knows the collections of owners. */
  readonly owners: OwnerSubscriptions
  /** The results of the operation's lookups. Absent for the server's own writes, which do not run again. */
  readonly lookups?: LookupResults
}

/** The result of a verb: the whole object (or Status) as JSON. */
export interface WriteResult {
  readonly code: 200 | 201 | 202
  readonly text: string
  readonly warnings?: readonly string[]
}
