/** The store in a Durable Object's SQLite database. */
import { LruCache } from '../meta/lru-cache.ts'
import { GroupCommit } from './commit.ts'
import {
  type CompactionState,
  compactStep,
  type HistoryBounds,
  readCompactedResourceVersion,
  readCompactionState,
} from './compaction.ts'
import { countAfter, readHeads, readJoined, readJoinedPage, readObjects, readPage, readValues, readVersions } from './current.ts'
import { readLog } from './log.ts'
import { migrate } from './migrations.ts'
import { selectLastResourceVersion, selectObject } from './statements.ts'
import type {
  HeadPage,
  JoinedPage,
  JoinedValues,
  LogBatch,
  LogSelection,
  Page,
  PageRequest,
  Store,
  Stored,
  StoreEvent,
  Transaction,
  VersionPage,
  WatchRequest,
} from './store.ts'
import { expiredError, WatchHub } from './watch-hub.ts'
import { DEFAULT_WATCH_OPTIONS, type WatchOptions } from './watcher.ts'

/** The version of a store before its first write. */
const FIRST_RESOURCE_VERSION = 1

/** The size of the object cache, in characters. */
const cachedCharacters = 2 * 1024 * 1024

/** The memory that an entry takes besides its texts, in characters. */
const overheadCharacters = 300

const sizeInCache = (_key: string, { key, value, labels }: Stored): number =>
  key.length + value.length + labels.length + overheadCharacters

/** The options of a store. */
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
  readonly #options: SqliteStoreOptions
  readonly #now: () => number
  readonly #commit: GroupCommit
  readonly #hub: WatchHub
  readonly #listeners = new Set<() => void>()
  readonly #cache = new LruCache<string, Stored>(cachedCharacters, sizeInCache)
  #resourceVersion: number
  #compacted: number
  #compaction: CompactionState

  constructor(ctx: Pick<DurableObjectState, 'storage'>, options: SqliteStoreOptions) {
    const { storage } = ctx
    this.#storage = storage
    this.#options = options
    this.#now = options.now ?? Date.now
    storage.transactionSync(() => migrate(storage.sql))
    this.#compacted = readCompactedResourceVersion(storage.sql)
    this.#resourceVersion = this.#readResourceVersion()
    this.#compaction = readCompactionState(storage.sql, options, this.#compacted)
    const store = this
    this.#hub = new WatchHub(
      {
        get compactedResourceVersion() {
          return store.#compacted
        },
        readLog: (selection, after, last) => readLog(storage.sql, selection, after, last),
        now: this.#now,
      },
      { ...DEFAULT_WATCH_OPTIONS, ...options.watch },
      this.#resourceVersion,
    )
    this.#commit = new GroupCommit(storage, this.#commitHost(), this.#resourceVersion)
  }

  get resourceVersion(): number {
    return this.#resourceVersion
  }

  get compactedResourceVersion(): number {
    return this.#compacted
  }

  /** The input of nextCompaction, which tells when to set the alarm that calls `compact`. */
  get compactionState(): CompactionState {
    return this.#compaction
  }

  /** The number of open watches. */
  get watchers(): number {
    return this.#hub.size
  }

  get(key: string): Stored | undefined {
    const cached = this.#cache.get(key)
    if (cached !== undefined) return cached
    const found = selectObject(this.#storage.sql, key)
    if (found !== undefined) this.#cache.set(key, found)
    return found
  }

  list(request: PageRequest): Page {
    return readPage(this.#storage.sql, this, request)
  }

  listJoined(request: PageRequest, beginning = '{'): JoinedPage {
    return readJoinedPage(this.#storage.sql, this, request, beginning)
  }

  listHeads(request: PageRequest): HeadPage {
    return readHeads(this.#storage.sql, this, request)
  }

  objectsOf(resourceVersions: readonly number[]): readonly Stored[] {
    return readObjects(this.#storage.sql, resourceVersions)
  }

  joinedOf(resourceVersions: readonly number[], beginning: string): Uint8Array {
    return readJoined(this.#storage.sql, resourceVersions, beginning)
  }

  listVersions(request: PageRequest): VersionPage {
    return readVersions(this.#storage.sql, this, request)
  }

  valuesOf(resourceVersions: readonly number[], bytes?: number): Iterable<JoinedValues> {
    return readValues(this.#storage.sql, resourceVersions, bytes)
  }

  countAfter(prefix: string, after: string, resourceVersion: number): number {
    return countAfter(this.#storage.sql, this, { prefix, after, resourceVersion })
  }

  changes(selection: LogSelection, after: number): LogBatch {
    if (after < this.#compacted) throw expiredError(after, this.#compacted)
    const from = this.#readFrom(after)
    return readLog(this.#storage.sql, selection, from, Math.max(from, this.#hub.durableResourceVersion))
  }

  onDurable(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  write<T>(operation: (transaction: Transaction) => T): Promise<T> {
    return this.#commit.write(operation)
  }

  watch(request: WatchRequest): ReadableStream<Uint8Array> {
    return this.#hub.watch({ ...request, resourceVersion: this.#readFrom(request.resourceVersion) })
  }

  /** Ends all watches of keys with the prefix, for example because their resource is no longer served. */
  closeWatches(prefix: string): void {
    this.#hub.closeAll(prefix)
  }

  compact(now: number): boolean {
    const step = compactStep(this.#storage, this.#options, this.#compacted, now)
    if (step.compactedResourceVersion !== this.#compacted) {
      this.#compacted = step.compactedResourceVersion
      this.#compaction = readCompactionState(this.#storage.sql, this.#options, this.#compacted)
    }
    return step.more
  }

  /** No change precedes the first version, so the log is not searched below it, which may skip a hundred million versions. */
  #readFrom(resourceVersion: number): number {
    if (resourceVersion < this.#compacted) return resourceVersion
    return Math.max(resourceVersion, this.#options.firstResourceVersion ?? FIRST_RESOURCE_VERSION)
  }

  #readResourceVersion(): number {
    // The compacted version is never below a version that was deleted from the log.
    return Math.max(
      this.#options.firstResourceVersion ?? FIRST_RESOURCE_VERSION,
      selectLastResourceVersion(this.#storage.sql),
      this.#compacted,
    )
  }

  #commitHost(): ConstructorParameters<typeof GroupCommit>[1] {
    return {
      get: (key) => this.get(key),
      now: this.#now,
      changed: (event) => {
        if (event.type === 'DELETED') this.#cache.delete(event.object.key)
        else this.#cache.set(event.object.key, event.object)
        this.#options.changed?.(event)
      },
      undone: () => this.#cache.clear(),
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
      lost: () => {
        this.#cache.clear()
        this.#compaction = readCompactionState(this.#storage.sql, this.#options, this.#compacted)
        this.#resourceVersion = this.#readResourceVersion()
        this.#options.applied?.([])
        this.#hub.restart(this.#resourceVersion)
      },
    }
  }

  #countChanges(count: number): void {
    const { events, historyEvents, oldestAt } = this.#compaction
    this.#compaction = {
      ...this.#compaction,
      events: Math.min(events + count, historyEvents + 1),
      oldestAt: oldestAt ?? this.#now(),
    }
  }
}
