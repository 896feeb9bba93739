import { expect, test } from 'vitest'
import type { Toleration } from '../../catalog/generated/types/core.v1.ts'
import { mergeTolerations } from './merge-tolerations.ts'

const exists = (key: string, more: Toleration = {}): Toleration => ({ key, operator: 'Exists', ...more })
const equal = (key: string, value: string, more: Toleration = {}): Toleration => ({ key, operator: 'Equal', value, ...more })

test.each<[string, Toleration[], Toleration[], Toleration[]]>([
  ['different tolerations', [exists('a')], [exists('b')], [exists('a'), exists('b')]],
  ['equal tolerations', [exists('a')], [exists('a')], [exists('a')]],
  ['one that tolerates every taint', [exists('a'), equal('b', 'c')], [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
  ['one for all values', [equal('a', 'x')], [exists('a')], [exists('a')]],
  ['one for all effects', [exists('a')], [exists('a', { effect: 'NoSchedule' })], [exists('a')]],
  ['other values', [equal('a', 'x')], [equal('a', 'y')], [equal('a', 'x'), equal('a', 'y')]],
  ['one without an operator', [{ key: 'a', value: 'x' }], [equal('a', 'x')], [{ key: 'a', value: 'x' }]],
  [
    'a shorter time',
    [exists('a', { effect: 'NoExecute', tolerationSeconds: 5 })],
    [exists('a', { effect: 'NoExecute', tolerationSeconds: 9 })],
    [exists('a', { effect: 'NoExecute', tolerationSeconds: 9 })],
  ],
  [
    'a time and forever',
    [exists('a', { effect: 'NoExecute', tolerationSeconds: 5 })],
    [exists('a', { effect: 'NoExecute' })],
    [exists('a', { effect: 'NoExecute' })],
  ],
])('tolerations of two sources are merged: %s', (_title, first, second, merged) => {
  expect(mergeTolerations(first, second)).toEqual(merged)
})
