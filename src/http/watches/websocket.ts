/** Serves the events of a watch to a client's WebSocket, one in each message. */
import { frameLength } from '../../protobuf/watch-event.ts'

const normalClosure = 1000
/** Unread bytes at which the client has to read before it is sent more. */
const mostUnread = 1024 * 1024
/** Milliseconds between two checks of a client that has to read. */
const pause = 100
/** Checks without progress after which a client is disconnected. */
const mostChecks = 150

const newline = 0x0a

/** Yields the events in the bytes of a stream, without what separates them. */
export type SplitEvents = (bytes: Uint8Array) => {
  readonly messages: readonly (string | Uint8Array)[]
  readonly rest: Uint8Array
}

/** Splits lines of JSON. Empty lines, which keep an HTTP connection alive, are left out. */
export const splitLines: SplitEvents = (bytes) => {
  const messages: string[] = []
  let start = 0
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
    if (end > start) messages.push(Buffer.from(bytes.subarray(start, end + 1)).toString())
    start = end + 1
  }
  return { messages, rest: bytes.subarray(start) }
}

/** Splits events in protobuf, each of which has its length in front. */
export const splitFrames: SplitEvents = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const messages: Uint8Array[] = []
  let start = 0
  while (start + frameLength <= bytes.byteLength) {
    const end = start + frameLength + view.getUint32(start)
    if (end > bytes.byteLength) break
    messages.push(bytes.subarray(start + frameLength, end))
    start = end
  }
  return { messages, rest: bytes.subarray(start) }
}

/** Resolves when the client has read enough. Resolves to false if it does not read, or has gone. */
async function hasRead(socket: WebSocket): Promise<boolean> {
  let unread = socket.bufferedAmount
  for (let checks = 0; unread >= mostUnread; checks++) {
    if (checks === mostChecks) return false
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (socket.bufferedAmount < unread) checks = 0
    unread = socket.bufferedAmount
  }
  return socket.readyState === WebSocket.OPEN
}

async function pump(reader: ReadableStreamDefaultReader<Uint8Array>, socket: WebSocket, split: SplitEvents): Promise<void> {
  let kept: Uint8Array = new Uint8Array()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const { messages, rest } = split(kept.byteLength === 0 ? next.value : Buffer.concat([kept, next.value]))
    kept = rest
    for (const message of messages) socket.send(message)
    if (!(await hasRead(socket))) break
  }
}

/**
 * Opens a WebSocket to which the events are sent.
 * @returns the client's end
 */
export function webSocketOf(events: ReadableStream<Uint8Array>, split: SplitEvents): WebSocket {
  const { 0: client, 1: server } = new WebSocketPair()
  const reader = events.getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  server.addEventListener('close', cancel)
  server.addEventListener('error', cancel)
  server.accept()
  pump(reader, server, split)
    .catch(() => undefined)
    .then(() => {
      cancel()
      if (server.readyState === WebSocket.OPEN) server.close(normalClosure)
    })
    .catch(() => undefined)
  return client
}
