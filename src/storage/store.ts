/**
 * The interface between the registry and its store: one sequence of versions over keys, with history.
 *
 * Keys are `<resource>[.<group>]/<namespace>/<name>`, or `<resource>[.<group>]/<name>` for cluster-scoped objects. Lists and
 * watches select a prefix that ends in `/`, in the order of the keys' bytes. A value is the object's JSON in its storage version
 * without apiVersion and kind; it contains its resourceVersion.
 */

import type { Cell, Distribution } from '../meta/metrics/families.ts'

/** A version of an object. */
export interface Stored {
  readonly key: string
  readonly resourceVersion: number
  readonly value: string
  /** The labels as JSON; '' if the object has none. Label selection reads only these. */
  readonly labels: string
  /** The resourceVersion under which the value was written, if the object is sent under a later one. */
  readonly writtenAt?: number
}

/**
 * The calls that one operation of a group commit may make. Reads see all earlier operations, also those of the same commit. If
 * the operation throws, none of its changes is kept.
 */
export interface Transaction {
  get(key: string): Stored | undefined
  /** Takes the next resourceVersion, which must be in the value given to `put` or `remove`. */
  nextResourceVersion(): number
  /** Creates or replaces an object. `stored.resourceVersion` comes from nextResourceVersion. */
  put(stored: Stored): void
  /** Deletes an object. `stored` is its last state, as the DELETED event shows it, under the deletion's own resourceVersion. */
  remove(stored: Stored): void
  /** Runs within the commit if the operation returns, before its changes are stored: its database writes are part of the commit. */
  alongside(run: () => void): void
}

/** A page of a list: the part of a collection and the version to read. */
export interface PageRequest {
  readonly prefix: string
  /** The last key of the previous page; keys up to and including it are skipped. */
  readonly after?: string
  readonly limit: number
  /** The list is read at this version. Throws 410 Expired if history no longer reaches it. */
  readonly resourceVersion: number
  /** Hints that the objects must match; absent to read all objects. */
  readonly indexHints?: IndexHints | undefined
}

/**
 * A coarse filter that the store can apply without parsing values. The objects that pass it still have to be matched against the
 * selector.
 */
export interface IndexHints {
  /** Texts that the labels' JSON must contain, all of them; only the first three are checked. */
  readonly labels: readonly string[]
  /** The end of the key; '' for any key. */
  readonly keyEnd: string
}

/**
 * A page of up to `limit` objects in the order of their keys' bytes. A page may end before `limit` if its values exceed about 2
 * MB or it has 2,000 objects. Only `more` tells whether the list continues after the page's last key.
 */
export interface Page {
  readonly items: readonly Stored[]
  /** Whether more keys follow. */
  readonly more: boolean
}

/** An object without its value, and the value's size in bytes. */
export interface Head extends Omit<Stored, 'value' | 'writtenAt'> {
  readonly bytes: number
}

/** A page of up to `limit` objects without their values. */
export interface HeadPage {
  readonly items: readonly Head[]
  /** Whether more keys follow. */
  readonly more: boolean
}

/** The versions of a page's objects, for a caller that caches objects by version and needs no values. */
export interface VersionPage {
  readonly resourceVersions: readonly number[]
  /** The size of all their values, plus one comma each. */
  readonly bytes: number
  /** '' if the page is empty. */
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
 * A page whose values are one text in UTF-8, joined with commas: a list is sent without being parsed. `lastKey` is '' if the page
 * is empty.
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
  /** The previous state; undefined for ADDED. */
  readonly previous: Stored | undefined
}

/** Selects the events of a prefix, or of one key alone. */
export interface LogSelection {
  readonly prefix: string
  readonly key?: string
}

/** Events in the order of their versions. The batch holds every selected event up to and including version `through`. */
export interface LogBatch {
  readonly events: readonly StoreEvent[]
  readonly through: number
}

/**
 * Encodes events for the watchers of one representation. Equal names must mean equal bytes. An encoded event must be
 * self-delimiting, because several of them go out as one chunk.
 */
export interface EventEncoder {
  readonly name: string
  /**
   * Encodes an event. For an object that left the selection, `type` is DELETED and `object` is its previous state with the
   * event's resourceVersion, also inside its value.
   */
  encode(type: EventType, object: Stored): Uint8Array
  /** Encodes a BOOKMARK: all events up to this version were sent. */
  bookmark(resourceVersion: number): Uint8Array
  /**
   * Returns bytes that keep the connection alive if the client did not request bookmarks: white space, which JSON framing
   * ignores. Undefined if the framing has nothing that a client ignores.
   */
  heartbeat(): Uint8Array | undefined
  /**
   * Throws MissingLookups if the objects cannot be encoded yet, so that their lookups are resolved together. Absent if encoding never
   * waits.
   */
  readonly prepare?: (objects: readonly Stored[]) => void
  /** Encodes the ERROR event that ends a watch; undefined for an error that clients must not see. */
  readonly failure?: (error: unknown) => Uint8Array | undefined
  /** The encoder of everything after a watcher's first event or bookmark. Absent if this encoder writes them all. */
  readonly following?: EventEncoder
}

/** Counters that watches of the same kind share, for the metrics. */
export interface WatchTally {
  /** Watches that are open. */
  readonly watches: Cell
  /** Events and bookmarks that were sent. */
  readonly events: Cell
  /** Their bytes. Events that are sent in one chunk count with their average. */
  readonly sizes: Distribution
  /** Watches that were closed because their clients did not keep up. */
  readonly terminated: Cell
}

/** The initial state of a watch, chunk by chunk. */
export interface InitialState extends Iterable<Uint8Array> {
  /** The key of the last object in the chunks so far: a watch whose connection was lost continues after it. */
  readonly after?: string
  /** Frees memory that was prepared for the next chunks, if any: they are read later. */
  release?(): void
}

/** Selects the events that a watcher gets, and the form in which it gets them. */
export interface FeedRequest {
  readonly prefix: string
  /** The only key whose events are sent. */
  readonly key?: string
  /** The version after which events are sent. Throws 410 Expired if history no longer reaches it. */
  readonly resourceVersion: number
  /**
   * Whether the state is selected; absent: every state is. An object that enters the selection is ADDED, one that leaves it is
   * DELETED. Watchers with the identical function object share the work of selecting, and their chunks.
   */
  readonly matches?: ((object: Stored) => boolean) | undefined
  readonly encoder: EventEncoder
  /**
   * Sent before all events, in order (for example the initial state), and read no faster than the client reads. Each chunk counts
   * as an event.
   */
  readonly first?: InitialState
  readonly tally?: WatchTally
}

/** A watch whose bookmarks, heartbeats and end come from the store. */
export interface WatchRequest extends FeedRequest {
  readonly bookmarks: boolean
  /** The stream ends after this many milliseconds. */
  readonly timeoutMilliseconds: number
}

/** The way from a watcher to its client. The watcher calls nothing after `end`, `restart` or `fail`. */
export interface WatchSink {
  /** The number of bytes that were sent and not read. */
  readonly queued: number
  /**
   * Sends events or bookmarks: with them, the client has all selected events up to the version `through`.
   * @param following the same in the encoding that only the first event of a watch does not have; absent if there is no other
   */
  events(chunk: Uint8Array, through: number, following?: () => Uint8Array | undefined): void
  /** Sends a part of the initial state, up to the key `after`. */
  state(chunk: Uint8Array, after: string): void
  /** Notes that the client has the whole initial state and all events up to the version. */
  reached(resourceVersion: number): void
  /** Notes that the watcher gets events as they happen from now on, or no longer. */
  setLive(live: boolean, position: number): void
  /** Ends the watch; the client can still read its backlog. */
  end(): void
  /** Ends the connection only: the watch continues from its position on another one, if the sink has a way to do so. */
  restart(): void
  /** Ends the watch and drops its backlog. */
  fail(reason: string): void
}

/** A watch whose events go to a sink. */
export interface Feed {
  /** Whether it gets events as they happen; otherwise it catches up. */
  readonly live: boolean
  /** The version up to which the sink has all selected events. */
  readonly reached: number
  /** Ends the watch without a word to the sink, whose client has gone. */
  leave(): void
}

/**
 * The store of one Durable Object. Reads are synchronous; a write is answered, and watchers get its event, when it is durable.
 * @example
 * const page = store.list({ prefix: 'pods/default/', limit: 500, resourceVersion: store.resourceVersion })
 * for (const { key, value } of page.items) console.log(key, JSON.parse(value))
 * const deleted = await store.write((transaction) => {
 *   const stored = transaction.get('pods/default/web')
 *   if (stored !== undefined) transaction.remove(withResourceVersion(stored, transaction.nextResourceVersion()))
 *   return stored !== undefined
 * })
 */
export interface Store {
  /** The version of the last change; 1 before the first. */
  readonly resourceVersion: number
  /** History reaches back to the changes after this version. */
  readonly compactedResourceVersion: number
  get(key: string): Stored | undefined
  list(request: PageRequest): Page
  /** Reads the same page without values, so it is not limited by their size: for callers that select before they read values. */
  listHeads(request: PageRequest): HeadPage
  /** Returns the objects of these versions, in the given order. Throws 410 Expired if history has dropped one of them. */
  objectsOf(resourceVersions: readonly number[]): readonly Stored[]
  /** Returns their values, joined as in a JoinedPage. Together they must be smaller than 2 MB. */
  joinedOf(resourceVersions: readonly number[], beginning: string): Uint8Array
  /** @param beginning replaces the opening brace of each value; `{` by default */
  listJoined(request: PageRequest, beginning?: string): JoinedPage
  /** Returns the versions of the first `limit` keys; a page is shorter only at the end of the list. */
  listVersions(request: PageRequest): VersionPage
  /**
   * Yields the values of these versions, which must ascend: several at a time, joined with commas. Throws 410 Expired if history
   * has dropped one of them.
   * @param bytes the size of all values or an upper bound, if known
   */
  valuesOf(resourceVersions: readonly number[], bytes?: number): Iterable<JoinedValues>
  /** Counts the keys of the prefix that followed `after` at a version that history reaches. */
  countAfter(prefix: string, after: string, resourceVersion: number): number
  /**
   * Runs `operation` within the next group commit.
   * @returns the operation's result, when the commit is durable
   * @throws (rejects with) the operation's error; the operation then changes nothing
   */
  write<T>(operation: (transaction: Transaction) => T): Promise<T>
  /**
   * Streams the events that the request selects; a chunk holds one or more whole events. The stream ends after the timeout, and
   * whenever the client has to watch again from the last version that it saw. It fails if it is not read for long.
   * @throws ApiError 410 Expired if history does not reach the requested version
   */
  watch(request: WatchRequest): ReadableStream<Uint8Array>
  /**
   * Sends the selected events to a sink, which is responsible for bookmarks, heartbeats and the timeout.
   * @throws ApiError 410 Expired if history does not reach the requested version
   */
  feed(request: FeedRequest, sink: WatchSink): Feed
  /**
   * Calls `listener` after every durable commit with changes, after its events were given to the watchers. @returns a function
   * that removes the listener
   */
  onDurable(listener: () => void): () => void
  /**
   * Does one bounded step of compaction.
   * @param keptFrom a time whose state must stay readable, in milliseconds since the epoch
   * @returns whether it deleted something, so that more may remain
   */
  compact(now: number, keptFrom?: number): boolean
}
