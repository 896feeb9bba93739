/** The body of a response. Its length decides whether it is compressed, and whether it waits for memory. */
import { freeBuffer } from '../meta/free-buffer.ts'
import { nextSlice } from '../meta/slices.ts'
import { joined } from '../storage/shared-event.ts'
import { BytesInFlight, type InFlight } from './bytes-in-flight.ts'
import { type ProtobufMediaType, protobufMediaType } from './media-type.ts'

/** The size above which kube-apiserver compresses responses. */
const largeBytes = 128 * 1024

/** Whether a body has more than `largeBytes`. */
export function isLarge(text: string | Uint8Array): boolean {
  if (typeof text !== 'string') return text.byteLength > largeBytes
  // A UTF-16 code unit has at most three bytes in UTF-8, so most texts need not be measured.
  return text.length * 3 > largeBytes && Buffer.byteLength(text) > largeBytes
}

/** The content of a response, and whether it is long. */
export interface Body {
  readonly content: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  /** Whether the content is longer than `largeBytes`. */
  readonly large: boolean
  /** The media type; JSON by default. */
  readonly mediaType?: ProtobufMediaType
  /** Reports the number of bytes of a stream when its reader has taken them all. Absent for other contents. */
  readonly whenSent?: (report: (bytes: number) => void) => void
}

/** A stream, and the report of its bytes. */
type StreamContent = Required<Pick<Body, 'whenSent'>> & { readonly content: ReadableStream<Uint8Array> }

/** Returns the body of a text. */
export function textBody(text: string): Body {
  return { content: text, large: isLarge(text) }
}

/** Returns the body of bytes that are in memory. */
export function bytesBody(content: Uint8Array<ArrayBuffer>): Body {
  return { content, large: isLarge(content) }
}

/** A source of chunks, synchronous or asynchronous. */
export type Chunks = Iterator<Uint8Array> | AsyncIterator<Uint8Array>

/**
 * Returns a protobuf body of chunks.
 * @throws ApiError 429 as `streamBody` does, and errors of the source before its first chunks are complete
 */
export async function protobufBody(source: Chunks, making?: Making): Promise<Body> {
  return { ...(await streamBody(source, making)), mediaType: protobufMediaType }
}

/**
 * Milliseconds in all for which a client may leave a response unread: the request timeout of kube-apiserver
 * (`--request-timeout`).
 */
const maxUnreadMs = 60_000

/**
 * Estimated memory of a list while it is streamed: some pages of rows, of which one is written while another is sent. If pages
 * are made of texts, and not of buffers that are freed explicitly, V8 lets garbage gather in proportion to the live memory.
 */
const pageBytes = 6 * 1024 * 1024
const textPageBytes = 48 * 1024 * 1024

const inFlight = new BytesInFlight({
  bytes: 96 * 1024 * 1024,
  waitingBytes: 48 * 1024 * 1024,
  longestWait: maxUnreadMs / 4,
  lost: maxUnreadMs * 2,
})

/** The memory that a long response needs, and its reader. */
export interface Making {
  /** The most memory that the response holds, in bytes. By default some pages of rows. */
  readonly bytes?: number
  /** Whether the Worker reads the stream. The Worker then limits the time for which the client may leave it unread. */
  readonly relayed?: boolean
  /** Reserves memory if pages are made of texts, here or in the Worker. */
  readonly room?: Room | undefined
}

/** A list of texts that has read fewer bytes than this reserves no memory. */
const freeBytes = 8 * 1024 * 1024

/**
 * The memory reservation of a long response that is made of texts. It is taken once, as soon as the response is known to be long.
 */
export class Room implements InFlight {
  readonly #bytes: number
  #taken: Promise<InFlight> | undefined
  #answer: InFlight | undefined
  #isOver = false
  #read = 0

  /** @param madeOf the representation of pages, as long as `read` was not called */
  constructor(madeOf: 'texts' | 'bytes' = 'texts') {
    this.#bytes = madeOf === 'texts' ? textPageBytes : pageBytes
  }

  /**
   * Counts bytes that are read as texts, which may be many more than the bytes that are written.
   * @throws ApiError 429 as `take` does
   */
  async read(bytes: number): Promise<void> {
    this.#read += bytes
    if (this.#read > freeBytes) await this.take(0)
    this.seen()
  }

  /**
   * Reserves the memory.
   * @param held bytes that the response holds already while it waits
   * @throws ApiError 429 if too many responses hold or await memory
   */
  async take(held: number): Promise<void> {
    if (this.#answer !== undefined || this.#isOver) return
    const bytes = this.#read > 0 ? textPageBytes : this.#bytes
    this.#taken ??= (async () => inFlight.take(bytes, held))()
    this.#answer = await this.#taken
    if (this.#isOver) this.#answer.release()
  }

  readonly seen = (): void => this.#answer?.seen()

  readonly release = (): void => {
    this.#isOver = true
    this.#answer?.release()
  }
}

/** Limits the time for which the reader of one stream leaves it unread. */
class Reader {
  readonly #answer: InFlight | undefined
  readonly #leave: (() => void) | undefined
  #waited = 0
  #waitingSince = 0
  #timeout: ReturnType<typeof setTimeout> | undefined

  /** @param leave is called if the reader leaves the response unread for too long; undefined if there is no such limit */
  constructor(answer: InFlight | undefined, leave: (() => void) | undefined) {
    this.#answer = answer
    this.#leave = leave
  }

  /** Starts the timer: all chunks that were made are in the reader's queue. */
  waits(): void {
    if (this.#leave === undefined) return
    this.#waitingSince = Date.now()
    this.#timeout = setTimeout(this.#leave, Math.max(0, maxUnreadMs - this.#waited))
  }

  /** Stops the timer: the reader asks for the next chunk. */
  asks(): void {
    this.#answer?.seen()
    if (this.#timeout === undefined) return
    clearTimeout(this.#timeout)
    this.#timeout = undefined
    this.#waited += Date.now() - this.#waitingSince
  }

  ends(): void {
    clearTimeout(this.#timeout)
    this.#answer?.release()
  }
}

/**
 * Returns a stream that makes its next chunk when the reader has taken the last one. A page is memory outside V8's heap, and V8
 * lets 64 MiB of it gather before it collects: the buffer is freed explicitly, when later chunks were taken too and it is
 * therefore sent.
 */
function streamOf(first: Uint8Array[], source: Chunks, answer: InFlight | undefined, relayed = false): StreamContent {
  let sent = 0
  let report: ((bytes: number) => void) | undefined
  const handedOut: ArrayBufferLike[] = []
  const next = async (): Promise<Uint8Array | undefined> => {
    const known = first.shift()
    if (known !== undefined) return known
    if (answer !== undefined && inFlight.isShared) await nextSlice()
    const made = await source.next()
    return made.done === true ? undefined : made.value
  }
  let reader: Reader | undefined
  const end = (): void => {
    reader?.ends()
    void source.return?.()
  }
  const content = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const leave = (): void => {
          controller.error(new Error('the client does not read its answer'))
          end()
        }
        reader = new Reader(answer, relayed ? undefined : leave)
      },
      async pull(controller) {
        reader?.asks()
        try {
          const chunk = await next()
          if (chunk === undefined) {
            controller.close()
            end()
            report?.(sent)
            return
          }
          sent += chunk.byteLength
          controller.enqueue(chunk)
          handedOut.push(chunk.buffer)
          if (handedOut.length > 3) freeBuffer(handedOut.shift())
          reader?.waits()
        } catch (error) {
          end()
          throw error
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  )
  const whenSent = (to: (bytes: number) => void): void => {
    report = to
  }
  return { content, whenSent }
}

/** Reads the first chunks, until it is known whether the body is large. `ended`: there are no further chunks. */
async function begun(
  source: Chunks,
): Promise<{ readonly first: Uint8Array[]; readonly length: number; readonly ended: boolean }> {
  const first: Uint8Array[] = []
  let length = 0
  while (length <= largeBytes) {
    const made = await source.next()
    if (made.done === true) return { first, length, ended: true }
    first.push(made.value)
    length += made.value.byteLength
  }
  return { first, length, ended: false }
}

async function begunIn(room: Room | undefined, source: Chunks): ReturnType<typeof begun> {
  try {
    return await begun(source)
  } catch (error) {
    room?.release()
    throw error
  }
}

/**
 * Returns a body of chunks. The first chunks are made at once, until it is known whether the body is large. A large body waits
 * until there is memory for it.
 * @throws ApiError 429 if there is no memory in time, and errors of the source while the first chunks are made
 */
export async function streamBody(source: Chunks, making: Making = {}): Promise<Body> {
  const { bytes = pageBytes, relayed = false, room } = making
  const { first, length, ended } = await begunIn(room, source)
  if (ended) return { ...streamOf(first, source, room, relayed), large: length > largeBytes }
  try {
    await room?.take(length)
    return { ...streamOf(first, source, room ?? (await inFlight.take(bytes, length)), relayed), large: true }
  } catch (error) {
    room?.release()
    for (const { buffer } of first) freeBuffer(buffer)
    void source.return?.()
    throw error
  }
}

/** Does the same for chunks that are made of another body, which has waited for memory itself. A short body becomes bytes. */
export async function chunkedBody(source: Chunks): Promise<Body> {
  const { first, length, ended } = await begun(source)
  if (!ended) return { ...streamOf(first, source, undefined), large: true }
  return { content: joined(first) as Uint8Array<ArrayBuffer>, large: length > largeBytes }
}
