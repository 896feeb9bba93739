/** What a Store promises about watches. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventEncoder, EventType, Store, Stored, WatchRequest } from '../../src/storage/store.ts'
import { Lines } from './lines.ts'
import type { MakeStore } from './store.ts'
import { commandGroups, Model, put, remove, writeGroup } from './store-model.ts'

const text = new TextEncoder()

/** What a watcher of these tests reads. */
interface Seen {
  readonly type: EventType | 'BOOKMARK' | 'HEARTBEAT' | 'FIRST'
  readonly key?: string
  readonly resourceVersion?: number
  readonly value?: string
}

const bytes = (seen: Seen): Uint8Array => text.encode(`${JSON.stringify(seen)}\n`)

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
async function readUntil(stream: ReadableStream<Uint8Array>, isLast: (seen: Seen, index: number) => boolean): Promise<Seen[]> {
  const lines = new Lines(stream)
  const all: Seen[] = []
  for (;;) {
    const line = await lines.next()
    if (line === undefined) return all
    const seen: Seen = JSON.parse(line)
    all.push(seen)
    if (isLast(seen, all.length)) {
      await lines.cancel()
      return all
    }
  }
}

const readCount = (stream: ReadableStream<Uint8Array>, count: number): Promise<Seen[]> =>
  readUntil(stream, (_, index) => index === count)

const shown = ({ type, key }: Seen): string => `${type} ${key}`

const labelled = (object: Stored): boolean => object.labels !== ''

/** What a watch must show of a model's events. */
function expectedOf(model: Model, { prefix, key, resourceVersion, matches = () => true }: WatchRequest): string[] {
  const all: string[] = []
  for (const { type, object, previous } of model.events) {
    if (object.resourceVersion <= resourceVersion) continue
    if (key === undefined ? !object.key.startsWith(prefix) : object.key !== key) continue
    const was = previous !== undefined && matches(previous)
    const is = type !== 'DELETED' && matches(object)
    if (!was && !is) continue
    const name = was && is ? 'MODIFIED' : is ? 'ADDED' : 'DELETED'
    all.push(`${name} ${object.key} ${object.resourceVersion}`)
  }
  return all
}

function describeEvents(make: MakeStore): void {
  test('are live, in order, once, with what happened', () =>
    make().run(async (store) => {
      const stream = store.watch(request({ resourceVersion: store.resourceVersion }))
      await store.write((t) => put(t, 'pods/a/x'))
      await store.write((t) => put(t, 'nodes/x'))
      await store.write((t) => put(t, 'pods/a/x', 'new'))
      const removed = await store.write((t) => remove(t, 'pods/a/x'))
      const seen = await readCount(stream, 3)
      expect(seen.map(shown)).toEqual(['ADDED pods/a/x', 'MODIFIED pods/a/x', 'DELETED pods/a/x'])
      expect(seen[2]).toMatchObject({ resourceVersion: removed?.resourceVersion, value: removed?.value })
    }))

  test('are replayed from an older version, and go on without gap or double', () =>
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
            const watches: { request: WatchRequest; seen: Promise<Seen[]> }[] = []
            const open = (start: number, index: number): void => {
              const asked = request({
                prefix: ['pods/', 'pods/a/'][index % 2] ?? '',
                resourceVersion: 1 + (start % store.resourceVersion),
                ...(index % 3 === 1 && { matches: labelled }),
                ...(index % 5 === 4 && { key: 'pods/a/x' }),
              })
              watches.push({
                request: asked,
                seen: readUntil(store.watch(asked), ({ value }) => value?.includes('"the end"') ?? false),
              })
            }
            starts.forEach(open)
            for (const [index, group] of groups.slice(half).entries()) {
              const written = writeGroup(store, model, group)
              open(1_000 + index, index)
              await written
            }
            for (const key of ['pods/a/end', 'pods/a/x']) {
              await store.write((t) => remove(t, key)).then((removed) => removed && model.record('DELETED', removed))
              const last = await store.write((t) => put(t, key, 'the end', '{"on":"yes"}'))
              model.record('ADDED', last)
            }
            for (const { request: asked, seen } of watches) {
              const expected = expectedOf(model, asked)
              const last = asked.key === undefined ? 'pods/a/end' : 'pods/a/x'
              const end = expected.findIndex(
                (line) =>
                  line === `ADDED ${last} ${model.events.findLast((event) => event.object.key === last)?.object.resourceVersion}`,
              )
              expect((await seen).map(({ type, key, resourceVersion }) => `${type} ${key} ${resourceVersion}`)).toEqual(
                expected.slice(0, end + 1),
              )
            }
          })
        },
      ),
      { numRuns: 40 },
    ))

  test('of more history than one batch are complete', () =>
    make().run(async (store) => {
      await Promise.all(
        Array.from({ length: 2_500 }, (_, i) => store.write((t) => put(t, `${i % 3 === 0 ? 'pods' : 'nodes'}/a/${i}`))),
      )
      const stream = store.watch(request())
      await store.write((t) => put(t, 'pods/a/end'))
      const seen = await readUntil(stream, ({ key }) => key === 'pods/a/end')
      expect(seen.map(({ key }) => key)).toEqual([...Array.from({ length: 834 }, (_, i) => `pods/a/${i * 3}`), 'pods/a/end'])
    }))

  test('of an object that leaves the selection show its state before, under the new version', () =>
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

  test('are encoded once for all watchers of a representation', () =>
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

  test('are written by what follows behind the first', () =>
    make().run(async (store) => {
      const written = (value: string): EventEncoder => ({ ...encoder, name: value, encode: (type) => bytes({ type, value }) })
      const both = { ...written('first'), following: written('following') }
      const early = store.watch(request({ encoder: both }))
      await store.write((t) => put(t, 'pods/a/x'))
      const late = store.watch(
        request({ encoder: both, first: [bytes({ type: 'FIRST' })], resourceVersion: store.resourceVersion }),
      )
      await store.write((t) => put(t, 'pods/a/y'))
      expect((await readCount(early, 2)).map(({ value }) => value)).toEqual(['first', 'following'])
      expect((await readCount(late, 2)).map(({ type, value }) => value ?? type)).toEqual(['FIRST', 'following'])
    }))

  test('of refused operations are none', () =>
    make().run(async (store) => {
      const stream = store.watch(request())
      const refused = store.write((t) => {
        put(t, 'pods/a/refused')
        throw new Error('refused')
      })
      await Promise.allSettled([refused, store.write((t) => put(t, 'pods/a/x'))])
      expect((await readCount(stream, 1)).map(shown)).toEqual(['ADDED pods/a/x'])
    }))
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function fill(store: Store, count: number, data: string): Promise<void> {
  for (let i = 0; i < count; i++) await store.write((t) => put(t, `pods/a/${i}`, data))
}

function describeLife(make: MakeStore): void {
  test('from a version that history does not reach are refused', () =>
    make({ historySeconds: 0, historyEvents: 0, now: () => 0 }).run(async (store) => {
      await fill(store, 3, '')
      while (store.compact(0));
      expect(() => store.watch(request({ resourceVersion: 3 }))).toThrow(
        expect.objectContaining({ code: 410, reason: 'Expired', message: 'too old resource version: 3 (4)' }),
      )
      const stream = store.watch(request({ resourceVersion: 4 }))
      await store.write((t) => put(t, 'pods/a/x'))
      expect((await readCount(stream, 1)).map(shown)).toEqual(['ADDED pods/a/x'])
    }))

  test('send what is to be sent first before all events', () =>
    make().run(async (store) => {
      await fill(store, 2, '')
      const first = Array.from({ length: 5 }, () => bytes({ type: 'FIRST' }))
      const seen = await readCount(store.watch(request({ first })), 7)
      expect(seen.map(({ type }) => type)).toEqual(['FIRST', 'FIRST', 'FIRST', 'FIRST', 'FIRST', 'ADDED', 'ADDED'])
    }))

  test('end in time, with a bookmark where asked for', () =>
    make().run(async (store) => {
      await fill(store, 2, '')
      const asked = { resourceVersion: store.resourceVersion, timeoutMilliseconds: 20 }
      expect(await readUntil(store.watch(request(asked)), () => false)).toEqual([])
      const seen = await readUntil(store.watch(request({ ...asked, bookmarks: true })), () => false)
      expect(seen).toEqual([{ type: 'BOOKMARK', resourceVersion: store.resourceVersion }])
    }))

  test('of which history holds nothing say how far they are all the same', () =>
    make().run(async (store) => {
      await Promise.all(Array.from({ length: 2_500 }, (_, i) => store.write((t) => put(t, `nodes/${i}`))))
      const seen = await readUntil(store.watch(request({ bookmarks: true, timeoutMilliseconds: 100 })), () => false)
      expect(seen).toEqual([{ type: 'BOOKMARK', resourceVersion: store.resourceVersion }])
    }))

  test('that are idle get bookmarks or signs of life', () =>
    make({ watch: { heartbeatMilliseconds: 10, bookmarkMilliseconds: 20 } }).run(async (store) => {
      const bookmarked = store.watch(request({ bookmarks: true }))
      const plain = store.watch(request())
      await store.write((t) => put(t, 'nodes/x'))
      expect((await readCount(bookmarked, 2)).at(-1)).toEqual({ type: 'BOOKMARK', resourceVersion: 2 })
      expect((await readCount(plain, 2)).map(({ type }) => type)).toEqual(['HEARTBEAT', 'HEARTBEAT'])
    }))

  test('that are opened among many get signs of life soon, as their clients may have gone', () =>
    make({ watch: { heartbeatMilliseconds: 60_000, firstHeartbeatMilliseconds: 10, crowd: 1 } }).run(async (store) => {
      const first = store.watch(request())
      const second = store.watch(request())
      expect((await readCount(second, 2)).map(({ type }) => type)).toEqual(['HEARTBEAT', 'HEARTBEAT'])
      await store.write((t) => put(t, 'pods/a/x'))
      expect((await readCount(first, 1)).map(({ type }) => type)).toEqual(['ADDED'])
    }))

  test('that begin together all get their initial state, few at a time', () =>
    make({ watch: { totalBacklogBytes: 20_000, backlogBytes: 20_000 } }).run(async (store) => {
      const state = (): Uint8Array[] => Array.from({ length: 20 }, () => bytes({ type: 'FIRST', key: 'x'.repeat(2_000) }))
      const streams = Array.from({ length: 20 }, () => store.watch(request({ first: state() })))
      for (const stream of streams) expect(await readCount(stream, 20)).toHaveLength(20)
    }))

  test('that are not read, or dropped while they wait, leave the room for their initial state to others', () =>
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

  test('that are read slowly lose nothing, and do not fill the memory', () =>
    make({ watch: { backlogBytes: 20_000 } }).run(async (store) => {
      const stream = store.watch(request())
      await fill(store, 200, 'x'.repeat(1_000))
      const seen = await readUntil(stream, ({ key }) => key === 'pods/a/199')
      expect(seen.map(({ key }) => key)).toEqual(Array.from({ length: 200 }, (_, i) => `pods/a/${i}`))
    }))

  test('that are not read are broken off', () =>
    make({ watch: { backlogBytes: 20_000, stallMilliseconds: 50 } }).run(async (store) => {
      const reader = store.watch(request()).getReader()
      await fill(store, 100, 'x'.repeat(1_000))
      await pause(400)
      await expect(reader.read()).rejects.toThrow('not read')
    }))

  test('whose encoder fails break, and harm no other', () =>
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
