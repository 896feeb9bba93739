/** Details of the SQLite store. */
import { describe, expect, test } from 'vitest'
import { nextCompaction } from '../../src/storage/compaction.ts'
import { Database } from '../../src/storage/database.ts'
import type { EventEncoder } from '../../src/storage/store.ts'
import { Lines } from '../contract/lines.ts'
import { put, remove } from '../contract/store-model.ts'
import { newStore } from './stores.ts'

const encoder: EventEncoder = {
  name: 'keys',
  encode: (_, object) => new TextEncoder().encode(`${object.key}\n`),
  bookmark: () => new Uint8Array(1),
  heartbeat: () => new Uint8Array(1),
}
const request = { prefix: 'pods/', resourceVersion: 1, encoder, bookmarks: false, timeoutMilliseconds: 60_000 }

describe('SqliteStore', () => {
  test('reads and writes a database of a newer schema that states that this release can', async () => {
    const handle = newStore()
    await handle.run(async (store, { storage }) => {
      await store.write((t) => put(t, 'pods/a/x'))
      storage.sql.exec("UPDATE meta SET value = '99' WHERE name = 'schema'")
      storage.sql.exec('ALTER TABLE current ADD COLUMN later TEXT')
    })
    await handle.evict()
    await handle.run(async (store, { storage }) => {
      await store.write((t) => put(t, 'pods/a/y'))
      expect(store.get('pods/a/x')).toBeDefined()
      expect(store.get('pods/a/y')).toBeDefined()
      expect(storage.sql.exec("SELECT value FROM meta WHERE name = 'schema'").one()).toEqual({ value: '99' })
    })
  })

  test('does not open a database that only newer releases can read', async () => {
    await newStore().run(async (store, { storage }) => {
      await store.write((t) => put(t, 'pods/a/x'))
      storage.sql.exec("UPDATE meta SET value = '99' WHERE name IN ('schema', 'minimumReader')")
      expect(() => new Database(storage)).toThrow('was written by a newer release (schema 99)')
    })
  })

  test('compaction deletes only unreadable versions [H4]', () =>
    newStore({ historySeconds: 0, historyEvents: 1, now: () => 0 }).run(async (store, { storage }) => {
      for (let i = 0; i < 3; i++) await store.write((t) => put(t, 'pods/a/x'))
      await store.write((t) => put(t, 'pods/a/y'))
      await store.write((t) => remove(t, 'pods/a/y'))
      await store.write((t) => put(t, 'pods/a/z'))
      while (store.compact(0));
      const versions = [...storage.sql.exec('SELECT rv FROM log ORDER BY rv').raw()].map(([rv]) => rv)
      expect(versions).toEqual([4, 7])
    }))

  test('knows when compaction is due, also after a restart [H2]', async () => {
    let now = 1_000
    const handle = newStore({ historySeconds: 10, historyEvents: 2, now: () => now })
    await handle.run(async (store) => {
      expect(nextCompaction(store.compactionState, now)).toBeUndefined()
      for (let i = 0; i < 2; i++) await store.write((t) => put(t, 'pods/a/x'))
      expect(nextCompaction(store.compactionState, now)).toBeUndefined()
      now = 3_000
      await store.write((t) => put(t, 'pods/a/x'))
      expect(nextCompaction(store.compactionState, now)).toBe(12_000)
    })
    await handle.evict()
    await handle.run((store) => {
      expect(nextCompaction(store.compactionState, now)).toBe(12_000)
      now = 12_000
      while (store.compact(now));
      expect(nextCompaction(store.compactionState, now)).toBeUndefined()
    })
  })

  test('removes watchers that disconnected, timed out or were closed', () =>
    newStore().run(async (store) => {
      const cancelled = store.watch(request)
      const timed = store.watch({ ...request, timeoutMilliseconds: 5 }).getReader()
      const nodes = store.watch({ ...request, prefix: 'nodes/' }).getReader()
      const single = store.watch({ ...request, key: 'pods/a/x' }).getReader()
      expect(store.watchers).toBe(4)
      await cancelled.cancel()
      expect((await timed.read()).done).toBe(true)
      store.closeWatches('pods/')
      expect((await single.read()).done).toBe(true)
      expect(store.watchers).toBe(1)
      store.closeWatches('')
      expect((await nodes.read()).done).toBe(true)
      expect(store.watchers).toBe(0)
    }))

  test('buffers at most its limit and one chunk for an unread watch [W9]', () =>
    newStore({ watch: { backlogBytes: 10_000 } }).run(async (store) => {
      let encoded = 0
      const large = { ...encoder, encode: () => new Uint8Array(1_000).fill(++encoded) }
      const stream = store.watch({ ...request, encoder: large })
      for (let i = 0; i < 100; i++) await store.write((t) => put(t, `pods/a/${i}`))
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(encoded).toBeLessThanOrEqual(12)
      await stream.cancel()
    }))

  test('serves more watches than the runtime allows timers, with a heartbeat for each', () =>
    newStore({ watch: { heartbeatMilliseconds: 500 } }).run(async (store) => {
      const beating = { ...encoder, heartbeat: () => new TextEncoder().encode('alive\n') }
      const watches = Array.from(
        { length: 10_500 },
        (_, i) => new Lines(store.watch({ ...request, key: `pods/a/${i}`, encoder: beating })),
      )
      expect(await Promise.all(watches.map((watch) => watch.next()))).toEqual(watches.map(() => 'alive'))
      await store.write((t) => put(t, 'pods/a/7'))
      let line = await watches[7]?.next()
      while (line === 'alive') line = await watches[7]?.next()
      expect(line).toBe('pods/a/7')
      store.closeWatches('')
    }))

  test('delays writes while the events of earlier ones have not been sent to all watchers [W11]', () =>
    newStore({ watch: { lateMilliseconds: 0, crowdThreshold: 1000 } }).run(async (store) => {
      let encoded = 0
      // Each watcher has an encoding of its own, which is made when it is its turn.
      const counting = (name: string): EventEncoder => ({
        ...encoder,
        name,
        encode: (type, object) => {
          encoded++
          return encoder.encode(type, object)
        },
      })
      const streams = Array.from({ length: 400 }, (_, i) => store.watch({ ...request, encoder: counting(`json-${i}`) }))
      await store.write((t) => put(t, 'pods/a/first'))
      expect(encoded).toBeLessThan(400)
      await store.write((t) => put(t, 'pods/a/second'))
      expect(encoded).toBeGreaterThanOrEqual(400)
      for (const stream of streams) {
        const lines = new Lines(stream)
        expect([await lines.next(), await lines.next()]).toEqual(['pods/a/first', 'pods/a/second'])
        await lines.cancel()
      }
    }))
})
