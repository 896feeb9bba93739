/** Reads a body in large chunks. The runtime by itself gives chunks of 4 KiB, each of which costs a turn of the event loop. */

const leastBytes = 64 * 1024
const mostBytes = 256 * 1024

/**
 * Yields the bytes of a body in chunks of 64 to 256 KiB; the last chunk may be shorter. Cancels the body if the caller stops
 * before its end.
 * @param body the body of a request or response; null yields nothing
 */
export async function* bodyChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader({ mode: 'byob' })
  try {
    for (;;) {
      const { value, done } = await reader.readAtLeast(leastBytes, new Uint8Array(mostBytes))
      if (value !== undefined && value.byteLength > 0) yield value
      if (done) return
    }
  } finally {
    // Cancelling fails if the stream has ended or failed; that is no error here.
    await reader.cancel().catch(() => undefined)
  }
}
