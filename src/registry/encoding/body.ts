/** The body of an answer: how much it is decides whether it is compressed, and whether it has to wait. */
import { isLarge, largeBytes, type ProtobufMediaType, protobufMediaType } from '../../clusters/operation.ts'
import { giveBack } from '../../meta/give-back.ts'
import { nextSlice } from '../../meta/slices.ts'
import { joined } from '../../storage/shared-event.ts'
import { BytesInFlight, type InFlight } from './bytes-in-flight.ts'

/** A text, bytes or a stream, and whether it is long. */
export interface Body {
  readonly content: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  /** Whether it has more than `largeBytes`. */
  readonly large: boolean
  /** JSON where nothing is said. */
  readonly mediaType?: ProtobufMediaType
}

/** A text as a body. */
export function textBody(text: string): Body {
  return { content: text, large: isLarge(text) }
}

/** What is made chunk by chunk, at once or in time. */
export type Chunks = Iterator<Uint8Array> | AsyncIterator<Uint8Array>

/** Chunks of protobuf as a body; what the source throws at its beginning is thrown. */
export async function protobufBody(source: Chunks, making?: Making): Promise<Body> {
  return { ...(await streamBody(source, making)), mediaType: protobufMediaType }
}

/** For so long a reader may let an answer wait, in all, in milliseconds: a request's time, as kube-apiserver has it. */
const patience = 60_000

/**
 * What a list holds while it is read, about: some pages of rows, one of which is written while another is on its way. Where
 * pages are made of texts, and not of bytes that are given back by hand, V8 lets them gather in proportion to what is in use.
 */
const pageBytes = 6 * 1024 * 1024
const textPageBytes = 48 * 1024 * 1024

const inFlight = new BytesInFlight({
  bytes: 96 * 1024 * 1024,
  waitingBytes: 48 * 1024 * 1024,
  longestWait: patience / 4,
  lost: patience * 2,
})

/** How a long answer is made, and who reads it. */
export interface Making {
  /** What it holds at most, in bytes; some pages of rows where nothing is said. */
  readonly bytes?: number
  /** Whether the Worker reads it, and itself sees to it that the client does not let it wait for too long. */
  readonly relayed?: boolean
  /** Where its pages are made of texts, here or by the Worker. */
  readonly room?: Room | undefined
}

/** A text list that has read less than this, in bytes, needs no room. */
const freeBytes = 8 * 1024 * 1024

/** The room of a long answer that is made of texts: taken once, by whoever first finds that it is long. */
export class Room implements InFlight {
  readonly #bytes: number
  #taken: Promise<InFlight> | undefined
  #answer: InFlight | undefined
  #isOver = false
  #read = 0

  /** @param madeOf of what pages are made as long as nothing is said to be read */
  constructor(madeOf: 'texts' | 'bytes' = 'texts') {
    this.#bytes = madeOf === 'texts' ? textPageBytes : pageBytes
  }

  /** Takes note of bytes that are read as texts, which may be much more than what is made of them. @throws ApiError 429 as `take` does */
  async read(bytes: number): Promise<void> {
    this.#read += bytes
    if (this.#read > freeBytes) await this.take(0)
    this.seen()
  }

  /**
   * @param held what is held already
   * @throws ApiError 429 where there is no room
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

/** What a stream does when its reader takes something, and when it ends. */
class Reader {
  readonly #answer: InFlight | undefined
  readonly #leave: (() => void) | undefined
  #waited = 0
  #waitingSince = 0
  #timeout: ReturnType<typeof setTimeout> | undefined

  /** @param leave runs where the reader has let the answer wait for too long; undefined for one that may */
  constructor(answer: InFlight | undefined, leave: (() => void) | undefined) {
    this.#answer = answer
    this.#leave = leave
  }

  /** The reader has everything that there is, and may take its time. */
  waits(): void {
    if (this.#leave === undefined) return
    this.#waitingSince = Date.now()
    this.#timeout = setTimeout(this.#leave, Math.max(0, patience - this.#waited))
  }

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
 * A stream that makes its next chunk when the reader has taken the last. A page is memory outside the heap, of which V8 lets
 * 64 MiB gather before it looks: it is given back by hand, when the chunk after it has been taken too and so it has been sent.
 */
function streamOf(
  first: Uint8Array[],
  source: Chunks,
  answer: InFlight | undefined,
  relayed = false,
): ReadableStream<Uint8Array> {
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
  return new ReadableStream<Uint8Array>(
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
            return
          }
          controller.enqueue(chunk)
          handedOut.push(chunk.buffer)
          if (handedOut.length > 3) giveBack(handedOut.shift())
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
}

/** The first chunks, as many as it takes to know whether there is much; `ended`: they are all. */
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
 * Chunks as a body. So many are made at once as it takes to know whether it is long; a long one waits until there is room for it.
 * What the source throws at its beginning is thrown.
 * @throws ApiError 429 where there is no room for it
 */
export async function streamBody(source: Chunks, making: Making = {}): Promise<Body> {
  const { bytes = pageBytes, relayed = false, room } = making
  const { first, length, ended } = await begunIn(room, source)
  if (ended) return { content: streamOf(first, source, room, relayed), large: length > largeBytes }
  try {
    await room?.take(length)
    return { content: streamOf(first, source, room ?? (await inFlight.take(bytes, length)), relayed), large: true }
  } catch (error) {
    room?.release()
    for (const { buffer } of first) giveBack(buffer)
    void source.return?.()
    throw error
  }
}

/** The same for what is made of another body, which waits itself: bytes where it is short. */
export async function chunkedBody(source: Chunks): Promise<Body> {
  const { first, length, ended } = await begun(source)
  if (!ended) return { content: streamOf(first, source, undefined), large: true }
  return { content: joined(first) as Uint8Array<ArrayBuffer>, large: length > largeBytes }
}
