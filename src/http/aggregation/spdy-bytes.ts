/** SPDY through this server: the bytes of both sides are passed on unread, as UpgradeAwareHandler of k8s.io/apimachinery does. */
import type { Connection } from '../../clusters/webhooks/pinned-fetch.ts'
import type { HttpRequest, Upgraded } from '../../net/http-exchange.ts'
import { agreedHeader, partOf, spdyProtocol } from '../../net/proxied-spdy.ts'
import { answeredHeaders } from './headers.ts'

/** So many bytes are read at once, if they are there. The runtime's own choice is 4 KiB, each of which would be a write. */
const readLength = 64 * 1024

/** Returns what the client has sent; undefined at the end. */
async function next(reader: ReadableStreamBYOBReader): Promise<Uint8Array | undefined> {
  const { done, value } = await reader.read(new Uint8Array(readLength))
  return done ? undefined : value
}

/**
 * Writes what the client sends, as fast as the server takes it, until the client has gone; then the connection is closed. A server that
 * takes no more has ended: the rest is discarded, because all that the server has sent before is still to be read. Never rejects.
 */
async function passBody({ http, close }: Connection, body: ReadableStream<Uint8Array>): Promise<void> {
  let isTaken = true
  try {
    const reader = body.getReader({ mode: 'byob' })
    for (let part = await next(reader); part !== undefined; part = await next(reader)) {
      if (isTaken) isTaken = await taken(http.write(part))
    }
  } catch {
    // The client has gone without a word.
  }
  close()
}

const taken = (write: Promise<void>): Promise<boolean> =>
  write.then(
    () => true,
    () => false,
  )

/**
 * Returns what the server sends, read as fast as the client takes it.
 * @param passed resolves when the client has gone
 */
function bodyOf({ bytes }: Upgraded, close: () => void, passed: Promise<void>): ReadableStream<Uint8Array> {
  let hasEnded = false
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (hasEnded) {
        await passed
        controller.close()
        return
      }
      // A connection that is lost has ended.
      const next = await bytes.next().catch(() => undefined)
      hasEnded = next === undefined || next.done === true
      if (hasEnded) close()
      if (next?.value === undefined) controller.enqueue(partOf())
      else if (next.value.length > 0) controller.enqueue(partOf(next.value))
    },
    cancel: close,
  })
}

/**
 * Asks a server for SPDY, and passes on the bytes of both sides.
 * @param connection is closed at the end of either side
 * @param received the client's request, which the TLS proxy has passed on
 * @returns the response by which the TLS proxy switches the protocol, or the response of a server that refuses
 * @throws HttpError if the server's response is not HTTP
 */
export async function joinSpdy(connection: Connection, request: HttpRequest, received: Request): Promise<Response> {
  const { http, close } = connection
  received.signal.addEventListener('abort', close, { once: true })
  const headers = [...request.headers, ['Connection', 'Upgrade'] as const, ['Upgrade', spdyProtocol] as const]
  const upgraded = await http.upgrade({ ...request, headers, body: null }, close).catch((error: unknown) => {
    close()
    throw error
  })
  if (upgraded instanceof Response) {
    // Only this server agrees by it.
    upgraded.headers.delete(agreedHeader)
    return upgraded
  }
  const passed = received.body === null ? Promise.resolve() : passBody(connection, received.body)
  const own = { [agreedHeader]: upgraded.headers.get('upgrade') ?? spdyProtocol }
  return new Response(bodyOf(upgraded, close, passed), { headers: answeredHeaders(upgraded.headers, own), encodeBody: 'manual' })
}
