/** The store in a Durable Object's SQLite database. */
import { LruCache } from '../meta/lru-cache.ts'
import { memoryBudget } from '../meta/memory-budget.ts'
import { GroupCommit } from './commit.ts'
import {
  type CompactionState,
  compactStep,
  countChanges,
  type HistoryBounds,
  type HistoryChanges,
  type HistorySpan,
  readChanges,
  readCompactedResourceVersion,
} from './compaction.ts'
import {
  countAfter,
  readHeads,
  readJoined,
  readJoinedPage,
  readObjectAt,
  readObjects,
  readPage,
  readValues,
  readVersions,
} from './current.ts'
import { Database } from './database.ts'
import { readLog } from './log.ts'
import { insertObjects, selectChangeUpTo, selectLastResourceVersion } from './log-statements.ts'
import { selectObject } from './statements.ts'
import type {
  Feed,
  FeedRequest,
  HeadPage,
  JoinedPage,
  JoinedValues,
  Page,
  PageRequest,
  Store,
  Stored,
  StoreEvent,
  Transaction,
  VersionPage,
  WatchRequest,
  WatchSink,
} from './store.ts'
import { versionAt } from './times.ts'
import { WatchHub } from './watch-hub.ts'
import { DEFAULT_WATCH_OPTIONS, type WatchOptions } from './watcher.ts'

/** The version of a store before its first write. */
const FIRST_RESOURCE_VERSION = 1

/** The size of the object cache, in characters. */
const cachedCharacters = 2 * 1024 * 1024

/** The memory that an entry takes besides its texts, in characters. */
const overheadCharacters = 300

const sizeInCache = (_key: string, { key, value, labels }: Stored): number =>
  key.length + value.length + labels.length + overheadCharacters

/** The options of a store. It reads the bounds of the history whenever it needs them. */
export interface SqliteStoreOptions extends HistoryBounds {
  /** Returns the time in milliseconds since the epoch. */
  readonly now?: () => number
  readonly watch?: Partial<WatchOptions>
  /** Called within the commit for every change: its database writes are part of the commit. It must not throw. */
  readonly changed?: (event: StoreEvent) => void
  /**
   * The version of the store before its first write; 1 if absent. Must never change for the same Durable Object. Collections with
   * different first versions have different versions, so that a client cannot use the version of one for another.
   */
  readonly firstResourceVersion?: number
  /** Called when keys have changed, in the same turn as their commit. Without keys, anything may have changed. */
  readonly applied?: (keys: readonly string[]) => void
}

/**
 * A Store over `ctx.storage`. Create one per Durable Object only.
 * @example
 * const store = new SqliteStore(ctx, { historySeconds: 300, historyEvents: 1_000 })
 * await store.write((transaction) => {
 *   const resourceVersion = transaction.nextResourceVersion()
 *   transaction.put({ key: 'pods/default/web', resourceVersion, labels: '', value: encode(pod, resourceVersion) })
 * })
 * store.get('pods/default/web')
 */
export class SqliteStore implements Store {
  readonly #storage: DurableObjectStorage
  readonly #database: Database
  readonly #options: SqliteStoreOptions
  readonly #now: () => number
  readonly #commit: GroupCommit
  readonly #hub: WatchHub
  readonly #listeners = new Set<() => void>()
  readonly #cache = new LruCache<string, Stored>(cachedCharacters, sizeInCache, memoryBudget)
  #resourceVersion: number
  #compacted: number
  #changes: HistoryChanges

  constructor(
    { storage }: Pick<DurableObjectState, 'storage'>,
    options: SqliteStoreOptions,
    database: Database = new Database(storage),
  ) {
    this.#storage = storage
    this.#database = database
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#compacted = readCompactedResourceVersion(database.sql)
    this.#resourceVersion = this.#readResourceVersion()
    this.#changes = readChanges(database.sql, this.#history)
    const store = this
    this.#hub = new WatchHub(
      {
        get compactedResourceVersion() {
          return store.#compacted
        },
        readLog: (selection, after, last) => readLog(database.sql, selection, after, last),
        now: this.#now,
      },
      { ...DEFAULT_WATCH_OPTIONS, ...options.watch },
      this.#resourceVersion,
    )
    this.#commit = new GroupCommit(storage, database, this.#commitHost(), this.#resourceVersion)
    this.#commit.notBefore(selectChangeUpTo(database.sql, this.#resourceVersion)?.at ?? 0)
  }

  get resourceVersion(): number {
    return this.#resourceVersion
  }

  get compactedResourceVersion(): number {
    return this.#compacted
  }

  /** The input of nextCompaction, which tells when to set the alarm that calls `compact`. */
  get compactionState(): CompactionState {
    const { historySeconds, historyEvents } = this.#options
    return { ...this.#changes, historySeconds, historyEvents }
  }

  /** The number of open watches. */
  get watchers(): number {
    return this.#hub.size
  }

  get(key: string): Stored | undefined {
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached
    const found = selectObject(this.#database.sql, key)
    if (found !== undefined) this.#cache.set(key, found)
    return found
  }

  /** Returns the object of a key if it is in memory and durable. Does not read the storage. */
  getFromMemory(key: string): Stored | undefined {
    const cached = this.#cache.get(key)
    return cached !== undefined && cached.resourceVersion <= this.#hub.durableResourceVersion ? cached : undefined
  }

  /**
   * Returns the object that a key had at a version.
   * @throws ApiError 410 Expired if history does not reach the version
   */
  getAt(key: string, resourceVersion: number): Stored | undefined {
    return readObjectAt(this.#database.sql, this, key, resourceVersion)
  }

  /**
   * Returns the version at a time, after which no change gets an earlier or the same time any more.
   * @param at milliseconds since the epoch
   * @throws ApiError 410 Expired if history does not reach the time
   */
  versionAt(at: number): number {
    const found = versionAt(this.#database.sql, this, at)
    this.#commit.notBefore(at + 1)
    return Math.max(found, this.#options.firstResourceVersion ?? FIRST_RESOURCE_VERSION)
  }

  /** The time of the last change, or a later one that was seen: milliseconds since the epoch. Changes get no earlier time. */
  get time(): number {
    return this.#commit.time
  }

  /** Makes all further changes get this time or a later one, because they may be caused by what happened then. */
  notBefore(at: number): void {
    this.#commit.notBefore(at)
  }

  /** Reads the state again after rows were written past this store. */
  reopen(): void {
    this.#lose()
    this.#commit.continueAfter(this.#resourceVersion)
  }

  list(request: PageRequest): Page {
    return readPage(this.#database.sql, this, request)
  }

  listJoined(request: PageRequest, beginning = '{'): JoinedPage {
    return readJoinedPage(this.#database.sql, this, request, beginning)
  }

  listHeads(request: PageRequest): HeadPage {
    return readHeads(this.#database.sql, this, request)
  }

  objectsOf(resourceVersions: readonly number[]): readonly Stored[] {
    return readObjects(this.#database.sql, resourceVersions)
  }

  joinedOf(resourceVersions: readonly number[], beginning: string): Uint8Array {
    return readJoined(this.#database.sql, resourceVersions, beginning)
  }

  listVersions(request: PageRequest): VersionPage {
    return readVersions(this.#database.sql, this, request)
  }

  valuesOf(resourceVersions: readonly number[], bytes?: number): Iterable<JoinedValues> {
    return readValues(this.#database.sql, resourceVersions, bytes)
  }

  countAfter(prefix: string, after: string, resourceVersion: number): number {
    return countAfter(this.#database.sql, this, { prefix, after, resourceVersion })
  }

  onDurable(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  write<T>(operation: (transaction: Transaction) => T): Promise<T> {
    return this.#commit.write(operation)
  }

  /**
   * Fills an empty store that nobody has read or watched yet. Nothing is notified of the objects.
   * @param objects a list of `[version, key, labels, value]` in JSON, sorted by version, each key once
   */
  fill(objects: string): void {
    this.#database.makeTables()
    insertObjects(this.#database.sql, objects, this.#now())
    this.#readAgain()
    this.#commit.continueAfter(this.#resourceVersion)
  }

  watch(request: WatchRequest): ReadableStream<Uint8Array> {
    return this.#hub.watch({ ...request, resourceVersion: this.#readFrom(request.resourceVersion) })
  }

  feed(request: FeedRequest, sink: WatchSink): Feed {
    return this.#hub.feed({ ...request, resourceVersion: this.#readFrom(request.resourceVersion) }, sink)
  }

  /** Ends all watches of keys with the prefix, for example because their resource is no longer served. */
  closeWatches(prefix: string): void {
    this.#hub.closeAll(prefix)
  }

  compact(now: number, keptFrom = Number.POSITIVE_INFINITY): boolean {
    if (!this.#database.hasTables) return false
    const step = compactStep(this.#storage, this.#options, this.#compacted, { now, keptFrom })
    this.#compacted = step.compactedResourceVersion
    const { sql } = this.#database
    this.#changes = step.more ? readChanges(sql, this.#history) : countChanges(sql, this.#options, this.#history)
    return step.more
  }

  /** No change precedes the first version, so the log is not searched below it, which may skip a hundred million versions. */
  #readFrom(resourceVersion: number): number {
    if (resourceVersion < this.#compacted) return resourceVersion
    return Math.max(resourceVersion, this.#options.firstResourceVersion ?? FIRST_RESOURCE_VERSION)
  }

  /** The versions between the compacted one, or the first one of the store, and the last write. */
  get #history(): HistorySpan {
    const first = this.#options.firstResourceVersion ?? FIRST_RESOURCE_VERSION
    return { after: Math.max(this.#compacted, first), through: this.#resourceVersion }
  }

  #readResourceVersion(): number {
    // The compacted version is never below a version that was deleted from the log.
    return Math.max(
      this.#options.firstResourceVersion ?? FIRST_RESOURCE_VERSION,
      selectLastResourceVersion(this.#database.sql),
      this.#compacted,
    )
  }

  #commitHost(): ConstructorParameters<typeof GroupCommit>[2] {
    return {
      get: (key) => this.get(key),
      now: this.#now,
      changed: (event) => {
        if (event.type === 'DELETED') this.#cache.delete(event.object.key)
        else this.#cache.set(event.object.key, event.object)
        this.#options.changed?.(event)
      },
      undone: () => {
        this.#cache.clear()
        this.#database.open()
      },
      ready: () => this.#hub.ready(),
      applied: (resourceVersion, events) => {
        this.#resourceVersion = resourceVersion
        this.#countChanges(events.length)
        this.#options.applied?.(events.map((event) => event.object.key))
      },
      durable: (events, waiting) => {
        this.#hub.publish(events, waiting)
        for (const listener of this.#listeners) listener()
      },
      lost: () => this.#lose(),
    }
  }

  /** Reads the state from the disk. */
  #lose(): void {
    this.#cache.clear()
    this.#database.open()
    this.#readAgain()
    this.#options.applied?.([])
  }

  #readAgain(): void {
    this.#compacted = readCompactedResourceVersion(this.#database.sql)
    this.#resourceVersion = this.#readResourceVersion()
    this.#changes = readChanges(this.#database.sql, this.#history)
    this.#hub.restart(this.#resourceVersion)
  }

  #countChanges(count: number): void {
    const { events, oldestAt } = this.#changes
    this.#changes = { events: events + count, oldestAt: oldestAt ?? this.#now() }
  }
}
