/**
 * What the registry asks of a store: one sequence of versions over keys, with history.
 *
 * Keys are `<resource>[.<group>]/<namespace>/<name>`, or `<resource>[.<group>]/<name>` for cluster-scoped ones;
 * lists and watches are over a prefix of them that ends in `/`, in the order of their bytes.
 * A value is the object's JSON in its storage version without apiVersion and kind, with its resourceVersion in it.
 */

/** A version of an object. */
export interface Stored {
  readonly key: string
  readonly resourceVersion: number
  readonly value: string
  /** The labels as JSON, '' where there are none: selection needs no more than these. */
  readonly labels: string
  /** The resourceVersion under which the value was written, where the object is shown under a later one. */
  readonly writtenAt?: number
}

/**
 * What one operation of a group commit may do. Reads see all operations before it, also of the same commit.
 * Nothing of an operation that throws is kept.
 */
export interface Transaction {
  get(key: string): Stored | undefined
  /** Takes the next resourceVersion, to be written into the value that `put` or `remove` gets. */
  nextResourceVersion(): number
  /** Creates or replaces. `stored.resourceVersion` comes from nextResourceVersion. */
  put(stored: Stored): void
  /** Deletes. `stored` is the last state, as the DELETED event shows it, under the deletion's own resourceVersion. */
  remove(stored: Stored): void
  /** Runs when this commit is durable, before its events go out and its operations are answered. */
  afterCommit(run: () => void): void
}

/** Which part of a collection, and as of which version. */
export interface PageRequest {
  readonly prefix: string
  /** Keys up to and including this one are left out: where the page before ended. */
  readonly after?: string
  readonly limit: number
  /** The list as it was at this version. Throws expired when history no longer reaches it. */
  readonly resourceVersion: number
  /** Only objects that bear these marks. Absent: all. */
  readonly indexHints?: IndexHints | undefined
}

/**
 * What the store can tell of an object without reading it. Who selects by more looks at the objects that are left:
 * marks are a first sieve.
 */
export interface IndexHints {
  /** Texts that the labels' JSON holds, all of them; of more than three the first three are looked at. */
  readonly labels: readonly string[]
  /** How the key ends; '' for any. */
  readonly keyEnd: string
}

/**
 * Up to `limit` objects in the order of keys' bytes. A page may end before `limit`, where its values pass a bound of about
 * 2 MB or 2,000 objects: only `more` tells whether the list goes on, behind the page's last key.
 */
export interface Page {
  readonly items: readonly Stored[]
  /** Whether more keys follow. */
  readonly more: boolean
}

/** An object without its value, and how many bytes that has. */
export interface Head extends Omit<Stored, 'value' | 'writtenAt'> {
  readonly bytes: number
}

/** Up to `limit` objects without their values. */
export interface HeadPage {
  readonly items: readonly Head[]
  /** Whether more keys follow. */
  readonly more: boolean
}

/** The versions of a page's objects, for those who know them by their versions and need no values. */
export interface VersionPage {
  readonly resourceVersions: readonly number[]
  /** Of all their values, with a comma each. */
  readonly bytes: number
  /** '' where there are none. */
  readonly lastKey: string
  /** Whether more keys follow. */
  readonly more: boolean
}

/** Values as one text in UTF-8, joined with commas. */
export interface JoinedValues {
  readonly bytes: Uint8Array
  readonly count: number
}

/**
 * The same page as a Page, with its values as one text in UTF-8, joined with commas: a list goes out without being parsed.
 * Without objects `lastKey` is ''.
 */
export interface JoinedPage {
  readonly bytes: Uint8Array
  readonly count: number
  readonly lastKey: string
  readonly more: boolean
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** A change of one key. */
export interface StoreEvent {
  readonly type: EventType
  /** The new state; for DELETED the last state under the deletion's resourceVersion. */
  readonly object: Stored
  /** The state before, absent for ADDED. */
  readonly previous: Stored | undefined
}

/** Which events to read: of a prefix, or of one key alone. */
export interface LogSelection {
  readonly prefix: string
  readonly key?: string
}

/** Events in their order. All of the selection up to and including version `through` are among them. */
export interface LogBatch {
  readonly events: readonly StoreEvent[]
  readonly through: number
}

/**
 * How events are written for the watchers of one representation. The same `name` must mean the same bytes. What an encoder
 * gives shows by itself where it ends: several go out as one chunk.
 */
export interface EventEncoder {
  readonly name: string
  /**
   * `object` is what is to be shown. For an object that left the selection that is, as DELETED, its state before with the
   * event's resourceVersion, which stands in its value, too.
   */
  encode(type: EventType, object: Stored): Uint8Array
  /** A BOOKMARK that says: all up to this version was sent. */
  bookmark(resourceVersion: number): Uint8Array
  /**
   * What keeps the connection alive where bookmarks were not asked for: white space that JSON framing ignores. Undefined
   * where the framing has nothing of the kind.
   */
  heartbeat(): Uint8Array | undefined
  /** Throws MissingLookups for objects that cannot be shown yet: their lookups are resolved together. Absent if all can be shown. */
  readonly prepare?: (objects: readonly Stored[]) => void
  /** The event that tells why a watch ends; undefined for what nobody is to be told. */
  readonly failure?: (error: unknown) => Uint8Array | undefined
  /** What writes all behind a watcher's first event or bookmark. Absent where they are written alike. */
  readonly following?: EventEncoder
}

/** Counts what watches alike are sent. */
export interface WatchTally {
  /** Watches that go on. */
  watches: number
  /** Events and bookmarks that were sent. */
  events: number
}

/** What a watch begins with, chunk by chunk. */
export interface InitialState extends Iterable<Uint8Array> {
  /** Gives back the memory for what comes next, where there is any: it will be asked for later. */
  release?(): void
}

/** Which events a watcher wants. */
export interface WatchRequest {
  readonly prefix: string
  /** One object alone: only events of this key. */
  readonly key?: string
  /** Events after this version; throws expired when history no longer reaches it. */
  readonly resourceVersion: number
  /**
   * Whether the state is selected. Absent: everything is. An object that enters is ADDED, one that leaves is DELETED.
   * Watchers with the very same function share the work of selecting, and their chunks.
   */
  readonly matches?: ((object: Stored) => boolean) | undefined
  readonly encoder: EventEncoder
  readonly bookmarks: boolean
  /** The stream ends after so many milliseconds. */
  readonly timeoutMilliseconds: number
  /** Sent before all events (initial state, say), in order; read no faster than the client reads. They count as events. */
  readonly first?: InitialState
  readonly tally?: WatchTally
}

/** The store of one Durable Object. Reading is synchronous; a write is answered, and seen by watchers, when it is durable. */
export interface Store {
  /** The version of the last change; 1 before the first. */
  readonly resourceVersion: number
  /** History reaches back to the changes after this version. */
  readonly compactedResourceVersion: number
  get(key: string): Stored | undefined
  list(request: PageRequest): Page
  /** The same page without values, whatever they are long: for those who select before they read. */
  listHeads(request: PageRequest): HeadPage
  /** The objects of these versions, in that order. Throws expired where history has dropped one of them. */
  objectsOf(resourceVersions: readonly number[]): readonly Stored[]
  /** Their values, joined as in a JoinedPage. They are to be of less than 2 MB together. */
  joinedOf(resourceVersions: readonly number[], beginning: string): Uint8Array
  /** @param beginning takes the place of the brace that each value begins with: `{` where nothing else is asked for */
  listJoined(request: PageRequest, beginning?: string): JoinedPage
  /** The first `limit` keys' versions; a page is as long as was asked, or ends the list. */
  listVersions(request: PageRequest): VersionPage
  /**
   * The values of these versions, which ascend: some of them at a time, joined with commas. Throws expired where history has
   * dropped one of them.
   * @param bytes of all of them, or more, where that is known
   */
  valuesOf(resourceVersions: readonly number[], bytes?: number): Iterable<JoinedValues>
  /** How many keys of the prefix followed `after` at a version that history reaches. */
  countAfter(prefix: string, after: string, resourceVersion: number): number
  /**
   * Runs `operation` within the next group commit and answers its result when that is durable.
   * What the operation throws rejects the promise and changes nothing.
   */
  write<T>(operation: (transaction: Transaction) => T): Promise<T>
  /**
   * The events that the request selects; a chunk holds one or more of them, whole. Throws expired when history does not reach its version. The stream
   * ends after the timeout, and whenever its client has to ask again from the last version that it saw; it breaks where
   * it is not read for long.
   */
  watch(request: WatchRequest): ReadableStream<Uint8Array>
  /** The next durable events after a version, a bounded part of them. Throws expired when history does not reach the version. */
  changes(selection: LogSelection, after: number): LogBatch
  /** Calls `listener` whenever more has become durable, after watchers were told. Answers how to stop that. */
  onDurable(listener: () => void): () => void
  /** One bounded step of compaction; whether it did something, so that more may remain. */
  compact(now: number): boolean
}
