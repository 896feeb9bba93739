import { expect, test } from 'vitest'
import type { EventEncoder } from './store.ts'
import { WatchHub } from './watch-hub.ts'
import { DEFAULT_WATCH_OPTIONS } from './watcher.ts'

/** An event of a megabyte whose bytes differ, so that a missing or repeated piece is seen. */
const event = Uint8Array.from({ length: 1_000_003 }, (_, i) => i % 251)
const encoder: EventEncoder = { name: 'bytes', encode: () => event, bookmark: () => event, heartbeat: () => undefined }
const object = { key: 'pods/a/1', resourceVersion: 2, value: '{}', labels: '' }

/** Watches a hub: live, or with a state that is sent first. */
function watch(hub: WatchHub, state?: Iterable<Uint8Array>): ReadableStreamDefaultReader<Uint8Array> {
  const first = state && Object.assign(state, { after: '' })
  const request = {
    prefix: 'pods/',
    resourceVersion: 1,
    encoder,
    matches: undefined,
    bookmarks: false,
    timeoutMilliseconds: 60_000,
  }
  return hub.watch(first === undefined ? request : { ...request, first }).getReader()
}

test.each(['live', 'initial'] as const)('a large event arrives whole, and in pieces: %s', async (when) => {
  const hub = new WatchHub(
    { compactedResourceVersion: 0, readLog: () => ({ events: [], through: 0 }), now: Date.now },
    DEFAULT_WATCH_OPTIONS,
    1,
  )
  const reader = watch(hub, when === 'initial' ? [event] : undefined)
  if (when === 'live') hub.publish([{ type: 'ADDED', object, previous: undefined }])
  const pieces: Uint8Array[] = []
  for (let length = 0; length < event.byteLength; ) {
    const { value = new Uint8Array() } = await reader.read()
    pieces.push(value)
    length += value.byteLength
  }
  expect(Buffer.compare(Buffer.concat(pieces), event)).toBe(0)
  // The runtime holds one piece for each connection: it must be small, and an unshared one must not keep the others in memory.
  expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(64 * 1024)
  if (when === 'initial') expect(pieces.filter(({ buffer }) => buffer === event.buffer)).toEqual([])
  await reader.cancel()
})
