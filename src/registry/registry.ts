/** What the verbs of a collection's Durable Object work with. */
import type { Kind } from '../catalog/kind.ts'
import type { Store } from '../storage/store.ts'

/** The surroundings of the verbs in one Durable Object. */
export interface Registry {
  readonly store: Store
  /** The kind of a resource in a version; undefined where there is none. */
  readonly kindOf: (group: string, version: string, resource: string) => Kind | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** What continue tokens are signed with. */
  readonly continueSecret: string
  /** `10.0.0.0/16`: from which Services get their addresses. */
  readonly serviceCidr: string
}

/** What a verb answers: the whole object (or Status) as JSON. */
export interface Answer {
  readonly code: 200 | 201
  readonly text: string
  readonly warnings?: readonly string[]
}
