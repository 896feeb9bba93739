/** The document of OpenAPI 2, which has the whole API: with many custom resources it is large, and never held as a whole. */
import { nextSlice } from '../../meta/slices.ts'
import type { VersionTable } from '../../schema/tables.ts'
import { sha512 } from './document-hash.ts'
import type { Part } from './document-paths.ts'
import { encodeDocument } from './protobuf.ts'
import { document2, json2, pieces2 } from './version2.ts'
import { document2Message } from './version2-messages.ts'

/** Forms of a document. */
export type Form = 'json' | 'protobuf'

/** A stream that makes its next chunk when the last has been read. */
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

/** Bytes that are compressed, or decompressed, at once: some milliseconds of work. */
const compressedAtOnce = 256 * 1024
const decompressedAtOnce = 8 * 1024

/** The same bytes in chunks of at most so many, each in a slice of its own. */
async function* sliced(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.byteLength; at += bytes) {
      await nextSlice()
      yield chunk.subarray(at, at + bytes)
    }
  }
}

/** How often, in milliseconds, a request looks whether the document is there that another one makes. */
const lookPause = 10
/** Who makes a document and has not been heard of for so long, in milliseconds, was ended by force. */
const patience = 3000

/** Kept as it is when it is compressed: a hundredth of what it is, and what most clients take. */
export class WholeDocument {
  readonly #parts: readonly Part[]
  readonly #tables: ReadonlyMap<string, VersionTable>
  readonly #compressed = new Map<Form, Uint8Array>()
  /** When something was last heard of who makes a form. */
  readonly #beats = new Map<Form, number>()
  #hash: Promise<string> | undefined
  readonly #knownHash: (() => Promise<string>) | undefined

  /** @param hash is known without the document; absent: it is that of its JSON */
  constructor(parts: readonly Part[], tables: ReadonlyMap<string, VersionTable>, hash: (() => Promise<string>) | undefined) {
    this.#parts = parts
    this.#tables = tables
    this.#knownHash = hash
  }

  /** The entity tag without the quotes. */
  hash(): Promise<string> {
    this.#hash ??= this.#knownHash?.() ?? this.bytes('json').then(sha512)
    return this.#hash
  }

  /**
   * The document in gzip. While one request makes it, others look from time to time whether it is there: the runtime ends a
   * request that waits for what another one reads.
   */
  async compressed(form: Form): Promise<Uint8Array> {
    for (;;) {
      const kept = this.#compressed.get(form)
      if (kept !== undefined) return kept
      if (Date.now() - (this.#beats.get(form) ?? 0) > patience) return this.#make(form)
      await new Promise((look) => setTimeout(look, lookPause))
    }
  }

  async #make(form: Form): Promise<Uint8Array> {
    this.#beats.set(form, Date.now())
    try {
      const stream = streamOf(this.#beating(form, sliced(form === 'json' ? this.#json() : this.#protobuf(), compressedAtOnce)))
      const made = new Uint8Array(await new Response(stream.pipeThrough(new CompressionStream('gzip'))).arrayBuffer())
      this.#compressed.set(form, made)
      return made
    } finally {
      this.#beats.delete(form)
    }
  }

  /** The same chunks; while they come, others know that the document is being made. */
  async *#beating(form: Form, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#beats.set(form, Date.now())
      yield chunk
    }
  }

  /** The document, which is decompressed while it is read. */
  async stream(form: Form): Promise<ReadableStream<Uint8Array>> {
    const compressed = streamOf(sliced([await this.compressed(form)], decompressedAtOnce))
    return compressed.pipeThrough(new DecompressionStream('gzip'))
  }

  async bytes(form: Form): Promise<Uint8Array> {
    return new Uint8Array(await new Response(await this.stream(form)).arrayBuffer())
  }

  async *#json(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder()
    for await (const text of json2(pieces2(this.#parts, this.#tables))) yield encoder.encode(text)
  }

  /** A message that comes in parts is the same as the whole: fields that come again are added to what there is. */
  async *#protobuf(): AsyncGenerator<Uint8Array> {
    if (this.#parts.some(({ custom }) => custom !== undefined)) {
      for await (const { key, value } of pieces2(this.#parts, this.#tables))
        yield encodeDocument({ [key]: value }, document2Message)
    } else yield encodeDocument(await document2(this.#parts, this.#tables), document2Message)
  }
}
