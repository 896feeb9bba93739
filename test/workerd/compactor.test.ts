/** The times at which compaction waits for those who need history. */
import { expect, test } from 'vitest'
import { Compactor } from '../../src/controllers/compactor.ts'
import { put } from '../contract/store-model.ts'
import { newStore } from './stores.ts'

test('compaction waits 10 seconds while history is read, and ten minutes while a fork needs it [H10]', async () => {
  let now = 1_000_000
  await newStore({ historySeconds: 0, historyEvents: 0, now: () => now }).run(async (store) => {
    const readers = { isReading: true, keptFrom: 0 }
    const compactor = new Compactor(store, {
      isBeingRead: () => readers.isReading,
      keptFrom: async () => readers.keptFrom,
    })
    for (let i = 0; i < 3; i++) await store.write((t) => put(t, 'pods/a/x'))
    now += 60_000
    expect(compactor.nextAlarm(now)).toBe(now)
    await compactor.work(now)
    expect([store.compactedResourceVersion, compactor.nextAlarm(now)]).toEqual([0, now + 10_000])
    readers.isReading = false
    await compactor.work(now)
    expect([store.compactedResourceVersion, compactor.nextAlarm(now)]).toEqual([0, now + 600_000])
    readers.keptFrom = Number.POSITIVE_INFINITY
    await compactor.work(now)
    expect([store.compactedResourceVersion, compactor.nextAlarm(now)]).toEqual([store.resourceVersion, undefined])
  })
})
