/** Encodes events once for all watchers that get the same bytes. */
import { MissingLookups } from '../meta/lookups.ts'
import { selectedEvent } from './event-selection.ts'
import type { EventEncoder, EventType, Stored, StoreEvent, WatchRequest } from './store.ts'

/** The selection and representation of a watcher: they decide whether it gets an event, and in which bytes. */
export interface View {
  readonly encoder: EventEncoder
  readonly matches: WatchRequest['matches']
}

/** The memory of an event besides its values and encodings, in bytes. */
const overheadBytes = 200

/** An event with its encodings, shared by all watchers with the same view. */
export class SharedEvent {
  readonly event: StoreEvent
  /** Called with the bytes of each new encoding, while the event is kept for other watchers. */
  encoded: ((bytes: number) => void) | undefined
  readonly #chunks = new Map<string, Uint8Array>()
  #size: number

  constructor(event: StoreEvent) {
    this.event = event
    this.#size = event.object.value.length + (event.previous?.value.length ?? 0) + overheadBytes
  }

  /** The memory of its values and encodings, in bytes. */
  get size(): number {
    return this.#size
  }

  get resourceVersion(): number {
    return this.event.object.resourceVersion
  }

  /**
   * Returns the bytes for a watcher with this view; undefined if it does not select the event. Throws the errors of selection and
   * encoding.
   */
  chunkFor(view: View): Uint8Array | undefined {
    const selected = selectedEvent(this.event, view.matches)
    return selected && this.#chunk(view.encoder, selected.type, selected.object)
  }

  /** Caches by event type and encoder: one type of one event always has the same object. */
  #chunk(encoder: EventEncoder, type: EventType, object: Stored): Uint8Array {
    const name = `${type} ${encoder.name}`
    let chunk = this.#chunks.get(name)
    if (chunk === undefined) {
      chunk = encoder.encode(type, object)
      this.#chunks.set(name, chunk)
      this.#size += chunk.byteLength
      this.encoded?.(chunk.byteLength)
    }
    return chunk
  }
}

/** Concatenates the chunks. A single chunk is returned without a copy. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const all = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}

/** Bytes of all selected events up to version `through`. */
export interface JoinedChunk {
  readonly chunk: Uint8Array
  readonly count: number
  readonly through: number
}

/**
 * Events of one view, joined into chunks of about `bytes`: the cost of a chunk for a watcher hardly depends on its length. Chunks
 * are made on first use.
 */
export class JoinedEvents {
  readonly events: readonly SharedEvent[]
  readonly #view: View
  readonly #bytes: number
  readonly #made: JoinedChunk[] = []
  #next = 0

  constructor(events: readonly SharedEvent[], view: View, bytes: number) {
    this.events = events
    this.#view = view
    this.#bytes = bytes
  }

  /** The version of the first event. */
  get first(): number {
    return this.events[0]?.resourceVersion ?? 0
  }

  /** The version of the last event. */
  get last(): number {
    return this.events.at(-1)?.resourceVersion ?? 0
  }

  /** Returns the chunk with this index; undefined after the last. Throws the errors of selection and encoding. */
  at(index: number): JoinedChunk | undefined {
    while (this.#made.length <= index) {
      const made = this.#make()
      if (made === undefined) return undefined
      this.#made.push(made)
    }
    return this.#made[index]
  }

  /**
   * Returns 'waits' if the event needs a fetch and others before it are ready: these go out first, so every attempt makes
   * progress.
   */
  #chunkOf(event: SharedEvent, isBehindOthers: boolean): Uint8Array | 'waits' | undefined {
    try {
      return event.chunkFor(this.#view)
    } catch (error) {
      if (error instanceof MissingLookups && isBehindOthers) return 'waits'
      throw error
    }
  }

  #make(): JoinedChunk | undefined {
    const chunks: Uint8Array[] = []
    let through = 0
    for (let bytes = 0; bytes < this.#bytes; this.#next++) {
      const event = this.events[this.#next]
      if (event === undefined) break
      const chunk = this.#chunkOf(event, chunks.length > 0)
      if (chunk === 'waits') break
      if (chunk === undefined) continue
      chunks.push(chunk)
      bytes += chunk.byteLength
      through = event.resourceVersion
    }
    return chunks.length === 0 ? undefined : { chunk: joined(chunks), count: chunks.length, through }
  }
}
