/** The contract of a Store for watches. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventEncoder, EventType, Store, Stored, WatchRequest } from '../../src/storage/store.ts'
import { Lines } from './lines.ts'
import type { MakeStore } from './make-store.ts'
import { commandGroups, Model, put, remove, writeGroup } from './store-model.ts'

const text = new TextEncoder()

/** An event that a watcher of these tests receives. */
interface WatchedEvent {
  readonly type: EventType | 'BOOKMARK' | 'HEARTBEAT' | 'FIRST'
  readonly key?: string
  readonly resourceVersion?: number
  readonly value?: string
}

const bytes = (received: WatchedEvent): Uint8Array => text.encode(`${JSON.stringify(received)}\n`)

const encoder: EventEncoder = {
  name: 'test',
  encode: (type, { key, resourceVersion, value }) => bytes({ type, key, resourceVersion, value }),
  bookmark: (resourceVersion) => bytes({ type: 'BOOKMARK', resourceVersion }),
  heartbeat: () => bytes({ type: 'HEARTBEAT' }),
}

const request = (changes: Partial<WatchRequest> = {}): WatchRequest => ({
  prefix: 'pods/',
  resourceVersion: 1,
  encoder,
  bookmarks: false,
  timeoutMilliseconds: 60_000,
  ...changes,
})

/** Reads until `isLast`, or to the end; then cancels. */
async function readUntil(
  stream: ReadableStream<Uint8Array>,
  isLast: (received: WatchedEvent, index: number) => boolean,
): Promise<WatchedEvent[]> {
  const lines = new Lines(stream)
  const all: WatchedEvent[] = []
  for (;;) {
    const line = await lines.next()
    if (line === undefined) return all
    const received: WatchedEvent = JSON.parse(line)
    all.push(received)
    if (isLast(received, all.length)) {
      await lines.cancel()
      return all
    }
  }
}

const readCount = (stream: ReadableStream<Uint8Array>, count: number): Promise<WatchedEvent[]> =>
  readUntil(stream, (_, index) => index === count)

const formatEvent = ({ type, key }: WatchedEvent): string => `${type} ${key}`

const labelled = (object: Stored): boolean => object.labels !== ''

/** Returns the events of a model that a watch must send. */
function expectedOf(model: Model, { prefix, key, resourceVersion, matches = () => true }: WatchRequest): string[] {
  const all: string[] = []
  for (const { type, object, previous } of model.events) {
    if (object.resourceVersion <= resourceVersion) continue
    if (key === undefined ? !object.key.startsWith(prefix) : object.key !== key) continue
    const wasSelected = previous !== undefined && matches(previous)
    const isSelected = type !== 'DELETED' && matches(object)
    if (!wasSelected && !isSelected) continue
    const name = wasSelected && isSelected ? 'MODIFIED' : isSelected ? 'ADDED' : 'DELETED'
    all.push(`${name} ${object.key} ${object.resourceVersion}`)
  }
  return all
}

function describeEvents(make: MakeStore): void {
  test('are sent live, in order, once, with their type [W2]', () =>
    make().run(async (store) => {
      const stream = store.watch(request({ resourceVersion: store.resourceVersion }))
      await store.write((t) => put(t, 'pods/a/x'))
      await store.write((t) => put(t, 'nodes/x'))
      await store.write((t) => put(t, 'pods/a/x', 'new'))
      const removed = await store.write((t) => remove(t, 'pods/a/x'))
      const received = await readCount(stream, 3)
      expect(received.map(formatEvent)).toEqual(['ADDED pods/a/x', 'MODIFIED pods/a/x', 'DELETED pods/a/x'])
      expect(received[2]).toMatchObject({ resourceVersion: removed?.resourceVersion, value: removed?.value })
    }))

  test('are replayed from an older resourceVersion and continue without gaps or duplicates [W3]', () =>
    fc.assert(
      fc.asyncProperty(
        commandGroups,
        fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (groups, starts, restart) => {
          const handle = make()
          const model = new Model()
          const half = Math.floor(groups.length / 2)
          await handle.run(async (store) => {
            for (const group of groups.slice(0, half)) await writeGroup(store, model, group)
          })
          if (restart) await handle.evict()
          await handle.run(async (store) => {
            const watches: { request: WatchRequest; seen: Promise<WatchedEvent[]> }[] = []
            const open = (start: number, index: number): void => {
              const watchRequest = request({
                prefix: ['pods/', 'pods/a/'][index % 2] ?? '',
                resourceVersion: 1 + (start % store.resourceVersion),
                ...(index % 3 === 1 && { matches: labelled }),
                ...(index % 5 === 4 && { key: 'pods/a/x' }),
              })
              watches.push({
                request: watchRequest,
                seen: readUntil(store.watch(watchRequest), ({ value }) => value?.includes('"the end"') ?? false),
              })
            }
            starts.forEach(open)
            for (const [index, group] of groups.slice(half).entries()) {
              const writing = writeGroup(store, model, group)
              open(1_000 + index, index)
              await writing
            }
            for (const key of ['pods/a/end', 'pods/a/x']) {
              await store.write((t) => remove(t, key)).then((removed) => removed && model.record('DELETED', removed))
              const last = await store.write((t) => put(t, key, 'the end', '{"on":"yes"}'))
              model.record('ADDED', last)
            }
            for (const { request: watchRequest, seen: received } of watches) {
              const expected = expectedOf(model, watchRequest)
              const last = watchRequest.key === undefined ? 'pods/a/end' : 'pods/a/x'
              const end = expected.findIndex(
                (line) =>
                  line === `ADDED ${last} ${model.events.findLast((event) => event.object.key === last)?.object.resourceVersion}`,
              )
              expect((await received).map(({ type, key, resourceVersion }) => `${type} ${key} ${resourceVersion}`)).toEqual(
                expected.slice(0, end + 1),
              )
            }
          })
        },
      ),
      { numRuns: 40 },
    ))

  test('are complete if they take more than one batch of history', () =>
    make().run(async (store) => {
      await Promise.all(
        Array.from({ length: 2_500 }, (_, i) => store.write((t) => put(t, `${i % 3 === 0 ? 'pods' : 'nodes'}/a/${i}`))),
      )
      const stream = store.watch(request())
      await store.write((t) => put(t, 'pods/a/end'))
      const received = await readUntil(stream, ({ key }) => key === 'pods/a/end')
      expect(received.map(({ key }) => key)).toEqual([...Array.from({ length: 834 }, (_, i) => `pods/a/${i * 3}`), 'pods/a/end'])
    }))

  test('DELETED for an object that leaves the selection, in its last selected state under the new resourceVersion [W4]', () =>
    make().run(async (store) => {
      const stream = store.watch(request({ matches: labelled }))
      await store.write((t) => put(t, 'pods/a/x', 'in', '{"a":"b"}'))
      const left = await store.write((t) => put(t, 'pods/a/x', 'out'))
      await store.write((t) => put(t, 'pods/a/x', 'still out'))
      await store.write((t) => put(t, 'pods/a/x', 'in again', '{"a":"b"}'))
      await store.write((t) => remove(t, 'pods/a/x'))
      const live = await readCount(stream, 4)
      expect(live.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'ADDED', 'DELETED'])
      const value = JSON.parse(live[1]?.value ?? '')
      expect(live[1]?.resourceVersion).toBe(left.resourceVersion)
      expect(value).toEqual({ metadata: { name: 'pods/a/x', resourceVersion: String(left.resourceVersion) }, data: 'in' })
      expect(await readCount(store.watch(request({ matches: labelled })), 4)).toEqual(live)
    }))

  test('are encoded once for all watchers of a representation [W6]', () =>
    make().run(async (store) => {
      let encoded = 0
      const counting = {
        ...encoder,
        encode: (type: EventType, object: Stored) => {
          encoded++
          return encoder.encode(type, object)
        },
      }
      const streams = Array.from({ length: 300 }, () => store.watch(request({ encoder: counting })))
      await store.write((t) => put(t, 'pods/a/x'))
      await Promise.all(streams.map((stream) => readCount(stream, 1)))
      expect(encoded).toBe(1)
    }))

  test('after the first are encoded by `following`', () =>
    make().run(async (store) => {
      const tagged = (value: string): EventEncoder => ({ ...encoder, name: value, encode: (type) => bytes({ type, value }) })
      const both = { ...tagged('first'), following: tagged('following') }
      const early = store.watch(request({ encoder: both }))
      await store.write((t) => put(t, 'pods/a/x'))
      const late = store.watch(
        request({ encoder: both, first: [bytes({ type: 'FIRST' })], resourceVersion: store.resourceVersion }),
      )
      await store.write((t) => put(t, 'pods/a/y'))
      expect((await readCount(early, 2)).map(({ value }) => value)).toEqual(['first', 'following'])
      expect((await readCount(late, 2)).map(({ type, value }) => value ?? type)).toEqual(['FIRST', 'following'])
    }))

  test('are not sent for operations that throw', () =>
    make().run(async (store) => {
      const stream = store.watch(request())
      const refused = store.write((t) => {
        put(t, 'pods/a/refused')
        throw new Error('refused')
      })
      await Promise.allSettled([refused, store.write((t) => put(t, 'pods/a/x'))])
      expect((await readCount(stream, 1)).map(formatEvent)).toEqual(['ADDED pods/a/x'])
    }))
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function fill(store: Store, count: number, data: string): Promise<void> {
  for (let i = 0; i < count; i++) await store.write((t) => put(t, `pods/a/${i}`, data))
}

function describeLife(make: MakeStore): void {
  test('410 Expired from a version that history does not reach [W5]', () =>
    make({ historySeconds: 0, historyEvents: 0, now: () => 0 }).run(async (store) => {
      await fill(store, 3, '')
      while (store.compact(0));
      expect(() => store.watch(request({ resourceVersion: 3 }))).toThrow(
        expect.objectContaining({ code: 410, reason: 'Expired', message: 'too old resource version: 3 (4)' }),
      )
      const stream = store.watch(request({ resourceVersion: 4 }))
      await store.write((t) => put(t, 'pods/a/x'))
      expect((await readCount(stream, 1)).map(formatEvent)).toEqual(['ADDED pods/a/x'])
    }))

  test('send their initial state before all events [W7]', () =>
    make().run(async (store) => {
      await fill(store, 2, '')
      const first = Array.from({ length: 5 }, () => bytes({ type: 'FIRST' }))
      const received = await readCount(store.watch(request({ first })), 7)
      expect(received.map(({ type }) => type)).toEqual(['FIRST', 'FIRST', 'FIRST', 'FIRST', 'FIRST', 'ADDED', 'ADDED'])
    }))

  test('end after their timeout, with a bookmark if requested [W14]', () =>
    make({ watch: { lastBookmarkMilliseconds: 10 } }).run(async (store) => {
      await fill(store, 2, '')
      const watchRequest = { resourceVersion: store.resourceVersion, timeoutMilliseconds: 20 }
      expect(await readUntil(store.watch(request(watchRequest)), () => false)).toEqual([])
      const received = await readUntil(store.watch(request({ ...watchRequest, bookmarks: true })), () => false)
      expect(received).toEqual([{ type: 'BOOKMARK', resourceVersion: store.resourceVersion }])
      const short = { ...watchRequest, bookmarks: true, timeoutMilliseconds: 10 }
      expect(await readUntil(store.watch(request(short)), () => false)).toEqual([])
    }))

  test('send a bookmark with the current version even if history has no event for them [W15]', () =>
    make({ watch: { lastBookmarkMilliseconds: 10 } }).run(async (store) => {
      await Promise.all(Array.from({ length: 2_500 }, (_, i) => store.write((t) => put(t, `nodes/${i}`))))
      const received = await readUntil(store.watch(request({ bookmarks: true, timeoutMilliseconds: 100 })), () => false)
      expect(received).toEqual([{ type: 'BOOKMARK', resourceVersion: store.resourceVersion }])
    }))

  test('send a bookmark or heartbeat when idle [W12]', () =>
    make({ watch: { heartbeatMilliseconds: 10, bookmarkMilliseconds: 20 } }).run(async (store) => {
      const bookmarked = store.watch(request({ bookmarks: true }))
      const plain = store.watch(request())
      await store.write((t) => put(t, 'nodes/x'))
      expect((await readCount(bookmarked, 2)).at(-1)).toEqual({ type: 'BOOKMARK', resourceVersion: 2 })
      expect((await readCount(plain, 2)).map(({ type }) => type)).toEqual(['HEARTBEAT', 'HEARTBEAT'])
    }))

  test('send the first heartbeat early if many watches are open, because their clients may have gone [W13]', () =>
    make({ watch: { heartbeatMilliseconds: 60_000, firstHeartbeatMilliseconds: 10, crowdThreshold: 1 } }).run(async (store) => {
      const first = store.watch(request())
      const second = store.watch(request())
      expect((await readCount(second, 2)).map(({ type }) => type)).toEqual(['HEARTBEAT', 'HEARTBEAT'])
      await store.write((t) => put(t, 'pods/a/x'))
      expect((await readCount(first, 1)).map(({ type }) => type)).toEqual(['ADDED'])
    }))

  test('that start together all get their initial state, few at a time [W8]', () =>
    make({ watch: { totalBacklogBytes: 20_000, backlogBytes: 20_000 } }).run(async (store) => {
      const state = (): Uint8Array[] => Array.from({ length: 20 }, () => bytes({ type: 'FIRST', key: 'x'.repeat(2_000) }))
      const streams = Array.from({ length: 20 }, () => store.watch(request({ first: state() })))
      for (const stream of streams) expect(await readCount(stream, 20)).toHaveLength(20)
    }))

  test('that are unread or cancelled return their share of the initial budget to others [W8]', () =>
    make({ watch: { totalBacklogBytes: 20_000, backlogBytes: 20_000, stallMilliseconds: 50 } }).run(async (store) => {
      const state = (): Uint8Array[] => Array.from({ length: 20 }, () => bytes({ type: 'FIRST', key: 'x'.repeat(2_000) }))
      const open = (): ReadableStream<Uint8Array> => store.watch(request({ first: state() }))
      const unread = [open(), open(), open()]
      const dropped = [open(), open()]
      const read = open()
      await Promise.all(dropped.map((stream) => stream.cancel()))
      expect(await readCount(read, 20)).toHaveLength(20)
      for (const stream of unread) await expect(stream.getReader().read()).rejects.toThrow('not read')
    }))

  test('that are read slowly lose no event, within bounded memory [W9]', () =>
    make({ watch: { backlogBytes: 20_000 } }).run(async (store) => {
      const stream = store.watch(request())
      await fill(store, 200, 'x'.repeat(1_000))
      const received = await readUntil(stream, ({ key }) => key === 'pods/a/199')
      expect(received.map(({ key }) => key)).toEqual(Array.from({ length: 200 }, (_, i) => `pods/a/${i}`))
    }))

  test('that are not read are closed [W10]', () =>
    make({ watch: { backlogBytes: 20_000, stallMilliseconds: 50 } }).run(async (store) => {
      const reader = store.watch(request()).getReader()
      await fill(store, 100, 'x'.repeat(1_000))
      await pause(400)
      await expect(reader.read()).rejects.toThrow('not read')
    }))

  test('fail if their encoder throws, without affecting others', () =>
    make().run(async (store) => {
      const failing = {
        ...encoder,
        name: 'failing',
        encode: (): Uint8Array => {
          throw new Error('no')
        },
      }
      const broken = store.watch(request({ encoder: failing })).getReader()
      const good = store.watch(request())
      await store.write((t) => put(t, 'pods/a/x'))
      expect(await readCount(good, 1)).toHaveLength(1)
      await expect(broken.read()).rejects.toThrow('encoded')
    }))
}

export function describeWatching(make: MakeStore): void {
  describe('events of watches', () => describeEvents(make))
  describe('watches', () => describeLife(make))
}
