/** The OpenAPI 2 document. With many custom resources it is large, so it is never in memory uncompressed. */
import { nextSlice } from '../../meta/slices.ts'
import type { VersionTable } from '../../schema/tables.ts'
import { sha512 } from './document-hash.ts'
import type { Part } from './document-paths.ts'
import type { OtherDocument } from './other-document.ts'
import { encodeDocument } from './protobuf.ts'
import { document2, json2, pieces2 } from './version2.ts'
import { document2Message } from './version2-messages.ts'

/** The encodings of a document. */
export type Form = 'json' | 'protobuf'

/** Returns a stream that makes its next chunk only after the last one has been read. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

/** The bytes that are compressed, or decompressed, in one slice: some milliseconds of work. */
const compressedAtOnce = 256 * 1024
const decompressedAtOnce = 8 * 1024

/** Yields the same bytes in chunks of at most this size, each in a slice of its own. */
async function* sliced(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.byteLength; at += bytes) {
      await nextSlice()
      yield chunk.subarray(at, at + bytes)
    }
  }
}

/** The interval, in milliseconds, at which a request checks whether another one has finished the document. */
const pollInterval = 10
/** A request that makes the document and has made no progress for so many milliseconds has been cancelled. */
const staleAfter = 3000

/** The OpenAPI 2 document, kept only in gzip: this is a hundredth of its size, and most clients accept it. */
export class WholeDocument {
  readonly #parts: readonly Part[]
  readonly #tables: ReadonlyMap<string, VersionTable>
  readonly #others: readonly OtherDocument[]
  readonly #compressed = new Map<Form, Uint8Array>()
  /** The time of the last progress of the request that makes an encoding. */
  readonly #progress = new Map<Form, number>()
  #hash: Promise<string> | undefined
  readonly #knownHash: (() => Promise<string>) | undefined

  /**
   * @param hash returns a hash that is known without the document; if undefined, the hash of the JSON is used
   * @param others the documents of other servers that are merged into it
   */
  constructor(
    parts: readonly Part[],
    tables: ReadonlyMap<string, VersionTable>,
    hash: (() => Promise<string>) | undefined,
    others: readonly OtherDocument[] = [],
  ) {
    this.#parts = parts
    this.#tables = tables
    this.#others = others
    this.#knownHash = hash
  }

  /** Returns the entity tag without the quotes. */
  hash(): Promise<string> {
    this.#hash ??= this.#knownHash?.() ?? this.bytes('json').then(sha512)
    return this.#hash
  }

  /**
   * Returns the document in gzip. While one request makes it, others check at intervals whether it is finished: the runtime
   * cancels a request that awaits a promise of another one.
   */
  async compressed(form: Form): Promise<Uint8Array> {
    for (;;) {
      const kept = this.#compressed.get(form)
      if (kept !== undefined) return kept
      if (Date.now() - (this.#progress.get(form) ?? 0) > staleAfter) return this.#make(form)
      await new Promise((resolve) => setTimeout(resolve, pollInterval))
    }
  }

  async #make(form: Form): Promise<Uint8Array> {
    this.#progress.set(form, Date.now())
    try {
      const stream = streamOf(
        this.#withProgress(form, sliced(form === 'json' ? this.#json() : this.#protobuf(), compressedAtOnce)),
      )
      const made = new Uint8Array(await new Response(stream.pipeThrough(new CompressionStream('gzip'))).arrayBuffer())
      this.#compressed.set(form, made)
      return made
    } finally {
      this.#progress.delete(form)
    }
  }

  /** Yields the same chunks and records the progress for other requests. */
  async *#withProgress(form: Form, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#progress.set(form, Date.now())
      yield chunk
    }
  }

  /** Returns the document as a stream, which is decompressed while it is read. */
  async stream(form: Form): Promise<ReadableStream<Uint8Array>> {
    const compressed = streamOf(sliced([await this.compressed(form)], decompressedAtOnce))
    return compressed.pipeThrough(new DecompressionStream('gzip'))
  }

  async bytes(form: Form): Promise<Uint8Array> {
    return new Uint8Array(await new Response(await this.stream(form)).arrayBuffer())
  }

  async *#json(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder()
    for await (const text of json2(pieces2(this.#parts, this.#tables, this.#others))) yield encoder.encode(text)
  }

  /** Yields the document in protobuf. Its pieces are encoded separately: protobuf merges repeated occurrences of a field. */
  async *#protobuf(): AsyncGenerator<Uint8Array> {
    if (this.#parts.some(({ custom }) => custom !== undefined)) {
      for await (const { key, value } of pieces2(this.#parts, this.#tables))
        yield encodeDocument({ [key]: value }, document2Message)
    } else yield encodeDocument(await document2(this.#parts, this.#tables, this.#others), document2Message)
  }
}
