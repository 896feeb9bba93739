/** Watches whose events have no representation. */

/** Whether the chunk is only the white space of a heartbeat. */
const isHeartbeat = (chunk: Uint8Array): boolean => chunk.every((byte) => byte === 0x20 || byte === 0x0a)

/** Whether the chunk begins with an error event, in JSON or in a frame of protobuf. Its Status has the same form everywhere. */
function isError(chunk: Uint8Array): boolean {
  const start = String.fromCharCode(...chunk.subarray(0, 15))
  return start.startsWith('{"type":"ERROR"') || start.slice(4).startsWith('\n\u0005ERROR')
}

/**
 * Returns a stream that ends, empty, when the first event about an object comes. kube-apiserver ends a watch in this way if it
 * cannot encode an event: no event is the list that PartialObjectMetadataList needs.
 */
export function endAtFirstEvent(events: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = events.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done && (isHeartbeat(value) || isError(value))) return controller.enqueue(value)
      controller.close()
      if (!done) await reader.cancel()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
