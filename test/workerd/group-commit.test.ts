import { expect, test } from 'vitest'
import type { SqliteStore } from '../../src/storage/sqlite-store.ts'
import { newStore } from './stores.ts'

test('a long group of writes is committed in several groups, in order, and all are answered [V9]', async () => {
  let now = 1_000_000
  const store = newStore({ now: () => now })
  await store.run(async (opened) => {
    const events: number[] = []
    let durable = 0
    const stop = opened.onDurable(() => durable++)
    const writes = Array.from({ length: 5 }, (_, i) =>
      opened.write((transaction) => {
        // Each write takes longer than the limit of a group.
        now += 100
        const resourceVersion = transaction.nextResourceVersion()
        transaction.put({ key: `things/${i}`, resourceVersion, value: `{"metadata":{"name":"${i}"}}`, labels: '' })
        events.push(i)
        return resourceVersion
      }),
    )
    const versions = await Promise.all(writes)
    stop()
    expect(events).toEqual([0, 1, 2, 3, 4])
    expect(versions).toEqual([...versions].sort((a, b) => a - b))
    expect(durable).toBe(5)
    expect(opened.get('things/4')?.resourceVersion).toBe(versions[4])
  })
})

test('a write is in memory for readers when it is durable, and a deletion as soon as it is made', async () => {
  const key = 'things/a'
  const seen: (number | undefined)[] = []
  const held: { store?: SqliteStore } = {}
  const store = newStore({ applied: () => seen.push(held.store?.getFromMemory(key)?.resourceVersion) })
  await store.run(async (opened) => {
    held.store = opened
    const put = () =>
      opened.write((transaction) => {
        const resourceVersion = transaction.nextResourceVersion()
        transaction.put({ key, resourceVersion, value: '{"metadata":{"name":"a"}}', labels: '' })
        return resourceVersion
      })
    for (let i = 0; i < 2; i++) {
      const resourceVersion = await put()
      expect(opened.getFromMemory(key)?.resourceVersion).toBe(resourceVersion)
    }
    await opened.write((transaction) => {
      const resourceVersion = transaction.nextResourceVersion()
      transaction.remove({ key, resourceVersion, value: '{"metadata":{"name":"a"}}', labels: '' })
    })
    expect(opened.getFromMemory(key)).toBeUndefined()
    // Between the commit and its sync.
    expect(seen).toEqual([undefined, undefined, undefined])
  })
})
