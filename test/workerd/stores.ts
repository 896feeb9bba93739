/** Stores in separate Durable Objects, for tests. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Database } from '../../src/storage/database.ts'
import type { SqliteStore, SqliteStoreOptions } from '../../src/storage/sqlite-store.ts'

/** A store and its Durable Object. */
export interface StoreHandle {
  /** Runs within the Durable Object. */
  run<T>(body: (store: SqliteStore, state: DurableObjectState, database: Database) => T | Promise<T>): Promise<T>
  /** Runs within the Durable Object without opening the store. */
  runBare<T>(body: (state: DurableObjectState) => T | Promise<T>): Promise<T>
  /** Discards the object's memory; the next `run` starts it again from its storage. */
  evict(): Promise<void>
}

/** Makes a new empty store. */
export function newStore(options: Partial<SqliteStoreOptions> = {}): StoreHandle {
  const stub = env.STORES.get(env.STORES.newUniqueId())
  const all: SqliteStoreOptions = { historySeconds: 300, historyEvents: 1000, ...options }
  return {
    run: (body) => runInDurableObject(stub, (instance, state) => body(instance.open(all), state, instance.database)),
    runBare: (body) => runInDurableObject(stub, (_, state) => body(state)),
    evict: () => evictDurableObject(stub),
  }
}
