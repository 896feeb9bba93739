import { expect, test } from 'vitest'
import { prioritiesOf } from '../../catalog/group-priorities.ts'
import { compareVersions } from '../../meta/version-order.ts'
import { compareGroupNames, compareGroups, type OrderedGroup } from './order.ts'

test('versions are sorted by stability, then by number, newest first', () => {
  const ordered = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'bar',
    'foo10',
    'foo2',
    'v1gamma1',
  ]
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered)
})

const group = (name: string, ...versions: string[]): OrderedGroup => ({
  name,
  versions,
  priority: prioritiesOf(name, versions[0] ?? '').group,
})

test('groups are sorted by their priority, groups of custom resources last', () => {
  const ordered = [
    group('apiregistration.k8s.io', 'v1'),
    group('apps', 'v1'),
    group('policy', 'v1'),
    group('a.example.com', 'v1'),
  ]
  expect([...ordered].reverse().sort(compareGroups)).toEqual(ordered)
  expect([...ordered].reverse().sort(compareGroupNames)).toEqual(ordered)
})

test('groups of the same priority are sorted by their first APIService in /apis, by name in aggregated discovery', () => {
  const [later, earlier] = [group('disc-0.example.com', 'v1beta1'), group('disc-a.example.com', 'v10', 'v1')]
  expect([later, earlier].sort(compareGroups)).toEqual([earlier, later])
  expect([earlier, later].sort(compareGroupNames)).toEqual([later, earlier])
})
