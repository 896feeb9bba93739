/** The body of an answer on its way to the Worker: how much it is decides whether it is compressed there. */
import { isLarge, largeBytes, type ProtobufMediaType, protobufMediaType } from '../clusters/operation.ts'

/** A text or a stream, and whether it is long. */
export interface Body {
  readonly content: string | ReadableStream<Uint8Array>
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
export async function protobufBody(source: Chunks): Promise<Body> {
  return { ...(await streamBody(source)), mediaType: protobufMediaType }
}

/**
 * A stream that makes its next chunk when the reader has taken the last. A page is memory outside the heap, of which V8 lets
 * 64 MiB gather before it looks: it is given back by hand, when the chunk after it has been taken too and so it has been sent.
 */
function streamOf(first: Uint8Array[], source: Chunks): ReadableStream<Uint8Array> {
  const handedOut: ArrayBuffer[] = []
  const next = async (): Promise<Uint8Array | undefined> => {
    const known = first.shift()
    if (known !== undefined) return known
    const made = await source.next()
    return made.done === true ? undefined : made.value
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next()
        if (chunk === undefined) {
          controller.close()
          return
        }
        controller.enqueue(chunk)
        if (chunk.buffer instanceof ArrayBuffer) handedOut.push(chunk.buffer)
        if (handedOut.length > 3) handedOut.shift()?.transfer(0)
      },
    },
    { highWaterMark: 1 },
  )
}

/** Chunks as a body. So many are made at once as it takes to know whether it is long. What the source throws then is thrown. */
export async function streamBody(source: Chunks): Promise<Body> {
  const first: Uint8Array[] = []
  let length = 0
  while (length <= largeBytes) {
    const made = await source.next()
    if (made.done === true) break
    first.push(made.value)
    length += made.value.byteLength
  }
  return { content: streamOf(first, source), large: length > largeBytes }
}
