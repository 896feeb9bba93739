import { expect, test } from 'vitest'
import type { JsonObject } from '../../../go/json-value.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { decode } from '../../../schema/decode.ts'
import { applyKindDefaults } from '../../defaulting/defaults.ts'
import { kindOf } from '../../scheme.ts'
import { validateJob, validateJobUpdate } from './job.ts'

type Job = Parameters<typeof validateJob>[0]

const labels = {
  'controller-uid': 'u',
  'job-name': 'j',
  'batch.kubernetes.io/controller-uid': 'u',
  'batch.kubernetes.io/job-name': 'j',
}
const podSpec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] }

function job(spec: JsonObject, pod: JsonObject = {}): Job {
  const kind = kindOf('batch', 'v1', 'jobs')
  if (kind === undefined) throw new Error('no jobs')
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } }
  const whole = { selector, template: { metadata: { labels }, spec: { ...podSpec, ...pod } }, ...spec }
  const decoded = decode(kind.type, { metadata: { name: 'j', uid: 'u', resourceVersion: '1' }, spec: whole })
    .object as unknown as KubernetesObject
  applyKindDefaults(kind, decoded)
  return decoded as Job
}

const messagesOf = (errors: readonly { field: string; text: string }[]): string[] =>
  errors.map(({ field, text }) => `${field}: ${text}`)

/** [name, spec, errors of kube-apiserver 1.36]. */
test.each<[string, JsonObject, string[]]>([
  ['a good one', {}, []],
  [
    'rules about failures',
    {
      podFailurePolicy: { rules: [{ action: 'Bad', onExitCodes: { operator: 'In', values: [2, 0, 2] } }, { action: 'Ignore' }] },
    },
    [
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Bad": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 2',
      'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,0,2]: must be ordered',
      'spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
    ],
  ],
  [
    'rules about successes need indexes',
    { successPolicy: { rules: [{ succeededIndexes: '0' }] } },
    [
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":"0","SucceededCount":null}]}: requires indexed completion mode',
    ],
  ],
  [
    'indexes that are none',
    {
      completionMode: 'Indexed',
      completions: 3,
      successPolicy: { rules: [{ succeededIndexes: '2,1' }, { succeededIndexes: '0-2-3' }] },
    },
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "2,1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
      'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "0-2-3": error parsing succeededIndexes: the fragment "0-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
    ],
  ],
  [
    'another manager',
    { managedBy: 'me' },
    ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
])('%s', (_what, spec, expected) => {
  expect(messagesOf(validateJob(job(spec)))).toEqual(expected)
})

test('the Pod template of a running Job is immutable, and the error quotes it in its internal form', () => {
  const [error, ...others] = validateJobUpdate(job({}, { nodeSelector: { a: 'b' } }), job({}))
  expect(others).toEqual([])
  expect(error?.field).toBe('spec.template')
  expect(error?.text).toMatch(
    /^Invalid value: \{"labels":\{.*\},"Spec":\{"Volumes":null,.*"NodeSelector":\{"a":"b"\}.*: field is immutable$/,
  )
})

test('the nodeSelector and the resources of a suspended Job that has not started may change', () => {
  const changed = job(
    { suspend: true },
    { nodeSelector: { a: 'b' }, containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
  )
  expect(validateJobUpdate(changed, job({ suspend: true }))).toEqual([])
  const other = job({ suspend: true }, { containers: [{ name: 'c', image: 'other' }] })
  expect(validateJobUpdate(other, job({ suspend: true })).map(({ field }) => field)).toEqual(['spec.template.spec'])
})
