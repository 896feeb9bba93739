import { describe, expect, test } from 'vitest'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { graceOf, markDeleted, markGraceful } from './grace.ts'

const now = Date.parse('2026-01-01T00:00:10Z')
const thirty = (_: KubernetesObject, requested: number | undefined): number => requested ?? 30
const fresh = (): KubernetesObject => ({ metadata: { generation: 1 } })

/** Returns an object whose deletion ends `inSeconds` after `now`, with a grace period in seconds. */
const ending = (inSeconds: number, deletionGracePeriodSeconds: number): KubernetesObject => ({
  metadata: { deletionTimestamp: new Date(now + inSeconds * 1000).toISOString(), deletionGracePeriodSeconds },
})
const granted = (seconds: number, inSeconds = seconds) => ({ is: 'granted', seconds, until: now + inSeconds * 1000 })

describe('gracePeriodSeconds of a deletion', () => {
  test('has no effect for kinds without graceful deletion', () => {
    expect(graceOf(fresh(), undefined, 5, now)).toEqual({ is: 'none' })
  })

  test.each([
    [undefined, granted(30)],
    [7, granted(7)],
    [0, granted(0)],
    [-4, granted(1)],
  ])('is granted as requested: %s', (requested, expected) => {
    expect(graceOf(fresh(), thirty, requested, now)).toEqual(expected)
  })

  test.each([
    [10_000_000_000, 10_000_000_000 - 2 ** 64 / 1e9],
    // The double nearest to the greatest integer of 64 bits, whose nanoseconds are those of -1 s.
    [2 ** 63, -1],
  ])('wraps around like a Go duration: %s', (requested, inSeconds) => {
    const grace = graceOf(fresh(), thirty, requested, now)
    expect(grace).toMatchObject({ is: 'granted', seconds: requested })
    expect(grace.is === 'granted' && Math.abs(grace.until - now - inSeconds * 1000) < 1).toBe(true)
  })

  test.each([
    [20, 30, undefined, { is: 'pending' }],
    [20, 30, 30, { is: 'pending' }],
    [20, 30, 40, { is: 'pending' }],
    [20, 30, 20, granted(20, 10)],
    // Ten seconds have passed, so no shorter period can be granted.
    [20, 30, 5, granted(1, 0)],
    [20, 30, 0, granted(0, 0)],
    [0, 0, undefined, { is: 'none' }],
  ])('of a second DELETE can only shorten the first: %i s of %i left, %s requested', (left, total, requested, expected) => {
    expect(graceOf(ending(left, total), thirty, requested, now)).toEqual(expected)
  })
})

test('metadata.generation is incremented when a deletion begins, and not later', () => {
  const object = fresh()
  markGraceful(object, { is: 'granted', seconds: 30, until: now + 30_000 })
  expect(object.metadata).toEqual({
    generation: 2,
    deletionTimestamp: '2026-01-01T00:00:40Z',
    deletionGracePeriodSeconds: 30,
  })
  markDeleted(object, now)
  expect(object.metadata).toEqual({ generation: 2, deletionTimestamp: '2026-01-01T00:00:10Z', deletionGracePeriodSeconds: 0 })
  markDeleted(object, now + 5000)
  expect(object.metadata.deletionTimestamp).toBe('2026-01-01T00:00:10Z')
})
