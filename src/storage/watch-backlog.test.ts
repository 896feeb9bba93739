import { expect, test } from 'vitest'
import type { EventEncoder, StoreEvent } from './store.ts'
import { WatchHub } from './watch-hub.ts'
import { DEFAULT_WATCH_OPTIONS } from './watcher.ts'

const text = new TextEncoder()
const chunkBytes = 100_000

const encoderOf = (name: string): EventEncoder => ({
  name,
  encode: (_type, { resourceVersion }) => text.encode(`${resourceVersion} `.padEnd(chunkBytes, name)),
  bookmark: () => text.encode('bookmark\n'),
  heartbeat: () => text.encode('\n'),
})

const added = (resourceVersion: number): StoreEvent => ({
  type: 'ADDED',
  object: { key: `pods/a/${resourceVersion}`, resourceVersion, value: '{}', labels: '' },
  previous: undefined,
})

const newHub = (): WatchHub => {
  const source = { compactedResourceVersion: 0, readLog: () => ({ events: [], through: 0 }), now: Date.now }
  return new WatchHub(source, { ...DEFAULT_WATCH_OPTIONS, isolateBacklogBytes: 8 * chunkBytes }, 1)
}

const watch = (hub: WatchHub, name: string): ReadableStreamDefaultReader<Uint8Array> =>
  hub
    .watch({
      prefix: 'pods/',
      resourceVersion: 1,
      encoder: encoderOf(name),
      matches: undefined,
      bookmarks: false,
      timeoutMilliseconds: 60_000,
    })
    .getReader()

/** Reads an event, which is sent in pieces, and returns its first bytes. */
async function readEvent(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let first: Uint8Array | undefined
  for (let length = 0; length < chunkBytes; ) {
    const { value } = (await reader.read()) as { value: Uint8Array }
    first ??= value.subarray(0, 4)
    length += value.byteLength
  }
  return new TextDecoder().decode(first)
}

/** Publishes an event in each hub, and reads it with all readers. */
async function publish(hubs: readonly WatchHub[], resourceVersion: number, readers: readonly ReadableStreamDefaultReader[]) {
  for (const hub of hubs) hub.publish([added(resourceVersion)])
  for (const reader of readers) {
    expect((await readEvent(reader)).split(' ')[0]).toBe(String(resourceVersion))
  }
}

test('beyond the backlog of an isolate the watches that are not read are closed, in all hubs, and others get every event', async () => {
  const hubs = [newHub(), newHub(), newHub()]
  const slow = hubs.map((hub) => watch(hub, 's'))
  const fast = hubs.map((hub) => watch(hub, 'f'))
  for (let version = 2; version < 30; version++) await publish(hubs, version, fast)
  const ends = await Promise.allSettled(
    slow.map(async (reader) => {
      for (;;) if ((await reader.read()).done) return
    }),
  ).then((results) => results.map(({ status }) => status))
  expect(ends).toEqual(['rejected', 'rejected', 'rejected'])
  for (const reader of fast) await reader.cancel()
})

test('watches of one view that lag behind together count once', async () => {
  const hub = newHub()
  const slow = Array.from({ length: 8 }, () => watch(hub, 's'))
  const fast = watch(hub, 'f')
  for (let version = 2; version < 8; version++) await publish([hub], version, [fast])
  for (const reader of slow) {
    expect((await reader.read()).done).toBe(false)
    await reader.cancel()
  }
  await fast.cancel()
})
