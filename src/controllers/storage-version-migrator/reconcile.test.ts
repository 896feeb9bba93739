import { expect, test } from 'vitest'
import type { StorageVersionMigration } from '../../catalog/generated/types/storagemigration.v1beta1.ts'
import { type MigrationCondition, stepOf, withCondition, withoutRunning } from './reconcile.ts'

const migration = (
  name: string,
  conditions: readonly MigrationCondition[] = [],
  resourceVersion = '',
): StorageVersionMigration => ({
  metadata: { name, creationTimestamp: `2026-01-0${name}T00:00:00Z` },
  spec: { resource: { group: 'example.com', resource: 'lamps' } },
  status: {
    conditions: conditions.flatMap((type) => [...withCondition([], type, '2026-01-01T00:00:00Z')]),
    ...(resourceVersion !== '' && { resourceVersion }),
  },
})

test.each([
  ['the only one starts', migration('2'), [], { do: 'start' }],
  ['an older one waits', migration('2'), [migration('1')], { do: 'nothing' }],
  ['an older one has ended', migration('2'), [migration('1', ['Failed'])], { do: 'start' }],
  ['a younger one runs', migration('2'), [migration('3', ['Running'])], { do: 'nothing' }],
  ['a running one without a resourceVersion', migration('2', ['Running']), [], { do: 'measure' }],
  ['a running one', migration('2', ['Running'], '7'), [], { do: 'rewrite', until: '7' }],
  ['one that has succeeded', migration('2', ['Running', 'Succeeded'], '7'), [], { do: 'finish', hasSucceeded: true }],
  ['one that has failed', migration('2', ['Running', 'Failed']), [], { do: 'finish', hasSucceeded: false }],
  ['one that has ended', migration('2', ['Succeeded']), [], { do: 'nothing' }],
] as const)('the next step: %s', (_name, one, others, step) => {
  expect(stepOf(one, [one, ...others])).toEqual(step)
})

test('a condition is set once, and Running ends', () => {
  const time = '2026-01-01T00:00:00Z'
  const running = withCondition([], 'Running', time)
  expect(withCondition(running, 'Running', '2027-01-01T00:00:00Z')).toBe(running)
  expect(withoutRunning(running, time, 2)).toEqual([
    {
      type: 'Running',
      status: 'False',
      observedGeneration: 2,
      lastTransitionTime: time,
      reason: 'MigrationCompleted',
      message: 'Migration completed',
    },
  ])
  expect(withCondition([], 'Failed', time, 'why')).toMatchObject([{ reason: 'StorageVersionMigrationFailed', message: 'why' }])
})
