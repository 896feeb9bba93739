/** Events as bytes, made once for all watchers that see them alike. */
import { MissingLookups } from '../meta/lookups.ts'
import { selectedEvent } from './event-selection.ts'
import type { EventEncoder, EventType, Stored, StoreEvent, WatchRequest } from './store.ts'

/** What decides how an event looks to a watcher, and whether it sees it. */
export interface View {
  readonly encoder: EventEncoder
  readonly matches: WatchRequest['matches']
}

/** An event whose encodings are shared by all watchers that see it alike. */
export class SharedEvent {
  readonly event: StoreEvent
  readonly #chunks = new Map<string, Uint8Array>()

  constructor(event: StoreEvent) {
    this.event = event
  }

  get resourceVersion(): number {
    return this.event.object.resourceVersion
  }

  /** What a watcher with this view gets; undefined where it sees nothing of the event. Throws what selection and encoding throw. */
  chunkFor(view: View): Uint8Array | undefined {
    const shown = selectedEvent(this.event, view.matches)
    return shown && this.#chunk(view.encoder, shown.type, shown.object)
  }

  /** The same type of one event always shows the same object. */
  #chunk(encoder: EventEncoder, type: EventType, object: Stored): Uint8Array {
    const name = `${type} ${encoder.name}`
    let chunk = this.#chunks.get(name)
    if (chunk === undefined) {
      chunk = encoder.encode(type, object)
      this.#chunks.set(name, chunk)
    }
    return chunk
  }
}

/** The chunks one after the other; a single one as it is. */
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

/** Bytes that all events up to a version are in. */
export interface JoinedChunk {
  readonly chunk: Uint8Array
  readonly count: number
  readonly through: number
}

/**
 * Events of one view, joined into chunks of about `bytes`: a chunk costs a watcher much the same, be it long or short.
 * Chunks are made when they are first asked for.
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

  /** The chunk of this index; undefined behind the last. Throws what selection and encoding throw. */
  at(index: number): JoinedChunk | undefined {
    while (this.#made.length <= index) {
      const made = this.#make()
      if (made === undefined) return undefined
      this.#made.push(made)
    }
    return this.#made[index]
  }

  /** What is ready goes out before an event that has to wait: whoever waits comes forward with every try. */
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
