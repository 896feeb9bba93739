/** The placement of a cluster: chosen when the cluster is made, and kept. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { type ClusterPlacement, placementHeader } from '../../src/clusters/placement.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'
import { keepPlacement, placementIn } from '../../src/durable-objects/cluster-placement.ts'
import { newControl, placementInTests } from './new-control.ts'
import { newStore } from './stores.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const setting = placementInTests
const other = setting === 'collections' ? 'one-object' : 'collections'

const toldBy = async (stub: DurableObjectStub, path: string): Promise<string | null> => {
  const response = await stub.fetch(collectionUrl + path)
  await response.text()
  return response.headers.get(placementHeader)
}

test.each(['collections', 'one-object'] as const)(
  'a new cluster gets its placement %s, and tells Workers of it [C3]',
  async (placement) => {
    const stub = await newControl(crypto.randomUUID(), placement)
    expect(await toldBy(stub, '/health')).toBe(placement)
    expect(await toldBy(stub, '/policy')).toBe(placement)
  },
)

test('the default cluster has the placement of the settings; it keeps it if they change, and logs the difference [C3]', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const stub = env.CONTROL.getByName('default/control')
  expect(await toldBy(stub, '/health')).toBe(setting)
  const keep = async (placement: ClusterPlacement): Promise<void> => {
    await runInDurableObject(stub, (_, { storage }) => storage.kv.put('placement', placement))
    await evictDurableObject(stub)
  }
  await keep(other)
  expect(await toldBy(stub, '/health')).toBe(other)
  expect(warn.mock.calls.flat().join()).toContain(`PLACEMENT is ${setting}, but the cluster was made with ${other}`)
  // Other tests use the default cluster too.
  await keep(setting)
})

test('a cluster of a release without placements has an object for each collection', () =>
  newStore().runBare(async ({ storage }) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    expect(placementIn(storage, true, 'one-object')).toBe('collections')
    expect(placementIn(storage, false, 'one-object')).toBe('one-object')
    keepPlacement(storage, 'one-object')
    expect(placementIn(storage, true, 'collections')).toBe('one-object')
  }))

test('503 for a collection with an object of its own, where the control object holds all', async () => {
  const stub = await newControl()
  await toldBy(stub, '/health')
  await runInDurableObject(stub, (_, { storage }) => storage.kv.put('placement', 'one-object'))
  await evictDurableObject(stub)
  const body = JSON.stringify({ group: '', version: 'v1', resource: 'pods', namespace: 'default', isFirst: true })
  const refused = await stub.fetch(`${collectionUrl}/collections`, { method: 'POST', body })
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('different releases')])
})
