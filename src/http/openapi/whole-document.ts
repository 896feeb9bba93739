/** The document of OpenAPI 2, which has the whole API: with many custom resources it is large, and never held as a whole. */
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

/** Kept as it is when it is compressed: a hundredth of what it is, and what most clients take. */
export class WholeDocument {
  readonly #parts: readonly Part[]
  readonly #tables: ReadonlyMap<string, VersionTable>
  readonly #compressed = new Map<Form, Uint8Array>()
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

  /** The document in gzip. Each request asks for schemas itself: the runtime ends one that waits for what another one reads. */
  async compressed(form: Form): Promise<Uint8Array> {
    const kept = this.#compressed.get(form)
    if (kept !== undefined) return kept
    const stream = streamOf(form === 'json' ? this.#json() : this.#protobuf())
    const made = new Uint8Array(await new Response(stream.pipeThrough(new CompressionStream('gzip'))).arrayBuffer())
    this.#compressed.set(form, made)
    return made
  }

  /** The document, which is decompressed while it is read. */
  async stream(form: Form): Promise<ReadableStream<Uint8Array>> {
    return new Blob([await this.compressed(form)]).stream().pipeThrough(new DecompressionStream('gzip'))
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
