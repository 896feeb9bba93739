/** Watches whose events have no representation. */

/** Whether the chunk is only the white space of a heartbeat. */
const isHeartbeat = (chunk: Uint8Array): boolean => chunk.every((byte) => byte === 0x20 || byte === 0x0a)

/**
 * Returns a stream that ends, empty, when the first event comes. kube-apiserver ends a watch in this way if it cannot encode an
 * event: no event is the list that PartialObjectMetadataList needs.
 */
export function endAtFirstEvent(events: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = events.getReader()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done && isHeartbeat(value)) return controller.enqueue(value)
      controller.close()
      if (!done) await reader.cancel()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
