/**
 * The SQLite database of a Durable Object. Its tables are made by the first write: a collection that is only read stores nothing,
 * and so costs nothing.
 */
import { endHistoryAt } from './compaction.ts'
import { migrate, requireReadable } from './migrations.ts'
import { hasTable, selectMeta, upsertMeta } from './statements.ts'

/** The name under which the tables record whose data they hold. */
const nameKey = 'name'

/** A cursor without rows. */
const noRows = { toArray: () => [], raw: () => [], rowsRead: 0, rowsWritten: 0 } as unknown as SqlStorageCursor<never>

const isInsert = (statement: string): boolean => statement.trimStart().startsWith('INSERT')

/**
 * The database of one Durable Object.
 * @example
 * const database = new Database(ctx.storage, ctx.id.name)
 * database.sql.exec('SELECT rv FROM current WHERE key = ?1', 'pods/default/web').toArray() // [] as long as nothing was written
 */
export class Database {
  readonly #storage: DurableObjectStorage
  readonly #givenName: string | undefined
  #hasTables = false
  readonly #empty: SqlStorage

  /**
   * @param name of the Durable Object; undefined if it was opened by its ID
   * @throws Error if the database was written by a release that this one cannot follow
   */
  constructor(storage: DurableObjectStorage, name?: string) {
    this.#storage = storage
    this.#givenName = name
    this.#empty = this.#standIn()
    this.open()
  }

  /** Executes statements. Without tables, a query selects nothing, and the first INSERT makes the tables. */
  get sql(): SqlStorage {
    return this.#hasTables ? this.#storage.sql : this.#empty
  }

  /** Whether anything was ever written. */
  get hasTables(): boolean {
    return this.#hasTables
  }

  /**
   * The name of the Durable Object. One that is opened by its ID, as tools for data do, has the name that it had at the first
   * write; undefined if nothing was ever written.
   */
  get name(): string | undefined {
    return this.#givenName ?? selectMeta(this.sql, nameKey)
  }

  /** Looks for the tables, and brings them to the schema of this release. Call it again when a transaction was rolled back. */
  open(): void {
    const { sql } = this.#storage
    this.#hasTables = hasTable(sql, 'meta')
    if (!this.#hasTables) return
    requireReadable(sql)
    this.#storage.transactionSync(() => this.#migrate())
  }

  /** Makes the tables before the first write. */
  makeTables(): void {
    if (this.#hasTables) return
    this.#storage.transactionSync(() => this.#migrate())
    this.#hasTables = true
  }

  /**
   * Ends the history before a version, which becomes that of the last write.
   * @param at the time of that version, in milliseconds since the epoch
   */
  endHistory(resourceVersion: number, at = Date.now()): void {
    endHistoryAt(this.sql, resourceVersion, at)
  }

  #migrate(): void {
    const { sql } = this.#storage
    migrate(sql)
    const name = this.#givenName
    if (name !== undefined && selectMeta(sql, nameKey) === undefined) upsertMeta(sql, nameKey, name)
  }

  /** Returns the interface of a database without tables. */
  #standIn(): SqlStorage {
    const exec: SqlStorage['exec'] = (statement, ...bindings) => {
      if (!isInsert(statement)) return noRows
      this.#migrate()
      this.#hasTables = true
      return this.#storage.sql.exec(statement, ...bindings)
    }
    return { exec } as SqlStorage
  }
}
