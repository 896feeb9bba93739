import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { QuotaFacts } from '../../src/clusters/quota-messages.ts'
import type { KubernetesObject } from '../../src/meta/object-meta.ts'
import { canonicalQuantity, compareQuantities } from '../../src/meta/quantity.ts'
import { checkRequest } from '../../src/registry/admission/quota/check.ts'
import { pods } from '../../src/registry/admission/quota/evaluators/pods.ts'
import { matchesScope } from '../../src/registry/admission/quota/scopes.ts'
import { readLines } from '../lines.ts'

/** The facts by kube-apiserver's evaluator: the use, the scopes of the Pod, and the error if all requests and limits are limited. */
interface Recorded {
  readonly pod: KubernetesObject
  readonly facts: {
    readonly usage: Readonly<Record<string, string>>
    readonly scopes: readonly string[]
    readonly constraint: string
  }
}

/** The time of the recording: after every short grace period in it, and before every long one. */
const now = Date.parse('2027-01-01T00:00:00Z')

const recorded = readLines<Recorded>(join(import.meta.dirname, 'quota.jsonl'))

/** Canonicalizes quantities, as decoding a request does. */
function decoded<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (key, child: unknown) =>
    ['requests', 'limits', 'allocatedResources', 'overhead'].includes(key)
      ? Object.fromEntries(Object.entries(child as Record<string, string>).map(([name, text]) => [name, canonicalQuantity(text)]))
      : child,
  ) as T
}

const factsOf = ({ pod }: Recorded): QuotaFacts => pods.factsOf(decoded(pod), now)

test('the quota use of Pods is the recorded one', () => {
  expect(recorded.length).toBeGreaterThan(100)
  for (const record of recorded) {
    const { usage } = factsOf(record)
    expect({ pod: record.pod, names: Object.keys(usage).sort() }).toEqual({
      pod: record.pod,
      names: Object.keys(record.facts.usage).sort(),
    })
    for (const [name, expected] of Object.entries(record.facts.usage)) {
      const actual = usage[name] ?? ''
      expect({ pod: record.pod, name, actual, order: compareQuantities(actual, expected) }).toEqual({
        pod: record.pod,
        name,
        actual: expected,
        order: 0,
      })
    }
  }
})

test('Pods are in the recorded scopes of quotas', () => {
  const names = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity']
  for (const record of recorded) {
    const facts = factsOf(record)
    const scopes = names.filter((scopeName) => matchesScope({ scopeName, operator: 'Exists' }, facts))
    expect({ pod: record.pod, scopes }).toEqual({ pod: record.pod, scopes: record.facts.scopes })
  }
})

test('Pods without limited requests or limits are rejected with the recorded message', () => {
  const hard = Object.fromEntries(
    ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'].map((name) => [name, '99E']),
  )
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  const quota = { metadata: { name: 'q' }, spec: {}, status: { hard, used } }
  for (const record of recorded) {
    const request = { collection: 'pods', namespace: 'a', subresource: '', facts: factsOf(record) }
    const { refusal } = checkRequest([quota], request, pods)
    const why = refusal?.why.startsWith('failed quota') === true ? refusal.why : ''
    const { constraint } = record.facts
    expect({ pod: record.pod, why }).toEqual({ pod: record.pod, why: constraint === '' ? '' : `failed quota: q: ${constraint}` })
  }
})
