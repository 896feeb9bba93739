/** Durability: nothing is answered or sent to watchers before it is durable, and failed writes leave nothing behind. */
import { describe, expect, test, vi } from 'vitest'
import { SqliteStore } from '../../src/storage/sqlite-store.ts'
import type { EventEncoder, Stored } from '../../src/storage/store.ts'
import { Lines } from '../contract/lines.ts'
import { put } from '../contract/store-model.ts'
import { newStore } from './stores.ts'

const encoder: EventEncoder = {
  name: 'keys',
  encode: (type, object) => new TextEncoder().encode(`${type} ${object.key} ${object.resourceVersion}\n`),
  bookmark: () => new Uint8Array(1),
  heartbeat: () => new Uint8Array(1),
}
const request = { prefix: 'pods/', resourceVersion: 1, encoder, bookmarks: false, timeoutMilliseconds: 60_000 }
const options = { historySeconds: 300, historyEvents: 1000 }

/** The operations of the disk that these tests can make fail. */
interface Disk {
  sync: () => Promise<void>
  exec: (query: string) => void
}

/** Makes a store with a disk that can fail. @param now its clock */
function fragileStore(state: DurableObjectState, now = Date.now): { store: SqliteStore; disk: Disk } {
  const { storage } = state
  const disk: Disk = { sync: () => storage.sync(), exec: () => undefined }
  const sql = {
    exec: (query: string, ...bindings: SqlStorageValue[]) => {
      disk.exec(query)
      return storage.sql.exec(query, ...bindings)
    },
  }
  const fragile = { sql, sync: () => disk.sync(), transactionSync: <T>(body: () => T) => storage.transactionSync(body) }
  return { store: new SqliteStore({ storage: fragile as unknown as DurableObjectStorage }, { ...options, now }), disk }
}

/** Runs within a Durable Object without a store. */
const inObject = (body: (state: DurableObjectState) => Promise<void>): Promise<void> => newStore().runBare(body)

describe('durability', () => {
  test('writers and watchers do not see a write before it is durable [W1]', () =>
    inObject(async (state) => {
      const { store, disk } = fragileStore(state)
      const synced = Promise.withResolvers<void>()
      disk.sync = () => synced.promise
      const heard: string[] = []
      const reader = new Lines(store.watch(request))
      const answered = store.write((t) => put(t, 'pods/a/x')).then(() => heard.push('answer'))
      const sent = reader.next().then((text = 'nothing') => heard.push(text))
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect(heard).toEqual([])
      const late = new Lines(store.watch({ ...request, resourceVersion: 1 }))
      const lateSent = late.next().then((text) => heard.push(`late ${text}`))
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect(heard).toEqual([])
      synced.resolve()
      await Promise.all([answered, sent, lateSent])
      expect(heard.toSorted()).toEqual(['ADDED pods/a/x 2', 'answer', 'late ADDED pods/a/x 2'])
    }))

  test('a group of writes that the database refuses leaves nothing behind, and the next one succeeds [V3]', () =>
    inObject(async (state) => {
      vi.spyOn(console, 'error').mockReturnValue()
      const { store, disk } = fragileStore(state)
      const reader = new Lines(store.watch(request))
      disk.exec = (query) => {
        if (query.startsWith('INSERT INTO current')) throw new Error('database or disk is full: SQLITE_FULL')
      }
      const writes = await Promise.allSettled(['x', 'y'].map((name) => store.write((t) => put(t, `pods/a/${name}`))))
      for (const write of writes) {
        expect(write).toMatchObject({
          status: 'rejected',
          reason: { code: 500, reason: 'InternalError', message: expect.not.stringContaining('SQLITE') },
        })
      }
      expect(store.resourceVersion).toBe(1)
      expect(store.get('pods/a/x')).toBeUndefined()
      disk.exec = () => undefined
      const stored: Stored = await store.write((t) => put(t, 'pods/a/z'))
      expect(stored.resourceVersion).toBeGreaterThan(2)
      expect(await reader.next()).toBe(`ADDED pods/a/z ${stored.resourceVersion}`)
    }))

  test('the writes of a refused group are not read', () =>
    inObject(async (state) => {
      vi.spyOn(console, 'error').mockReturnValue()
      const { store, disk } = fragileStore(state)
      const before = await store.write((t) => put(t, 'pods/a/x'))
      let inserts = 0
      disk.exec = (query) => {
        if (query.startsWith('INSERT INTO current') && ++inserts === 3) throw new Error('database or disk is full: SQLITE_FULL')
      }
      await Promise.allSettled(['x', 'y', 'z'].map((name) => store.write((t) => put(t, `pods/a/${name}`, 'later'))))
      expect(inserts).toBe(3)
      expect(store.get('pods/a/x')).toEqual(before)
      expect(store.get('pods/a/y')).toBeUndefined()
    }))

  test('a group whose sync fails is refused, and its watchers resume from the disk', () =>
    inObject(async (state) => {
      vi.spyOn(console, 'error').mockReturnValue()
      const { store, disk } = fragileStore(state)
      const reader = new Lines(store.watch(request))
      const sync = disk.sync
      disk.sync = () => Promise.reject(new Error('EIO'))
      await expect(store.write((t) => put(t, 'pods/a/x'))).rejects.toMatchObject({ code: 500 })
      expect(await reader.next()).toBeUndefined()
      disk.sync = sync
      await store.write((t) => put(t, 'pods/a/y'))
      const again = new Lines(store.watch(request))
      expect(await again.next()).toBe('ADDED pods/a/x 2')
      expect(await again.next()).toBe('ADDED pods/a/y 3')
    }))

  test('concurrent writes share one sync [V9]', () =>
    inObject(async (state) => {
      // The time of a group is bounded: on a slow machine it would be over before all writes are in it.
      const { store, disk } = fragileStore(state, () => 1_000_000_000_000)
      const sync = disk.sync
      let syncs = 0
      disk.sync = () => {
        syncs++
        return sync()
      }
      await Promise.all(Array.from({ length: 50 }, (_, i) => store.write((t) => put(t, `pods/a/${i}`))))
      expect(syncs).toBe(1)
    }))
})
