import { expect, test, vi } from 'vitest'
import { MissingLookups } from '../meta/lookups.ts'
import type { EventEncoder, StoreEvent } from './store.ts'
import { WatchHub } from './watch-hub.ts'
import { DEFAULT_WATCH_OPTIONS } from './watcher.ts'

const text = new TextEncoder()

function encoderOf(name: string): EventEncoder {
  return {
    name,
    encode: (type, { resourceVersion }) => text.encode(`${name} ${type} ${resourceVersion}\n`),
    bookmark: () => text.encode('bookmark\n'),
    heartbeat: () => text.encode('\n'),
  }
}

const added = (resourceVersion: number): StoreEvent => ({
  type: 'ADDED',
  object: { key: `pods/a/${resourceVersion}`, resourceVersion, value: '{}', labels: '' },
  previous: undefined,
})

const newHub = (): WatchHub =>
  new WatchHub(
    {
      compactedResourceVersion: 0,
      readLog: () => {
        throw new Error('what is recent is in memory')
      },
      now: Date.now,
    },
    DEFAULT_WATCH_OPTIONS,
    1,
  )

const watch = (hub: WatchHub, resourceVersion: number, encoder: EventEncoder): ReadableStreamDefaultReader<Uint8Array> =>
  hub
    .watch({ prefix: 'pods/', resourceVersion, encoder, matches: undefined, bookmarks: false, timeoutMilliseconds: 1_000 })
    .getReader()

async function textUntil(reader: ReadableStreamDefaultReader<Uint8Array>, last: string): Promise<string> {
  let all = ''
  while (!all.endsWith(last)) all += new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
  return all
}

test('a watch that starts while events are queued gets each event after its resourceVersion once', async () => {
  const hub = newHub()
  const encoder = encoderOf('plain')
  const early = watch(hub, 1, encoder)
  hub.publish([added(2), added(3)])
  const late = watch(hub, 3, encoder)
  const older = watch(hub, 2, encoder)
  hub.publish([added(4), added(5)])
  expect(await textUntil(late, '5\n')).toBe('plain ADDED 4\nplain ADDED 5\n')
  expect(await textUntil(older, '5\n')).toBe('plain ADDED 3\nplain ADDED 4\nplain ADDED 5\n')
  expect(await textUntil(early, '5\n')).toBe('plain ADDED 2\nplain ADDED 3\nplain ADDED 4\nplain ADDED 5\n')
})

test('queued events are sent as one chunk', async () => {
  const hub = newHub()
  const reader = watch(hub, 1, encoderOf('plain'))
  hub.publish([added(2)])
  hub.publish([added(3)])
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('plain ADDED 2\nplain ADDED 3\n')
  await reader.cancel()
})

test("a watch's first event uses its own encoder, even if other watches are ahead", async () => {
  const hub = newHub()
  const encoder = { ...encoderOf('first'), following: encoderOf('following') }
  const one = watch(hub, 1, encoder)
  hub.publish([added(2)])
  expect(new TextDecoder().decode((await one.read()).value)).toBe('first ADDED 2\n')
  const two = watch(hub, 2, encoder)
  hub.publish([added(3), added(4)])
  expect(await textUntil(one, '4\n')).toBe('following ADDED 3\nfollowing ADDED 4\n')
  expect(await textUntil(two, '4\n')).toBe('first ADDED 3\nfollowing ADDED 4\n')
})

/** An encoder for which each event has to be fetched first; the fetch for version `refused` fails. */
function slowEncoder(refused?: number): EventEncoder {
  const come = new Set<number>()
  const fetched = async (resourceVersion: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    if (resourceVersion === refused) throw new Error('down')
    come.add(resourceVersion)
  }
  const plain = encoderOf('slow')
  return {
    ...plain,
    encode: (type, object) => {
      if (come.delete(object.resourceVersion)) return plain.encode(type, object)
      const { resourceVersion } = object
      const resolve = async () => ({ result: await fetched(resourceVersion) })
      throw new MissingLookups([{ where: 'object', key: String(resourceVersion), resolve }])
    },
    failure: (error) => text.encode(`ERROR ${(error as Error).message}\n`),
  }
}

test('events that wait for a fetch are sent in order and do not delay other watches', async () => {
  const hub = newHub()
  const slow = watch(hub, 1, slowEncoder())
  const other = watch(hub, 1, encoderOf('plain'))
  hub.publish([added(2), added(3), added(4)])
  expect(await textUntil(other, '4\n')).toBe('plain ADDED 2\nplain ADDED 3\nplain ADDED 4\n')
  hub.publish([added(5)])
  expect(await textUntil(slow, '5\n')).toBe('slow ADDED 2\nslow ADDED 3\nslow ADDED 4\nslow ADDED 5\n')
})

test('a watch whose event cannot be fetched gets an ERROR event and ends', async () => {
  const hub = newHub()
  const reader = watch(hub, 1, slowEncoder(3))
  hub.publish([added(2), added(3), added(4)])
  let all = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) all += new TextDecoder().decode(next.value)
  expect(all).toBe('slow ADDED 2\nERROR down\n')
})

test('a watcher gets an event in the same turn as its commit, without a timer', async () => {
  vi.useFakeTimers()
  try {
    const hub = newHub()
    const reader = watch(hub, 1, encoderOf('plain'))
    hub.publish([added(2)])
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('plain ADDED 2\n')
    hub.publish([added(3)])
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('plain ADDED 3\n')
    await reader.cancel()
  } finally {
    vi.useRealTimers()
  }
})
