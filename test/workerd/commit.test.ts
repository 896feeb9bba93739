/** Commits of requests whose deadline has passed. */
import { expect, test } from 'vitest'
import { commit } from '../../src/registry/commit.ts'
import { put } from '../contract/store-model.ts'
import { newStore } from './stores.ts'

const minute = 60_000

test('a write that is committed after its deadline is a 504 and changes nothing [V12]', () =>
  newStore().run(async (store) => {
    const late = commit({ store, deadline: Date.now() }, (t) => put(t, 'pods/n/late'))
    const early = commit({ store, deadline: Date.now() + minute }, (t) => put(t, 'pods/n/early'))
    await expect(late).rejects.toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
    })
    await early
    expect([store.get('pods/n/late'), store.get('pods/n/early')?.key]).toEqual([undefined, 'pods/n/early'])
  }))
