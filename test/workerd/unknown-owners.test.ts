/** Owners of unknown kinds: they are looked up less and less often, because each attempt wakes their dependents' collection. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { kernelOf } from './kernel-of.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const day = 86_400_000

test('an owner of a kind that does not exist is looked up once a day after some time', async () => {
  const clock = Date.now
  let passed = 0
  vi.spyOn(Date, 'now').mockImplementation(() => clock() + passed)
  const stub = env.COLLECTION.getByName(`${crypto.randomUUID()}//pods`)
  const delays = await runInDurableObject(stub, async (instance) => {
    const { store, alarms } = kernelOf(instance)
    const collector = alarms.parts.find(({ name }) => name === 'garbage-collector')
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Bolt', name: 'b', uid: 'u' }]
    await store.write((transaction) => {
      const value = JSON.stringify({ metadata: { name: 'web', namespace: 'default', ownerReferences } })
      transaction.put({ key: 'pods/default/web', resourceVersion: transaction.nextResourceVersion(), labels: '', value })
    })
    const found: number[] = []
    for (let i = 0; i < 24; i++) {
      passed += Math.max(0, (collector?.nextAlarm(Date.now()) ?? 0) - Date.now())
      await alarms.run()
      found.push((collector?.nextAlarm(Date.now()) ?? 0) - Date.now())
    }
    return found
  })
  expect(delays[0]).toBeLessThanOrEqual(100)
  expect(delays.at(-1)).toBeGreaterThan(day - 60_000)
})
