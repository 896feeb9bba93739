import { expect, test } from 'vitest'
import type { Pod } from '../../../catalog/generated/types/core.v1.ts'
import type { LevelVersion } from '../../../clusters/pod-security.ts'
import { ExistingPodsEvaluation, existingPodsWarnings } from './existing-pods.ts'

const standard: LevelVersion = { level: 'baseline', version: 'latest' }

interface PodOptions {
  readonly controller?: string
  readonly runtimeClassName?: string
  readonly allowed?: true
}

function pod(name: string, { controller, runtimeClassName, allowed }: PodOptions = {}): Pod {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'owner', uid: controller ?? '', controller: true }
  return {
    metadata: { name, ...(controller !== undefined && { ownerReferences: [owner] }) },
    spec: {
      containers: [],
      ...(allowed !== true && { hostNetwork: true }),
      ...(runtimeClassName !== undefined && { runtimeClassName }),
    },
    status: {},
  }
}

function warningsOf(pods: readonly Pod[], exemptRuntimeClasses: readonly string[] = []): readonly string[] {
  const evaluation = new ExistingPodsEvaluation({ standard, exemptRuntimeClasses })
  for (const each of pods) evaluation.add(each)
  return existingPodsWarnings('shop', standard, evaluation.result)
}

const violate = 'existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"'
const named = (prefix: string, count: number, options?: PodOptions): Pod[] =>
  Array.from({ length: count }, (_, index) => pod(`${prefix}${String(index).padStart(4, '0')}`, options))

test.each([
  [1, 'p0000: host namespaces'],
  [2, 'p0000 (and 1 other pod): host namespaces'],
  [3, 'p0000 (and 2 other pods): host namespaces'],
])('%i existing Pods with the same violations are one warning', (count, warning) => {
  expect(warningsOf(named('p', count).reverse())).toEqual([violate, warning])
})

test('existing Pods that are allowed or of an exempt RuntimeClass cause no warning', () => {
  expect(warningsOf([pod('a', { allowed: true }), pod('b', { runtimeClassName: 'sandboxed' })], ['sandboxed'])).toEqual([])
})

test('at most 3000 existing Pods are evaluated, replicas of a controller last', () => {
  const pods = [...named('replica', 2000, { controller: 'uid' }), ...named('single', 2000)]
  const checked = 'new PodSecurity enforce level only checked against the first 3000 of 4000 existing pods'
  expect(warningsOf(pods)).toEqual([checked, violate, 'replica0000 (and 2999 other pods): host namespaces'])
  const evaluation = new ExistingPodsEvaluation({ standard, exemptRuntimeClasses: [] })
  for (const each of [...named('replica', 2000, { controller: 'uid', allowed: true }), ...named('single', 2999)])
    evaluation.add(each)
  expect(evaluation.result).toMatchObject({ total: 4999, evaluated: 3000, groups: [{ name: 'single0000', count: 2999 }] })
})

test('existing Pods beyond the first 3000 are only counted', () => {
  const evaluation = new ExistingPodsEvaluation({ standard, exemptRuntimeClasses: [] })
  for (const each of named('p', 2999)) evaluation.add(each)
  expect(evaluation.isComplete).toBe(false)
  evaluation.add(pod('last'))
  expect(evaluation.isComplete).toBe(true)
  evaluation.skip(70)
  expect(evaluation.result).toMatchObject({ total: 3070, evaluated: 3000 })
})
