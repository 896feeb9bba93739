/**
 * What a client goes on sending after its answer is known. A connection that is closed before all has come is torn for the client,
 * which may never see the answer: so the rest is read and dropped first, within bounds. Go's server does the same with 256 KiB.
 */

/** So much is read for nothing at most: whoever sends more has to expect a closed connection. */
const mostBytes = 128 * 1024 * 1024
/** So many milliseconds it may take. */
const mostTime = 5_000

/** Reads what is left, and drops it. Returns when there is no more, or it is too much or too slow; never throws. */
export async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), mostTime)
  })
  try {
    for (let bytes = 0; bytes < mostBytes; ) {
      const next = await Promise.race([reader.read(), late])
      if (next === undefined || next.done) return
      bytes += next.value.byteLength
    }
  } catch {
    // The client has gone.
  } finally {
    clearTimeout(timer)
  }
}

/** The same for a request of whose body nothing has been read; nothing is done where there is none, or somebody reads it. */
export async function discardBody({ body, bodyUsed }: Request): Promise<void> {
  if (body === null || bodyUsed || body.locked) return
  await discard(body.getReader())
}
