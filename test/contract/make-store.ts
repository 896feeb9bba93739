/** The making of the stores that the contract is run against. */
import type { Store } from '../../src/storage/store.ts'

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
