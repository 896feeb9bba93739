import { describe, expect, test } from 'vitest'
import type { DependenceAnswer } from '../../clusters/owner-messages.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import type { OwnerState } from '../../storage/owner-statements.ts'
import { reconcile, reminderDelay, retryDelay, type Step, unknownKindDelay } from './reconcile.ts'

const none: DependenceAnswer = { some: false, foreground: false }
const nothing: Step = { do: 'nothing' }
const wait: Step = { do: 'wait' }
const background: Step = { do: 'delete', policy: 'Background', unblock: false }
const foreground: Step = { do: 'delete', policy: 'Foreground', unblock: false }
const drop = (...uids: string[]): Step => ({ do: 'drop references', uids: new Set(uids) })

/** Returns the step for an object whose owners a, b … are in these states. */
function step(states: readonly (OwnerState | undefined)[], metadata: ObjectMeta = {}, dependence?: DependenceAnswer): Step {
  const references = states.map((state, i) => ({ uid: 'abc'.charAt(i), state }))
  return reconcile(metadata, references, dependence)
}

describe('garbage collection of an object with owners', () => {
  test.each<[OwnerState[], Step]>([
    [[], nothing],
    [['solid'], nothing],
    [['orphan'], nothing],
    [['gone'], background],
    [['gone', 'gone'], background],
    [['solid', 'gone'], drop('b')],
    [['foreground', 'solid', 'gone'], drop('a', 'c')],
    [['gone', 'unknown'], wait],
    [['solid', 'unknown'], wait],
    [['gone', 'invalid'], nothing],
  ])('in the states %j', (states, expected) => {
    expect(step(states)).toEqual(expected)
  })

  test('deletes it with the propagation policy of its own finalizers', () => {
    expect(step(['gone'], { finalizers: ['orphan'] })).toEqual({ ...background, policy: 'Orphan' })
    expect(step(['gone'], { finalizers: ['foregroundDeletion', 'example.com/x'] })).toEqual(foreground)
  })

  test('leaves it alone if it has a deletionTimestamp', () => {
    expect(step(['gone'], { deletionTimestamp: '2026-01-01T00:00:00Z' })).toEqual(nothing)
  })

  test('deletes it in the foreground if its owner waits for it and it has dependents', () => {
    expect(step(['foreground'])).toEqual(wait)
    expect(step(['foreground'], {}, none)).toEqual(background)
    expect(step(['foreground', 'gone'], {}, { some: true, foreground: false })).toEqual(foreground)
  })

  test('removes blockOwnerDeletion if its owners may be its own dependents (a cycle)', () => {
    expect(step(['foreground'], {}, { some: true, foreground: true })).toEqual({ ...foreground, unblock: true })
  })
})

test('the retry delay grows up to 15 minutes', () => {
  expect([0, 1, 5, 50].map(retryDelay)).toEqual([100, 200, 3200, 900_000])
})

test('an owner of an unknown kind is looked up less and less often, down to once a day', () => {
  expect([0, 10, 14, 19, 50].map(unknownKindDelay)).toEqual([100, 102_400, 1_638_400, 52_428_800, 86_400_000])
})

test('a place that does not finish with the dependents of a deleted owner is reminded less and less often', () => {
  expect([0, 1, 10, 50].map(reminderDelay)).toEqual([60_000, 120_000, 61_440_000, 86_400_000])
})
