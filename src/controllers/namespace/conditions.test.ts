import { expect, test } from 'vitest'
import { conditionsOf, type Findings, type NamespaceCondition } from './conditions.ts'

const nothing: Findings = { remainders: [], failures: [] }
const earlier = '2026-01-01T00:00:00Z'
const later = Date.parse('2026-01-02T00:00:00Z')

/** Maps conditions by type to `status reason: message`. */
const byType = (conditions: readonly NamespaceCondition[] = []): Record<string, string> =>
  Object.fromEntries(conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]))

test('the conditions of a terminating namespace list remaining resources and finalizers, sorted', () => {
  const remainders = [
    { name: 'secrets.', objects: 1, finalizers: new Map([['e.com/b', 1]]) },
    {
      name: 'jobs.batch',
      objects: 2,
      finalizers: new Map([
        ['e.com/b', 2],
        ['e.com/a', 1],
      ]),
    },
  ]
  expect(byType(conditionsOf([], { remainders, failures: ['y', 'x'] }, later))).toEqual({
    NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
    NamespaceDeletionGroupVersionParsingFailure: 'False ParsedGroupVersions: All legacy kube types successfully parsed',
    NamespaceDeletionContentFailure: 'True ContentDeletionFailed: Failed to delete all resource types, 2 remaining: x, y',
    NamespaceContentRemaining:
      'True SomeResourcesRemain: Some resources are remaining: jobs.batch has 2 resource instances, secrets. has 1 resource instances',
    NamespaceFinalizersRemaining:
      'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: e.com/a in 1 resource instances, e.com/b in 3 resource instances',
  })
})

test('lastTransitionTime changes only with the status, and equal conditions are not written again', () => {
  const findings = { remainders: [{ name: 'pods.', objects: 1, finalizers: new Map([['f/x', 1]]) }], failures: [] }
  const others = [{ type: 'Mine', status: 'True', lastTransitionTime: earlier }]
  const first = conditionsOf(others, findings, Date.parse(earlier))
  expect(conditionsOf(first ?? [], findings, later)).toBeUndefined()
  const more = { remainders: [{ name: 'pods.', objects: 2, finalizers: new Map([['f/x', 2]]) }], failures: [] }
  const second = conditionsOf(first ?? [], more, later)
  expect(second?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(Array(6).fill(earlier))
  const third = conditionsOf(second ?? [], nothing, later)
  expect(third?.filter(({ lastTransitionTime }) => lastTransitionTime !== earlier).map(({ type }) => type)).toEqual([
    'NamespaceContentRemaining',
    'NamespaceFinalizersRemaining',
  ])
  expect(third?.[0]).toEqual(others[0])
})
