/** What the verbs of a collection's Durable Object work with. */
import type { RbacPolicy } from '../auth/rbac/policy.ts'
import type { Kind } from '../catalog/kind.ts'
import type { LookupResults } from '../meta/lookups.ts'
import type { Store } from '../storage/store.ts'
import type { NameGenerator } from './name-generator.ts'
import type { OwnerSubscriptions } from './owners.ts'
import type { WatchTallies } from './watch-tallies.ts'

/** The surroundings of the verbs in one Durable Object. */
export interface Registry {
  readonly store: Store
  /** The kind of a resource in a version; undefined where there is none. */
  readonly kindOf: (group: string, version: string, resource: string) => Kind | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** When the request's time is over, in milliseconds since the epoch; absent where nobody waits. */
  readonly deadline?: number
  /** Where new objects get their identities. */
  readonly names: NameGenerator
  /** Notes work for another object, in the same commit as the write that causes it. */
  readonly outbox: (entry: string) => void
  /** Counts what watches are sent; absent where nobody asks. */
  readonly watchTallies?: WatchTallies
  /** Knows the collections of owners. */
  readonly owners: OwnerSubscriptions
  /** `10.0.0.0/16`: from which Services get their addresses. */
  readonly serviceCidr: string
  /** The results of the operation's lookups. Absent for the server's own writes, which do not run again. */
  readonly lookups?: LookupResults
  /** The cluster's roles and bindings as they are now; absent in objects that do not hold them. */
  readonly rbac?: () => RbacPolicy
}

/** What a verb answers: the whole object (or Status) as JSON. */
export interface WriteResult {
  readonly code: 200 | 201 | 202
  readonly text: string
  readonly warnings?: readonly string[]
}
