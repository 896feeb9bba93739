import { expect, test } from 'vitest'
import type { LevelVersion, Policy } from '../../../clusters/pod-security.ts'
import { parseVersion } from '../../../clusters/pod-security.ts'
import { concernsExistingPods, levelVersionText, policyOf } from './policy.ts'

const privileged: LevelVersion = { level: 'privileged', version: 'latest' }
const defaults: Policy = { enforce: privileged, audit: privileged, warn: privileged }

/** Returns the policy as text, and the fields with errors, for labels without their prefix. */
function read(labels: Readonly<Record<string, string>>, fallback = defaults): string {
  const prefixed = Object.entries(labels).map(([mode, value]) => [`pod-security.kubernetes.io/${mode}`, value])
  const { policy, errors } = policyOf(Object.fromEntries(prefixed), fallback)
  const fields = errors.map(({ field }) => /\/(.*)\]$/.exec(field)?.[1] ?? field)
  return [policy.enforce, policy.audit, policy.warn].map(levelVersionText).concat(fields).join(' ')
}

test.each([
  [{}, 'privileged:latest privileged:latest privileged:latest'],
  [{ enforce: 'baseline' }, 'baseline:latest privileged:latest baseline:latest'],
  [{ enforce: 'baseline', 'enforce-version': 'v1.20' }, 'baseline:v1.20 privileged:latest baseline:v1.20'],
  [{ enforce: 'restricted', 'warn-version': 'v1.7' }, 'restricted:latest privileged:latest restricted:v1.7'],
  [{ enforce: 'restricted', warn: 'baseline' }, 'restricted:latest privileged:latest baseline:latest'],
  [{ 'enforce-version': 'v1.20' }, 'privileged:v1.20 privileged:latest privileged:latest'],
  [{ enforce: 'none' }, 'restricted:latest privileged:latest privileged:latest enforce'],
  [{ audit: 'none', warn: '' }, 'privileged:latest privileged:latest privileged:latest audit warn'],
  [{ enforce: 'baseline', 'enforce-version': '1.2' }, 'baseline:latest privileged:latest baseline:latest enforce-version'],
])('labels %j of a namespace are the policy %s', (labels, policy) => {
  expect(read(labels)).toBe(policy)
})

test('labels of a namespace override the configured defaults', () => {
  const baseline: LevelVersion = { level: 'baseline', version: 'v1.30' }
  const configured = { enforce: baseline, audit: baseline, warn: { ...baseline, level: 'restricted' } } as const
  expect(read({}, configured)).toBe('baseline:v1.30 baseline:v1.30 restricted:v1.30')
  expect(read({ enforce: 'privileged' }, configured)).toBe('privileged:v1.30 baseline:v1.30 restricted:v1.30')
  expect(read({ enforce: 'restricted' }, configured)).toBe('restricted:v1.30 baseline:v1.30 restricted:v1.30')
})

test.each(['latest', 'v1.0', 'v1.36', 'v1.400', 'v1.9223372036854775807'])('the version %s is valid', (text) => {
  expect(parseVersion(text)).toBe(text)
})

test.each(['', 'v1', 'v1.01', 'v2.0', '1.2', 'v1.2.3', 'Latest', ' latest', 'v1.9223372036854775808'])(
  'the version "%s" is invalid',
  (text) => {
    expect(parseVersion(text)).toBeUndefined()
  },
)

test.each([
  ['privileged:latest', 'baseline:latest', true],
  ['baseline:latest', 'restricted:latest', true],
  ['restricted:latest', 'baseline:latest', false],
  ['restricted:latest', 'baseline:v1.30', true],
  ['baseline:latest', 'baseline:latest', false],
  ['baseline:latest', 'baseline:v1.36', true],
  ['baseline:latest', 'privileged:v1.20', false],
])('from %s to %s, the existing Pods are evaluated: %s', (from, to, evaluated) => {
  const policy = (text: string): Policy => {
    const [level = '', version = ''] = text.split(':')
    return { ...defaults, enforce: { level, version } as LevelVersion }
  }
  expect(concernsExistingPods(policy(to), policy(from))).toBe(evaluated)
})
