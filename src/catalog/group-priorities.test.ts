import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLines } from '../../conformance/lines.ts'
import type { RecordedPriority } from '../../scripts/catalog/priority-facts.ts'
import { served } from './generated/served.ts'
import { prioritiesOf } from './group-priorities.ts'

const recorded = readLines<RecordedPriority>(join(import.meta.dirname, '../../conformance/recorded/priorities.jsonl'))

test('the priorities of the newest release are those of its APIServices', () => {
  const own = recorded.filter(({ group }) => group !== 'apiregistration.k8s.io')
  expect(own).toHaveLength(new Set(served.map(({ group, version }) => `${version}.${group}`)).size - 1)
  for (const { group, version, groupPriority, versionPriority } of own) {
    expect(prioritiesOf(group, version), group).toEqual({ group: groupPriority, version: versionPriority })
  }
})

test('extensions came before all groups but the core group until 1.19', () => {
  expect(prioritiesOf('extensions', 'v1beta1', [1, 19])).toEqual({ group: 17900, version: 1 })
  expect(prioritiesOf('extensions', 'v1beta1', [1, 20])).toEqual({ group: 17150, version: 1 })
})
