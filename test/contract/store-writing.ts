/** The contract of a Store for writes and versions. */
import { describe, expect, test } from 'vitest'
import type { Stored } from '../../src/storage/store.ts'
import type { MakeStore } from './make-store.ts'
import { listAll, objectJson, put, remove } from './store-model.ts'

const all = (store: Parameters<typeof listAll>[0], prefix = 'pods/'): Stored[] =>
  listAll(store, { prefix, limit: 100, resourceVersion: store.resourceVersion })

export function describeWriting(make: MakeStore): void {
  describe('versions', () => {
    test('begin after 1 and increase with every change [V1]', () =>
      make().run(async (store) => {
        expect(store.resourceVersion).toBe(1)
        const first = await store.write((t) => put(t, 'pods/a/x'))
        expect(first.resourceVersion).toBe(2)
        const second = await store.write((t) => put(t, 'pods/a/x'))
        const third = await store.write((t) => remove(t, 'pods/a/x'))
        expect(second.resourceVersion).toBeGreaterThan(first.resourceVersion)
        expect(third?.resourceVersion).toBeGreaterThan(second.resourceVersion)
        expect(store.resourceVersion).toBe(third?.resourceVersion)
      }))

    test('are never reused, even after deletion, compaction and restart [V2]', async () => {
      const handle = make({ historySeconds: 0, historyEvents: 0, now: () => 1000 })
      const last = await handle.run(async (store) => {
        await store.write((t) => put(t, 'pods/a/x'))
        const removed = await store.write((t) => remove(t, 'pods/a/x'))
        while (store.compact(1000));
        return removed?.resourceVersion ?? Number.NaN
      })
      await handle.evict()
      await handle.run(async (store) => {
        expect(store.resourceVersion).toBe(last)
        expect(store.compactedResourceVersion).toBe(last)
        expect((await store.write((t) => put(t, 'pods/a/x'))).resourceVersion).toBeGreaterThan(last)
      })
    })

    test('and objects survive a restart', async () => {
      const handle = make()
      const stored = await handle.run((store) => store.write((t) => put(t, 'pods/a/x', 'ü😀', '{"a":"b"}')))
      await handle.evict()
      await handle.run((store) => {
        expect(store.get('pods/a/x')).toEqual(stored)
        expect(store.resourceVersion).toBe(stored.resourceVersion)
      })
    })

    test('must be taken first, and used in order', () =>
      make().run(async (store) => {
        const object = (resourceVersion: number): Stored => ({
          key: 'pods/a/x',
          resourceVersion,
          value: objectJson('x', resourceVersion),
          labels: '',
        })
        await expect(store.write((t) => t.put(object(7)))).rejects.toThrow('was not taken')
        await expect(
          store.write((t) => {
            const [first, second] = [t.nextResourceVersion(), t.nextResourceVersion()]
            t.put(object(second))
            t.put(object(first))
          }),
        ).rejects.toThrow('was not taken')
        expect(all(store)).toEqual([])
      }))
  })

  describe('operations', () => {
    test('that throw change nothing and do not affect others of their group [V9]', () =>
      make().run(async (store) => {
        const results = await Promise.allSettled([
          store.write((t) => put(t, 'pods/a/first')),
          store.write((t) => {
            put(t, 'pods/a/half')
            remove(t, 'pods/a/first')
            throw new Error('refused')
          }),
          store.write((t) => put(t, 'pods/a/third')),
        ])
        expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
        expect(results[1]).toMatchObject({ reason: { message: 'refused' } })
        expect(all(store).map((object) => object.key)).toEqual(['pods/a/first', 'pods/a/third'])
        expect(store.get('pods/a/half')).toBeUndefined()
      }))

    test('see the changes of earlier operations and their own', () =>
      make().run(async (store) => {
        const [, reads] = await Promise.all([
          store.write((t) => put(t, 'pods/a/x', 'one')),
          store.write((t) => {
            const before = t.get('pods/a/x')?.value
            put(t, 'pods/a/x', 'two')
            const own = t.get('pods/a/x')?.value
            remove(t, 'pods/a/x')
            return { before, own, gone: t.get('pods/a/x') }
          }),
        ])
        expect(reads.before).toContain('one')
        expect(reads.own).toContain('two')
        expect(reads.gone).toBeUndefined()
        expect(store.get('pods/a/x')).toBeUndefined()
      }))

    test('are atomic: one of many concurrent creates of one name succeeds', () =>
      make().run(async (store) => {
        const create = (): Promise<Stored> =>
          store.write((t) => {
            if (t.get('pods/a/x') !== undefined) throw new Error('exists')
            return put(t, 'pods/a/x')
          })
        const results = await Promise.allSettled(Array.from({ length: 20 }, create))
        expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
      }))

    test('are answered in order', () =>
      make().run(async (store) => {
        const order: string[] = []
        const write = (name: string): Promise<unknown> =>
          store.write((t) => put(t, `pods/a/${name}`)).then(() => order.push(name))
        await Promise.all([write('x'), write('y')])
        expect(order).toEqual(['x', 'y'])
      }))

    test('run their alongside callbacks in the commit, and none if they throw', () =>
      make().run(async (store) => {
        const ran: string[] = []
        const kept = store.write((t) => {
          t.alongside(() => ran.push('kept'))
          return put(t, 'pods/a/x')
        })
        const thrown = store.write((t) => {
          t.alongside(() => ran.push('never'))
          throw new Error('refused')
        })
        await Promise.all([kept, expect(thrown).rejects.toThrow('refused')])
        expect(ran).toEqual(['kept'])
      }))

    test('cannot use their transaction later', () =>
      make().run(async (store) => {
        const transaction = await store.write((t) => t)
        expect(() => transaction.nextResourceVersion()).toThrow('finished operation')
        expect(() => transaction.get('pods/a/x')).toThrow('finished operation')
      }))

    test('cannot remove an object that does not exist', () =>
      make().run((store) =>
        expect(
          store.write((t) => t.remove({ key: 'pods/a/x', resourceVersion: t.nextResourceVersion(), value: '{}', labels: '' })),
        ).rejects.toThrow('pods/a/x'),
      ))

    test('500 etcdserver: request is too large', () =>
      make().run((store) =>
        expect(store.write((t) => put(t, 'pods/a/x', 'x'.repeat(2_000_000)))).rejects.toMatchObject({
          code: 500,
          reason: '',
          message: 'etcdserver: request is too large',
        }),
      ))

    test('all complete, even if many arrive at the same time', () =>
      make().run(async (store) => {
        await Promise.all(Array.from({ length: 700 }, (_, i) => store.write((t) => put(t, `pods/a/${i}`))))
        expect(store.countAfter('pods/', 'pods/', store.resourceVersion)).toBe(700)
      }))
  })
}
