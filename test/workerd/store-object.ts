/** The Durable Object in which tests run a store. */
import { DurableObject } from 'cloudflare:workers'
import { Collection } from '../../src/durable-objects/collection.ts'
import { Control } from '../../src/durable-objects/control.ts'
import { Database } from '../../src/storage/database.ts'
import { SqliteStore, type SqliteStoreOptions } from '../../src/storage/sqlite-store.ts'

export { Collection, Control }

export class StoreObject extends DurableObject {
  #store: SqliteStore | undefined
  #database: Database | undefined

  get database(): Database {
    this.#database ??= new Database(this.ctx.storage)
    return this.#database
  }

  /** Returns the store of this object, which the first call opens with its options. */
  open(options: SqliteStoreOptions): SqliteStore {
    this.#store ??= new SqliteStore(this.ctx, options, this.database)
    return this.#store
  }
}

export default { fetch: (): Response => new Response('only for tests', { status: 404 }) }
