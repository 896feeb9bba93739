import { expect, test } from 'vitest'
import { invalidValue } from '../../../meta/field-error.ts'
import { evaluatePolicy } from './evaluation.ts'
import { policyOf } from './policy.ts'

const label = 'pod-security.kubernetes.io/'
const privileged = { level: 'privileged', version: 'latest' } as const
const defaults = { enforce: privileged, audit: privileged, warn: privileged }
const violating = { metadata: {}, spec: { containers: [], hostPID: true } }

/** Evaluates a Pod and returns the result with the metrics that were counted. */
function evaluated(labels: Readonly<Record<string, string>>, enforces: boolean) {
  const counted: string[] = []
  const counter = {
    evaluated: (...of: readonly [string, { readonly level: string }, string]) => void counted.push(`${of[0]} ${of[2]}`),
    failed: (fatal: boolean) => void counted.push(`failed ${fatal}`),
  }
  return { ...evaluatePolicy(policyOf(labels, defaults), violating, enforces, counter), counted }
}

const violation = 'PodSecurity "baseline:latest": host namespaces (hostPID=true)'

test('violations of enforce reject a Pod, those of audit and warn do not', () => {
  expect(evaluated({ [`${label}enforce`]: 'baseline', [`${label}audit`]: 'baseline' }, true)).toEqual({
    refusal: `violates ${violation}`,
    warnings: [],
    annotations: { 'enforce-policy': 'baseline:latest', 'audit-violations': `would violate ${violation}` },
    counted: ['deny enforce', 'deny audit'],
  })
  expect(evaluated({ [`${label}warn`]: 'baseline' }, true)).toEqual({
    warnings: [`would violate ${violation}`],
    annotations: { 'enforce-policy': 'privileged:latest' },
    counted: ['allow enforce', 'deny warn'],
  })
})

test('the template of Pods is never rejected', () => {
  expect(evaluated({ [`${label}enforce`]: 'baseline' }, false)).toEqual({
    warnings: [`would violate ${violation}`],
    annotations: {},
    counted: ['deny warn'],
  })
})

test('invalid labels are an audit annotation, and an invalid level to enforce is restricted', () => {
  const { text, field } = invalidValue(
    `metadata.labels[${label}enforce]`,
    'none',
    'must be one of privileged, baseline, restricted',
  )
  const { refusal, annotations, counted } = evaluated({ [`${label}enforce`]: 'none' }, true)
  expect(refusal).toBe('violates PodSecurity "restricted:latest": host namespaces (hostPID=true)')
  expect(annotations).toEqual({ error: `Failed to parse policy: ${field}: ${text}`, 'enforce-policy': 'restricted:latest' })
  expect(counted).toEqual(['failed false', 'deny enforce'])
})
