/** Notices the disconnection of a client that watches another server: the runtime reports it only when something is written. */

/** The time without an event after which white space is written, in milliseconds. */
const pause = 30_000
const newline = new Uint8Array([0x0a])

/**
 * Returns the events with white space while none come, which JSON framing ignores.
 * @param events the body of a watch as JSON, an event in each line
 */
export function withHeartbeats(events: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = events.getReader()
  let timer: ReturnType<typeof setInterval> | undefined
  let [isComplete, isRecent] = [true, false]
  const stop = (): void => clearInterval(timer)
  return new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if (isComplete && !isRecent) controller.enqueue(newline)
        isRecent = false
      }, pause)
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          stop()
          controller.close()
          return
        }
        isRecent = true
        isComplete = value.at(-1) === 0x0a
        controller.enqueue(value)
      } catch (error) {
        stop()
        throw error
      }
    },
    cancel(reason) {
      stop()
      return reader.cancel(reason)
    },
  })
}
