import { expect, test } from 'vitest'
import { served } from './generated/served.ts'
import { prioritiesOf } from './group-priorities.ts'
import recorded from './recorded-priorities.json' with { type: 'json' }

test('the priorities of the newest release are those of its APIServices', () => {
  const groups: Readonly<Record<string, number>> = recorded.groups
  const versions: Readonly<Record<string, number>> = recorded.versions
  for (const { group, version } of served.filter((each) => each.group !== 'apiregistration.k8s.io')) {
    expect(prioritiesOf(group, version), group).toEqual({ group: groups[group], version: versions[`${version}.${group}`] ?? 15 })
  }
})

test('extensions came before all groups but the core group until 1.19', () => {
  expect(prioritiesOf('extensions', 'v1beta1', [1, 19])).toEqual({ group: 17900, version: 1 })
  expect(prioritiesOf('extensions', 'v1beta1', [1, 20])).toEqual({ group: 17150, version: 1 })
})
