/**
 * Discards the rest of a request's body after the response is known. If the server closes a connection before it has read the
 * whole body, the connection is reset and the client may never see the response. So the rest is read, within bounds. Go's server
 * does the same with 256 KiB.
 */
import { isProxiedSpdy } from '../net/proxied-spdy.ts'

/** The maximum number of bytes to discard. A client that sends more may see a closed connection. */
const mostBytes = 128 * 1024 * 1024
/** The maximum time in milliseconds. */
const mostTime = 5_000

/** Reads and discards the rest of a body. Returns at its end, or if it is too long or too slow. Never throws. */
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
    // The client has disconnected.
  } finally {
    clearTimeout(timer)
  }
}

/** Discards the body of a request if the request has one and nothing else reads it, unless it is SPDY. Never throws. */
export async function discardBody(request: Request): Promise<void> {
  const { body, bodyUsed } = request
  if (body === null || bodyUsed || body.locked || isProxiedSpdy(request)) return
  await discard(body.getReader())
}
