import { expect, test } from 'vitest'
import { endAtFirstEvent } from './first-event.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('a watch ends before its first event, and not at a heartbeat', async () => {
  let isCancelled = false
  const events = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of ['\n', ' \n', '{"type":"ADDED"}\n']) controller.enqueue(bytes(text))
    },
    cancel() {
      isCancelled = true
    },
  })
  expect(await new Response(endAtFirstEvent(events)).text()).toBe('\n \n')
  expect(isCancelled).toBe(true)
})
