/** A client that keeps a copy of a part of a store, as informers do, and records everything that it was sent. */
import { ApiError } from '../../src/meta/errors.ts'
import type { EventEncoder, EventType, Store, Stored, WatchRequest } from '../../src/storage/store.ts'
import { Lines } from './lines.ts'
import { listAll } from './store-model.ts'

/** An event of a watch. */
export interface Sent {
  readonly type: EventType | 'BOOKMARK' | 'INITIAL' | 'HEARTBEAT'
  readonly key: string
  readonly resourceVersion: number
  /** Whether the encoder for the first event of a watch wrote it. */
  readonly opening: boolean
}

/** The part of the store, and the way in which the informer reads it. */
export interface InformerOptions {
  readonly prefix: string
  readonly key?: string
  /** Whether the informer selects only objects with labels. */
  readonly labelled: boolean
  /** Whether the watch sends the initial state; otherwise a list comes before it. */
  readonly initialEvents: boolean
  /** Whether the first event of a watch has another encoding than the others, as for a Table. */
  readonly openings: boolean
}

/** One watch: the version it started from, and its events. */
export interface Connection {
  readonly from: number
  /** The versions of the keys in the initial state; undefined if the informer continued with its copy. */
  readonly listed: ReadonlyMap<string, number> | undefined
  readonly sent: Sent[]
}

const text = new TextEncoder()
const line = (sent: Sent): Uint8Array => text.encode(`${JSON.stringify(sent)}\n`)

function encoderOf(name: string, opening: boolean, following?: EventEncoder): EventEncoder {
  return {
    name,
    encode: (type, { key, resourceVersion }) => line({ type, key, resourceVersion, opening }),
    bookmark: (resourceVersion) => line({ type: 'BOOKMARK', key: '', resourceVersion, opening }),
    heartbeat: () => line({ type: 'HEARTBEAT', key: '', resourceVersion: 0, opening: false }),
    ...(following !== undefined && { following }),
  }
}

const plain = encoderOf('plain', false)
const withOpening = encoderOf('opening', true, encoderOf('after the opening', false))
const isLabelled = (object: Stored): boolean => object.labels !== ''

/** Whether the informer's part contains the object. */
export function selects({ prefix, key, labelled }: InformerOptions, object: Stored): boolean {
  return (key === undefined ? object.key.startsWith(prefix) : object.key === key) && (!labelled || isLabelled(object))
}

export class Informer {
  readonly options: InformerOptions
  readonly connections: Connection[] = []
  /** The last version that it received; undefined if it has to start from the beginning. */
  #last: number | undefined
  #lines: Lines | undefined
  #gate: Promise<void> = Promise.resolve()
  #open: () => void = () => undefined
  #reached: { readonly version: number; readonly resolve: () => void } | undefined

  constructor(options: InformerOptions) {
    this.options = options
  }

  /** Starts or continues; reads until `stop`. The promise rejects if it finds an inconsistency. */
  async run(store: Store): Promise<void> {
    for (;;) {
      const lines = this.#connect(store)
      this.#lines = lines
      try {
        await this.#read(lines)
      } catch (error) {
        if (!(error instanceof Error && error.message === 'the watch could not be continued')) throw error
      }
      if (this.#lines === undefined) return
    }
  }

  /** Stops reading, like a busy client. */
  pause(): void {
    this.#open()
    this.#gate = new Promise((open) => {
      this.#open = open
    })
  }

  resume(): void {
    this.#open()
  }

  /** Resolves when it has received everything up to a version. */
  reached(version: number): Promise<void> {
    return new Promise((resolve) => {
      if ((this.#last ?? 0) >= version) resolve()
      else this.#reached = { version, resolve }
    })
  }

  /** Cancels the connection; data that was sent but not read is lost. */
  async stop(): Promise<void> {
    const lines = this.#lines
    this.#lines = undefined
    this.#open()
    await lines?.cancel()
  }

  #connect(store: Store): Lines {
    if (this.#last !== undefined) {
      try {
        return this.#watch(store, this.#last, undefined)
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 410)) throw error
        this.#last = undefined
      }
    }
    const from = store.resourceVersion
    if (this.options.initialEvents) return this.#watch(store, from, new Map(), this.#initial(store, from))
    const listed = listAll(store, { prefix: this.options.prefix, limit: 2, resourceVersion: from })
    const selected = listed.filter((object) => selects(this.options, object))
    this.#last = from
    return this.#watch(store, from, new Map(selected.map(({ key, resourceVersion }) => [key, resourceVersion])))
  }

  *#initial(store: Store, resourceVersion: number): Generator<Uint8Array> {
    const { prefix, openings } = this.options
    let opening = openings
    for (let after = ''; ; ) {
      const page = store.list({ prefix, after, limit: 1, resourceVersion })
      for (const item of page.items) {
        if (!selects(this.options, item)) continue
        yield line({ type: 'INITIAL', key: item.key, resourceVersion: item.resourceVersion, opening })
        opening = false
      }
      if (!page.more) break
      after = page.items.at(-1)?.key ?? after
    }
    yield line({ type: 'BOOKMARK', key: '', resourceVersion, opening })
  }

  #watch(store: Store, from: number, listed: Connection['listed'], first?: Iterable<Uint8Array>): Lines {
    const { prefix, key, labelled, openings } = this.options
    const request: WatchRequest = {
      prefix,
      ...(key !== undefined && { key }),
      resourceVersion: from,
      matches: labelled ? isLabelled : undefined,
      encoder: openings ? withOpening : plain,
      bookmarks: true,
      timeoutMilliseconds: 60_000,
      ...(first !== undefined && { first }),
    }
    const lines = new Lines(store.watch(request))
    this.connections.push({ from, listed, sent: [] })
    return lines
  }

  async #read(lines: Lines): Promise<void> {
    for (;;) {
      await this.#gate
      if (this.#lines !== lines) return
      const next = await lines.next()
      if (next === undefined || this.#lines !== lines) return
      const sent: Sent = JSON.parse(next)
      if (sent.type === 'HEARTBEAT') continue
      this.connections.at(-1)?.sent.push(sent)
      if (sent.type !== 'INITIAL') this.#last = sent.resourceVersion
      if (this.#reached === undefined || (this.#last ?? 0) < this.#reached.version) continue
      this.#reached.resolve()
      this.#reached = undefined
    }
  }
}
