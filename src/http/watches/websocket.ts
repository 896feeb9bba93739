/** Serves the events of a watch to a client's WebSocket, one in each message. */
import type { EventSplitter } from './event-splitter.ts'

const normalClosure = 1000
/** Unread bytes at which the client has to read before it is sent more. */
const mostUnread = 1024 * 1024
/** Milliseconds between two checks of a client that has to read. */
const pause = 100
/** Checks without progress after which a client is disconnected. */
const mostChecks = 150

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

async function pump(reader: ReadableStreamDefaultReader<Uint8Array>, socket: WebSocket, split: EventSplitter): Promise<void> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const messages = split(next.value)
    for (const message of messages) socket.send(message)
    if (messages.length > 0 && !(await hasRead(socket))) break
  }
}

/**
 * Opens a WebSocket to which the events are sent.
 * @returns the client's end
 */
export function webSocketOf(events: ReadableStream<Uint8Array>, split: EventSplitter): WebSocket {
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
