/** The resourceVersion at which lists begin: after compaction, and before a future version. */
import { expect, test } from 'vitest'
import { kindOf } from '../../src/catalog/scheme.ts'
import { allObjects } from '../../src/clusters/operation.ts'
import { startOf } from '../../src/registry/list/start.ts'
import { decodeContinue, encodeContinue } from '../../src/storage/continue-token.ts'
import { put } from '../contract/store-model.ts'
import { newStore } from './stores.ts'

function kindOfPods() {
  const kind = kindOf('', 'v1', 'pods')
  if (kind === undefined) throw new Error('no Pods')
  return kind
}
const pods = kindOfPods()
const selected = { prefix: 'pods/', key: undefined, matches: undefined, readsValue: false }
const single = { ...selected, key: 'pods/a/x' }
const history = { historySeconds: 0, historyEvents: 1 }

test('a continue token of a compacted version is 410 Expired with a token that continues from the same key [V8]', () =>
  newStore(history).run(async (store) => {
    for (const name of ['a', 'b', 'c', 'd']) await store.write((t) => put(t, `pods/n/${name}`))
    const token = encodeContinue({ resourceVersion: 2, after: 'n/a' })
    while (store.compact(Date.now() + 60_000));
    const error = await startOf(store, pods, selected, { ...allObjects, continue: token }).catch((e: unknown) => e)
    expect(error).toMatchObject({ code: 410, reason: 'Expired' })
    const fresh = (error as { continue: string }).continue
    expect(decodeContinue(fresh)).toEqual({ resourceVersion: -1, after: 'n/a' })
    expect(await startOf(store, pods, selected, { ...allObjects, continue: fresh, limit: 1 })).toEqual({
      resourceVersion: store.resourceVersion,
      after: 'pods/n/a',
      limit: 1,
    })
    const exact = { ...allObjects, resourceVersion: '2', resourceVersionMatch: 'Exact' } as const
    await expect(startOf(store, pods, selected, exact)).rejects.toMatchObject({
      code: 410,
      message: 'The resourceVersion for the provided list is too old.',
    })
  }))

test('a future resourceVersion is served after the write that creates it', () =>
  newStore().run(async (store) => {
    const start = startOf(store, pods, selected, { ...allObjects, resourceVersion: String(store.resourceVersion + 1) })
    await store.write((t) => put(t, 'pods/n/a'))
    expect(await start).toMatchObject({ resourceVersion: store.resourceVersion })
  }))

test('a resourceVersion that is too large is 504 with Retry-After; an exact one of a single object is not waited for', () =>
  newStore().run(async (store) => {
    const far = { ...allObjects, resourceVersion: '18446744073709551615' }
    const settled: string[] = []
    const waited = startOf(store, pods, selected, far).finally(() => settled.push('waited'))
    const exact = startOf(store, pods, single, { ...far, resourceVersionMatch: 'Exact' }).finally(() => settled.push('exact'))
    await expect(exact).rejects.toMatchObject({
      details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
    })
    await expect(waited).rejects.toMatchObject({
      code: 504,
      message: 'Timeout: Too large resource version: 18446744073709551615, current: 1',
      details: { retryAfterSeconds: 1 },
    })
    expect(settled).toEqual(['exact', 'waited'])
  }))

test.each([
  ['', '', 0, 'newest', 0],
  ['0', '', 2, 'newest', 0],
  ['0', 'NotOlderThan', 2, 'newest', 0],
  ['2', '', 0, 'newest', 0],
  ['2', '', 2, 'exact', 2],
  ['2', 'Exact', 0, 'exact', 0],
  ['2', 'Exact', 2, 'exact', 2],
  ['2', 'NotOlderThan', 2, 'newest', 2],
] as const)('resourceVersion %j, match %j, limit %d: %s', (resourceVersion, resourceVersionMatch, limit, which, kept) =>
  newStore().run(async (store) => {
    for (const name of ['a', 'b', 'c']) await store.write((t) => put(t, `pods/n/${name}`))
    const start = await startOf(store, pods, selected, { ...allObjects, resourceVersion, resourceVersionMatch, limit })
    expect(start).toEqual({ resourceVersion: which === 'exact' ? 2 : 4, after: '', limit: kept })
  }),
)

test("remainingItemCount is of the list's resourceVersion", () =>
  newStore().run(async (store) => {
    for (const name of ['a', 'b', 'c']) await store.write((t) => put(t, `pods/n/${name}`))
    const before = store.resourceVersion
    await store.write((t) => put(t, 'pods/n/b'))
    await store.write((t) => put(t, 'pods/n/d'))
    expect(store.countAfter('pods/', 'pods/n/a', before)).toBe(2)
    expect(store.countAfter('pods/', 'pods/n/a', store.resourceVersion)).toBe(3)
  }))
