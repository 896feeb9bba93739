import { describe, expect, test } from 'vitest'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { graceOf, markDeleted, markGraceful } from './grace.ts'

const now = Date.parse('2026-01-01T00:00:10Z')
const thirty = (_: KubernetesObject, requested: number | undefined): number => requested ?? 30
const fresh = (): KubernetesObject => ({ metadata: { generation: 1 } })

/** An object whose deletion ends so many seconds after `now`, of a grace of so many. */
const ending = (inSeconds: number, deletionGracePeriodSeconds: number): KubernetesObject => ({
  metadata: { deletionTimestamp: new Date(now + inSeconds * 1000).toISOString(), deletionGracePeriodSeconds },
})
const granted = (seconds: number, inSeconds = seconds) => ({ is: 'granted', seconds, until: now + inSeconds * 1000 })

describe('the grace of a deletion', () => {
  test('is none for kinds that know none', () => {
    expect(graceOf(fresh(), undefined, 5, now)).toEqual({ is: 'none' })
  })

  test.each([
    [undefined, granted(30)],
    [7, granted(7)],
    [0, granted(0)],
    [-4, granted(1)],
  ])('that is asked for is granted: %s', (requested, expected) => {
    expect(graceOf(fresh(), thirty, requested, now)).toEqual(expected)
  })

  test.each([
    [20, 30, undefined, { is: 'pending' }],
    [20, 30, 30, { is: 'pending' }],
    [20, 30, 40, { is: 'pending' }],
    [20, 30, 20, granted(20, 10)],
    // Ten seconds are over: less than these cannot be granted any more.
    [20, 30, 5, granted(1, 0)],
    [20, 30, 0, granted(0, 0)],
    [0, 0, undefined, { is: 'none' }],
  ])('may only be shortened: %i s of %i left, %s asked', (left, of, requested, expected) => {
    expect(graceOf(ending(left, of), thirty, requested, now)).toEqual(expected)
  })
})

test('the generation counts the beginning of a deletion, and not what follows', () => {
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
