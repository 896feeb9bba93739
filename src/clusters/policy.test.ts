/** The policy snapshot of a server whose control object is in the same isolate. */
import { expect, test, vi } from 'vitest'
import { CollectionClient } from './collection-client.ts'
import type { ObjectBindings } from './object-stubs.ts'
import { enterMemory, type ObjectInMemory } from './objects-in-memory.ts'
import { controlOf } from './placement.ts'
import { type Asker, maximumAge, PolicyCache } from './policy.ts'
import { settledHeader } from './policy-messages.ts'

/** Makes a cache whose control object counts its requests, and confirms the snapshot of this isolate if it `isSame`. */
function cacheOf(cluster: string, READS: string) {
  const control = { requests: 0, isSame: true, uid: 'not asked' as string | undefined }
  const namespace = {
    idFromName: (name: string) => name,
    get: () => ({
      fetch: async () => {
        control.requests++
        return Response.json({}, { headers: { [settledHeader]: '1' } })
      },
    }),
  }
  const object: ObjectInMemory = {
    answerFromMemory: () => undefined,
    confirmsPolicy: (_parts, uid) => {
      control.uid = uid
      return control.isSame
    },
  }
  enterMemory(controlOf(cluster).name, object)
  const bindings = { CONTROL: namespace, COLLECTION: namespace, READS } as unknown as ObjectBindings
  const policy = new PolicyCache(new CollectionClient(bindings, cluster))
  const asker = (isStranger = false): Asker => ({ isStranger, arrivedAfter: policy.begun })
  // Held until the end of the test: otherwise only weakly.
  return { policy, control, asker, object }
}

test('discovery asks the control object only after a change, if it is in this isolate', async () => {
  const { policy, control, asker } = cacheOf('memory', 'memory')
  const first = await policy.refresh(asker())
  expect(await policy.refresh(asker())).toBe(first)
  expect(await policy.namespacePhase('missing', asker())).toBeUndefined()
  expect(control).toMatchObject({ requests: 1, uid: undefined })
  control.isSame = false
  await policy.refresh(asker())
  expect(control.requests).toBe(2)
})

test('discovery asks the control object each time if it may be elsewhere', async () => {
  const { policy, control, asker } = cacheOf('elsewhere', 'requests')
  await policy.refresh(asker())
  await policy.refresh(asker())
  expect(control).toMatchObject({ requests: 2, uid: 'not asked' })
})

test('strangers and probes ask the control object when its last answer is old: they find out whether it answers', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { policy, control, asker } = cacheOf('probed', 'memory')
  const ask = async (isStranger: boolean): Promise<void> => {
    await policy.refresh(asker(isStranger))
  }
  await ask(false)
  for (const [step, requests] of [
    [() => ask(false), 1],
    [() => ask(true), 2],
    [() => ask(false), 2],
    [() => policy.confirm(), 3],
  ] as const) {
    vi.setSystemTime(Date.now() + maximumAge)
    await step()
    expect(control.requests).toBe(requests)
  }
  await ask(false)
  await policy.confirm()
  expect(control.requests).toBe(3)
  vi.useRealTimers()
})
