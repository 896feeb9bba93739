import { describe, expect, test } from 'vitest'
import type { PersistentVolumeClaim, Pod, Volume } from '../../catalog/generated/types/core.v1.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import { claimFinalizer, isDeletionCandidate, isUsed, releasedClaims, usesOf, withoutFinalizer } from './reconcile.ts'

const ephemeral = { name: 'e', ephemeral: {} } as Volume
const data: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } }

const pod = (volumes: Volume[], metadata: ObjectMeta = {}, nodeName = 'n'): Pod =>
  ({ metadata: { name: 'p', uid: 'u', ...metadata }, spec: { nodeName, volumes } }) as unknown as Pod

const claim = (name: string, metadata: ObjectMeta = {}): PersistentVolumeClaim =>
  ({ metadata: { name, ...metadata }, spec: {} }) as PersistentVolumeClaim

const ownedBy = (uid: string): ObjectMeta => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }],
})

const shutDown: ObjectMeta = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 }

const uses = (user: Pod, used: PersistentVolumeClaim): boolean => usesOf(user).some((use) => isUsed(used, use))

describe('the use of a claim by a Pod', () => {
  test.each<[string, Pod, PersistentVolumeClaim, boolean]>([
    ['a volume', pod([data]), claim('data'), true],
    ['a volume of another claim', pod([data]), claim('other'), false],
    ['a volume of a Pod without a node', pod([data], {}, ''), claim('data'), false],
    ['a volume of a Pod that is shut down', pod([data], shutDown), claim('data'), true],
    ['an ephemeral volume', pod([ephemeral]), claim('p-e', ownedBy('u')), true],
    ['an ephemeral volume of a former Pod', pod([ephemeral]), claim('p-e', ownedBy('former')), false],
    ['an ephemeral volume with a claim of another origin', pod([ephemeral]), claim('p-e'), false],
    ['an ephemeral volume of a Pod that is shut down', pod([ephemeral], shutDown), claim('p-e', ownedBy('u')), false],
  ])('%s', (_title, user, used, expected) => {
    expect(uses(user, used)).toBe(expected)
  })

  test('a deletion releases all claims, a shutdown those of ephemeral volumes', () => {
    expect(releasedClaims(pod([data, ephemeral]), true)).toEqual(['data', 'p-e'])
    expect(releasedClaims(pod([data, ephemeral], shutDown), false)).toEqual(['p-e'])
    expect(releasedClaims(pod([data, ephemeral]), false)).toEqual([])
  })
})

test('only the protecting finalizer of a deleted claim is removed', () => {
  const deleted = claim('data', { ...shutDown, finalizers: ['example.com/hold', claimFinalizer] })
  expect(isDeletionCandidate(deleted, claimFinalizer)).toBe(true)
  expect(isDeletionCandidate(claim('data', { finalizers: [claimFinalizer] }), claimFinalizer)).toBe(false)
  expect(isDeletionCandidate(claim('data', shutDown), claimFinalizer)).toBe(false)
  expect(withoutFinalizer(deleted, claimFinalizer).metadata.finalizers).toEqual(['example.com/hold'])
})
