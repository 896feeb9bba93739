/** The contract of every Store implementation. Each has a test file that runs it. */
import { describe } from 'vitest'
import type { Store } from '../../src/storage/store.ts'
import { describeListing } from './store-listing.ts'
import { describeWatching } from './store-watching.ts'
import { describeWriting } from './store-writing.ts'

/** The options of the store under test; a suite uses only these. */
export interface ContractOptions {
  readonly historySeconds: number
  readonly historyEvents: number
  readonly now: () => number
  readonly watch: {
    readonly heartbeatMilliseconds?: number
    readonly firstHeartbeatMilliseconds?: number
    readonly lastBookmarkMilliseconds?: number
    readonly crowdThreshold?: number
    readonly totalBacklogBytes?: number
    readonly bookmarkMilliseconds?: number
    readonly backlogBytes?: number
    readonly stallMilliseconds?: number
  }
}

/** A store that can be restarted. */
export interface ContractHandle {
  run<T>(body: (store: Store) => T | Promise<T>): Promise<T>
  /** Drops everything that is only in memory. */
  evict(): Promise<void>
}

/** Creates an empty store. */
export type MakeStore = (options?: Partial<ContractOptions>) => ContractHandle

/** Defines the whole suite. */
export function describeStore(name: string, make: MakeStore): void {
  describe(name, () => {
    describeWriting(make)
    describeListing(make)
    describeWatching(make)
  })
}
