/** The contract of a Store for lists, at the present and at older versions. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_VALUE_BYTES } from '../../src/storage/transaction.ts'
import type { MakeStore } from './make-store.ts'
import { commandGroups, listAll, listAllJoined, Model, objectJson, put, remove, writeGroup } from './store-model.ts'

const prefixes = ['pods/', 'pods/a/', 'pods/b/', 'nodes/', 'podsets.apps/', 'none/']

export function describeListing(make: MakeStore): void {
  describe('lists', () => {
    test('are paginated in the order of bytes, with `more` and the number of remaining keys', () =>
      make().run(async (store) => {
        const names = ['b', 'a', 'é', 'a-b', 'a.b', 'B', '\u{1f600}', '\uffee']
        for (const name of names) await store.write((t) => put(t, `pods/n/${name}`))
        await store.write((t) => put(t, 'podt/n/z'))
        const request = { prefix: 'pods/n/', limit: 3, resourceVersion: store.resourceVersion }
        const first = store.list(request)
        expect(first.more).toBe(true)
        expect(first.items.map((item) => item.key)).toEqual(['pods/n/B', 'pods/n/a', 'pods/n/a-b'])
        expect(store.countAfter('pods/n/', 'pods/n/a-b', store.resourceVersion)).toBe(5)
        const inOrder = names.map((name) => `pods/n/${name}`).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect(listAll(store, request).map((item) => item.key)).toEqual(inOrder)
        expect(store.list({ ...request, limit: names.length }).more).toBe(false)
      }))

    test('can be read as versions without values', () =>
      make().run(async (store) => {
        for (const name of ['a', 'b', 'c']) await store.write((t) => put(t, `pods/n/${name}`))
        const before = store.resourceVersion
        await store.write((t) => put(t, 'pods/n/a', 'again'))
        await store.write((t) => remove(t, 'pods/n/b'))
        for (const resourceVersion of [before, store.resourceVersion]) {
          const request = { prefix: 'pods/n/', limit: 2, resourceVersion }
          const page = store.listVersions(request)
          const { items, more } = store.list(request)
          const bytes = items.reduce((sum, { value }) => sum + Buffer.byteLength(value) + 1, 0)
          const resourceVersions = items.map((item) => item.resourceVersion)
          expect(page).toEqual({ resourceVersions, bytes, lastKey: items.at(-1)?.key, more })
          const ascending = items.toSorted((a, b) => a.resourceVersion - b.resourceVersion)
          const [joined] = store.valuesOf(ascending.map((item) => item.resourceVersion))
          expect(joined?.count).toBe(items.length)
          expect(Buffer.from(joined?.bytes ?? []).toString()).toBe(ascending.map((item) => item.value).join(','))
          expect([
            ...store.valuesOf(
              ascending.map((item) => item.resourceVersion),
              bytes,
            ),
          ]).toEqual([joined])
        }
        expect([...store.valuesOf([])]).toEqual([])
      }))

    test('can be joined with another beginning of each value, at the present and at an older version', () =>
      make().run(async (store) => {
        for (const name of ['a', 'b']) await store.write((t) => put(t, `pods/${name}`, 'ü'))
        const before = store.resourceVersion
        await store.write((t) => put(t, 'pods/a', 'changed'))
        for (const resourceVersion of [before, store.resourceVersion]) {
          const request = { prefix: 'pods/', limit: 10, resourceVersion }
          const expected = store.list(request).items.map(({ value }) => `{"é":0,${value.slice(1)}`)
          expect(Buffer.from(store.listJoined(request, '{"é":0,').bytes).toString()).toBe(expected.join(','))
        }
      }))

    test('have an empty page if no key matches', () =>
      make().run((store) => {
        const request = { prefix: 'pods/', limit: 3, resourceVersion: 1 }
        expect(store.list(request)).toEqual({ items: [], more: false })
        expect(store.listJoined(request)).toMatchObject({ count: 0, more: false })
      }))

    test('of large objects have pages limited by bytes, without losing an object', () =>
      make().run(async (store) => {
        const large = 'ü'.repeat(400_000)
        for (let i = 0; i < 6; i++) await store.write((t) => put(t, `pods/a/${i}`, large))
        const request = { prefix: 'pods/', limit: 100, resourceVersion: store.resourceVersion }
        expect(store.list(request)).toMatchObject({ items: { length: 2 }, more: true })
        expect(store.listJoined(request)).toMatchObject({ count: 2, lastKey: 'pods/a/1', more: true })
        expect(listAll(store, request)).toHaveLength(6)
        expect(listAllJoined(store, request)).toHaveLength(6)
        const versions = store.listVersions(request)
        expect(Array.from(store.valuesOf(versions.resourceVersions), ({ count }) => count)).toEqual([2, 2, 2])
        await store.write((t) => remove(t, 'pods/a/0'))
        await store.write((t) => put(t, 'pods/a/1', 'small'))
        expect(store.listJoined(request)).toMatchObject({ count: 2, lastKey: 'pods/a/1', more: true })
        expect(listAllJoined(store, request)).toHaveLength(6)
      }))

    test('of objects of the maximum size have one object per page', () =>
      make().run(async (store) => {
        const data = 'x'.repeat(MAX_VALUE_BYTES - objectJson('pods/a/0', 2).length)
        for (let i = 0; i < 3; i++) await store.write((t) => put(t, `pods/a/${i}`, data))
        const request = { prefix: 'pods/', limit: 100, resourceVersion: store.resourceVersion }
        expect(store.list(request).items).toHaveLength(1)
        expect(listAllJoined(store, request)).toHaveLength(3)
      }))

    test('at an older version return the state at that version, also after compaction [H4]', async () => {
      let runs = 0
      await fc.assert(
        fc.asyncProperty(
          commandGroups,
          fc.integer({ min: 0, max: 30 }),
          fc.integer({ min: 1, max: 5 }),
          async (groups, kept, limit) => {
            runs++
            const handle = make({ historySeconds: 0, historyEvents: kept, now: () => 0 })
            await handle.run(async (store) => {
              const model = new Model()
              for (const group of groups) await writeGroup(store, model, group)
              while (store.compact(0));
              expect(model.events.filter((event) => event.object.resourceVersion > store.compactedResourceVersion).length).toBe(
                Math.min(kept, model.events.length),
              )
              for (
                let resourceVersion = Math.max(1, store.compactedResourceVersion);
                resourceVersion <= store.resourceVersion;
                resourceVersion++
              ) {
                const state = model.at(resourceVersion)
                for (const prefix of prefixes) {
                  const expected = state.filter((object) => object.key.startsWith(prefix))
                  const request = { prefix, limit, resourceVersion }
                  expect(listAll(store, request)).toEqual(expected)
                  expect(listAllJoined(store, request)).toEqual(expected.map((object) => JSON.parse(object.value)))
                }
              }
            })
          },
        ),
        { numRuns: 40 },
      )
      expect(runs).toBeGreaterThan(0)
    })

    test('410 Expired below the compacted version [H4]', () =>
      make({ historySeconds: 0, historyEvents: 0, now: () => 0 }).run(async (store) => {
        for (let i = 0; i < 3; i++) await store.write((t) => put(t, 'pods/a/x'))
        while (store.compact(0));
        const request = { prefix: 'pods/', limit: 5, resourceVersion: store.compactedResourceVersion }
        expect(store.list(request).items).toHaveLength(1)
        const old = { ...request, resourceVersion: store.compactedResourceVersion - 1 }
        const refusal = { code: 410, reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' }
        expect(() => store.list(old)).toThrow(expect.objectContaining(refusal))
        expect(() => store.listJoined(old)).toThrow(expect.objectContaining(refusal))
        expect(() => store.listVersions(old)).toThrow(expect.objectContaining(refusal))
        expect(() => [...store.valuesOf([old.resourceVersion])]).toThrow(expect.objectContaining(refusal))
        expect(() => [...store.valuesOf([old.resourceVersion], 1000)]).toThrow(expect.objectContaining(refusal))
      }))
  })

  describe('compaction', () => {
    test('keeps young changes and the last events [H1]', async () => {
      let now = 0
      await make({ historySeconds: 10, historyEvents: 2, now: () => now }).run(async (store) => {
        for (const at of [0, 1000, 2000, 9000, 9500]) {
          now = at
          await store.write((t) => put(t, 'pods/a/x', String(at)))
        }
        expect(store.compact(9_999)).toBe(false)
        expect(store.compactedResourceVersion).toBe(0)
        store.compact(11_000)
        expect(store.compactedResourceVersion).toBe(3)
        store.compact(1_000_000)
        expect(store.compactedResourceVersion).toBe(4)
        expect(store.resourceVersion).toBe(6)
      })
    })

    test('runs in bounded steps [H3]', () =>
      make({ historySeconds: 0, historyEvents: 0, now: () => 0 }).run(async (store) => {
        await Promise.all(Array.from({ length: 1200 }, () => store.write((t) => put(t, 'pods/a/x'))))
        const first = store.compactedResourceVersion
        expect(store.compact(0)).toBe(true)
        expect(store.compactedResourceVersion).toBeLessThan(store.resourceVersion)
        expect(store.compactedResourceVersion).toBeGreaterThan(first)
        let steps = 1
        while (store.compact(0)) steps++
        expect(steps).toBeGreaterThan(1)
        expect(store.compactedResourceVersion).toBe(store.resourceVersion)
        expect(store.get('pods/a/x')?.resourceVersion).toBe(store.resourceVersion)
      }))
  })
}
