/** The Durable Object in which tests run a store. */
import { DurableObject } from 'cloudflare:workers'
import type { Environment } from '../../src/config/environment.ts'
import { Collection as CollectionObject } from '../../src/durable-objects/collection.ts'
import { Control as ControlObject } from '../../src/durable-objects/control.ts'
import { Database } from '../../src/storage/database.ts'
import { SqliteStore, type SqliteStoreOptions } from '../../src/storage/sqlite-store.ts'

/** There is no Worker with lookups for the writes of controllers. */
const noClients = (): never => {
  throw new Error('no policies or webhooks')
}

export class Collection extends CollectionObject {
  constructor(state: DurableObjectState, environment: Environment) {
    super(state, environment, noClients)
  }
}

export class Control extends ControlObject {
  constructor(state: DurableObjectState, environment: Environment) {
    super(state, environment, noClients)
  }
}

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
