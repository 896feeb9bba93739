/** The bytes of a body in large chunks: the runtime itself gives them out by 4 KiB, each of which costs a turn. */

const leastBytes = 64 * 1024
const mostBytes = 256 * 1024

/** Reads a body; who stops taking chunks ends the reading. */
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
    // What has ended, or failed, has nothing left to cancel.
    await reader.cancel().catch(() => undefined)
  }
}
