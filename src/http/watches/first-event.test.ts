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

test.each([
  ['JSON', bytes('{"type":"ERROR","object":{"kind":"Status"}}\n')],
  ['protobuf', bytes('\0\0\0\x07\n\x05ERROR')],
])('an error event in %s is passed on', async (_format, event) => {
  const events = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(event)
      controller.close()
    },
  })
  expect(await new Response(endAtFirstEvent(events)).bytes()).toEqual(event)
})
