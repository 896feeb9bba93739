/** The encodings of answers: what each of them writes, and where. */
import type { JsonValue } from '../go/json-value.ts'
import type { Body } from './body.ts'
import type { EventEncoding } from './event-writer.ts'
import type { ListWriter, WrittenList } from './list-writer.ts'
import type { MediaType } from './media-type.ts'

/** The JSON of a collection's answer, as it arrives in the Worker. */
export interface JsonSource {
  readonly text: () => Promise<string>
  readonly chunks: () => AsyncIterable<Uint8Array>
}

/** The part of an encoding that runs in the Durable Object, beside the data. */
export interface ObjectEncoding {
  readonly events: EventEncoding
  /**
   * Returns the writer of one list.
   * @throws ApiError 400 for invalid Table options, 406 for a view that lists do not have
   */
  readonly list: (list: WrittenList) => ListWriter
}

/** The part of an encoding that runs in the Worker, on the JSON of a collection. Instead of an object or a list it may be a Status. */
export interface WorkerEncoding {
  /** The contents of memory while a list is converted: texts, of which V8 lets garbage gather, or bytes. */
  readonly holds: 'bytes' | 'texts'
  readonly object: (json: JsonSource) => Promise<Body>
  readonly list: (json: JsonSource) => Promise<Body>
  /** Converts the lines of a watch. Absent if the encoding has events beside the data, or none. */
  readonly events?: (lines: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>
}

/** A way in which answers are written. */
export interface Encoding {
  readonly name: string
  readonly mediaType: MediaType
  /** The Content-Type of a watch; absent if events cannot be streamed in this encoding. */
  readonly stream?: string
  /** Writes a whole value that is in memory. */
  readonly value: (value: JsonValue) => string | Uint8Array<ArrayBuffer>
  /**
   * The place at which answers of collections are written. Lists and events are written beside the data if `object` is present, else in the
   * Worker. Single objects leave the collection as JSON; without `worker` they are sent so.
   */
  readonly at: { readonly object?: ObjectEncoding; readonly worker?: WorkerEncoding }
}
