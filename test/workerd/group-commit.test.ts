import { expect, test } from 'vitest'
import { newStore } from './stores.ts'

test('a long group of writes is committed in several groups, in order, and all are answered', async () => {
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
