/** Watches in a cluster of an older release go on as that release's after their object has hibernated. */
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { kindOf } from '../../src/catalog/scheme.ts'
import type { WatchOperation } from '../../src/clusters/operation.ts'
import { bookmarksOf } from '../../src/encoding/encodings.ts'
import { DEFAULT_BRIDGE_OPTIONS, WatchBridge } from '../../src/http/watches/bridge.ts'
import { newCluster, WatchReader } from './watched-classes.ts'

const target = { group: 'storage.k8s.io', version: 'v1', resource: 'csidrivers', subresource: '', namespace: '', name: '' }
const selection = { labelSelector: '', fieldSelector: '', allowWatchBookmarks: false, timeoutSeconds: 600 }

test('an event after hibernation has no field that came after the release', async () => {
  const kind = kindOf('storage.k8s.io', 'v1', 'csidrivers')
  if (kind === undefined) throw new Error('no CSIDrivers')
  const { cluster, client } = await newCluster()
  const put = async (name: string): Promise<void> => {
    const write = { manager: 'test', dryRun: false }
    const body = JSON.stringify({ metadata: { name }, spec: { nodeAllocatableUpdatePeriodSeconds: 60 } })
    await client.performWithoutAnswer(kind, { verb: 'create', target, write }, body)
  }
  const watch = async (emulation: string): Promise<WatchReader> => {
    const operation: WatchOperation = { verb: 'watch', target, watch: { ...selection, resourceVersion: '' }, emulation }
    const bookmarks = () => bookmarksOf({ kindOf, now: Date.now }, kind, operation)
    const open = (sent: WatchOperation): Promise<Response> => client.openSocket(kind, sent)
    return new WatchReader(await WatchBridge.begin(open, operation, bookmarks, DEFAULT_BRIDGE_OPTIONS))
  }
  await put('a')
  const [older, newer] = [await watch('1.32'), await watch('1.33')]
  const has = async (reader: WatchReader): Promise<boolean> =>
    (await reader.line()).includes('"nodeAllocatableUpdatePeriodSeconds"')
  expect([await has(older), await has(newer)]).toEqual([false, true])
  await evictDurableObject(env.COLLECTION.getByName(`${cluster}/storage.k8s.io/csidrivers`))
  await put('b')
  expect([await has(older), await has(newer)]).toEqual([false, true])
  await Promise.all([older.cancel(), newer.cancel()])
})
