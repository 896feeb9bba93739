/** The cases of the recorded matrix: webhooks, and requests that they are about. */

import { configMaps } from '../../paths.ts'
import { answers } from './answers.ts'
import {
  type Case,
  configMap,
  create,
  createPod,
  everything,
  get,
  labels,
  mutating,
  ofConfigMaps,
  pods,
  post,
  remove,
  validating,
} from './case-parts.ts'
import { operations } from './operation-cases.ts'

const needsPod: ReadonlySet<string> = new Set([
  'patch-index',
  'patch-index-word',
  'patch-breaks-number',
  'patch-image',
  'patch-second-container',
])

/** The answers for which the failure policy or the version of the review decides. */
const more: ReadonlySet<string> = new Set([
  'close',
  'deny',
  'empty',
  'garbage',
  'label-a',
  'no-response',
  'no-type',
  'patch-breaks-type',
  'patch-garbage',
  'patch-missing-path',
  'patch-without-type',
  'response-list',
  'status-500',
  'type-empty',
  'type-merge',
  'wrong-uid',
  'wrong-version',
])

/** Each answer, of a webhook of either phase, with both failure policies. */
const byAnswer: readonly Case[] = Object.keys(answers).flatMap((answer): Case[] => {
  const request = needsPod.has(answer) ? createPod : create
  const fields = { rules: [{ ...ofConfigMaps, resources: ['configmaps', 'pods'] }] }
  const stored = get(needsPod.has(answer) ? `${pods}/CASE` : `${configMaps}/CASE`)
  const ofAnswer: readonly Case[] = [
    { name: `m-${answer}`, webhooks: [mutating(answer, fields)], requests: [request, stored] },
    { name: `v-${answer}`, webhooks: [validating(answer, fields)], requests: [request] },
    { name: `i-${answer}`, webhooks: [mutating(answer, { ...fields, failurePolicy: 'Ignore' })], requests: [request] },
    { name: `j-${answer}`, webhooks: [validating(answer, { ...fields, failurePolicy: 'Ignore' })], requests: [request] },
    {
      name: `b-${answer}`,
      webhooks: [mutating(answer, { ...fields, admissionReviewVersions: ['v1beta1'] })],
      requests: [request],
    },
  ]
  const wanted = ofAnswer.filter(({ name }) => !/^[ijb]-/.test(name) || more.has(answer))
  return wanted.map((one) => ({ ...one, records: 'paths' }))
})

const url = (text: string) => ({ clientConfig: { url: text } })
const service = (fields: object) => ({ clientConfig: { service: { namespace: 'default', ...fields } } })

const unreachable: readonly Case[] = [
  { name: 'refused', webhooks: [validating(url('https://127.0.0.1:1/x'))], requests: [create] },
  { name: 'refused-ipv6', webhooks: [validating(url('https://[::1]:1/x'))], requests: [create] },
  { name: 'refused-no-path', webhooks: [validating(url('https://127.0.0.1:1'))], requests: [create] },
  { name: 'refused-slash', webhooks: [validating(url('https://127.0.0.1:1/'))], requests: [create] },
  { name: 'refused-path', webhooks: [validating(url('https://127.0.0.1:1/a//b/../c/'))], requests: [create] },
  { name: 'refused-escaped', webhooks: [validating(url('https://127.0.0.1:1/a%20b/%2F/ü'))], requests: [create] },
  { name: 'refused-timeout', webhooks: [validating(url('https://127.0.0.1:1/x'), { timeoutSeconds: 3 })], requests: [create] },
  {
    name: 'refused-ignored',
    webhooks: [validating(url('https://127.0.0.1:1/x'), { failurePolicy: 'Ignore' })],
    requests: [create],
  },
  { name: 'refused-mutating', webhooks: [mutating(url('https://127.0.0.1:1/x'))], requests: [create] },
  {
    name: 'refused-mutating-ignored',
    webhooks: [mutating(url('https://127.0.0.1:1/x'), { failurePolicy: 'Ignore' }), mutating('label-a')],
    requests: [create],
  },
  { name: 'unknown-authority', webhooks: [validating({ clientConfig: { url: 'https://WEBHOOK/allow' } })], requests: [create] },
  { name: 'service-absent', webhooks: [validating(service({ name: 'absent' }))], requests: [create] },
  {
    name: 'service-absent-path',
    webhooks: [validating(service({ name: 'absent', path: '/p/q', port: 8443 }))],
    requests: [create],
  },
  {
    name: 'service-namespace',
    webhooks: [validating({ clientConfig: { service: { namespace: 'nowhere', name: 'x' } } })],
    requests: [create],
  },
  {
    name: 'service-port',
    before: [post('/api/v1/namespaces/default/services', serviceOf('service-port', [{ port: 80 }]))],
    webhooks: [validating(service({ name: 'service-port' }))],
    requests: [create],
  },
  {
    name: 'service-headless',
    before: [
      post('/api/v1/namespaces/default/services', { ...serviceOf('service-headless', [{ port: 443 }], { clusterIP: 'None' }) }),
    ],
    webhooks: [validating(service({ name: 'service-headless' }))],
    requests: [create],
  },
  {
    name: 'service-external',
    before: [
      post(
        '/api/v1/namespaces/default/services',
        serviceOf('service-external', [], { type: 'ExternalName', externalName: 'localhost' }),
      ),
    ],
    webhooks: [validating(service({ name: 'service-external', port: 1 }))],
    requests: [create],
  },
]

function serviceOf(name: string, ports: readonly object[], spec: object = {}): object {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ...(ports.length > 0 && { ports }), ...spec } }
}

const hpas = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`

function hpa(version: string): object {
  return {
    apiVersion: `autoscaling/${version}`,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'CASE', labels },
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  }
}

const autoscaling = (...apiVersions: string[]) => ({
  rules: [{ operations: ['*'], apiGroups: ['autoscaling'], apiVersions, resources: ['horizontalpodautoscalers'] }],
})

const matching: readonly Case[] = [
  {
    name: 'equivalent',
    webhooks: [mutating('patch-max-replicas', autoscaling('v2')), validating('allow', autoscaling('v2'))],
    requests: [post(hpas('v1'), hpa('v1')), remove(`${hpas('v1')}/CASE`)],
  },
  {
    name: 'exact',
    webhooks: [mutating('patch-max-replicas', { ...autoscaling('v2'), matchPolicy: 'Exact' })],
    requests: [post(hpas('v1'), hpa('v1'))],
  },
  {
    name: 'two-versions',
    webhooks: [
      mutating('patch-max-replicas', autoscaling('v1')),
      mutating('label-a', autoscaling('v2')),
      mutating('labels-whole', autoscaling('v1')),
    ],
    requests: [post(hpas('v2'), hpa('v2'))],
  },
  {
    name: 'namespace-selector',
    webhooks: [validating('deny', { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } })],
    requests: [create],
  },
  {
    name: 'namespace-selector-other',
    webhooks: [validating('deny', { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'other' } } })],
    requests: [create],
  },
  {
    name: 'namespace-selector-missing',
    webhooks: [validating('deny', { namespaceSelector: { matchLabels: { a: 'b' } } })],
    requests: [post('/api/v1/namespaces/nowhere/configmaps', configMap())],
  },
  {
    name: 'configurations',
    webhooks: [validating('deny', { rules: [everything] })],
    requests: [
      post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'CASE-other', labels },
      }),
    ],
  },
]

const orders: readonly Case[] = [
  { name: 'two-mutating', webhooks: [mutating('label-a'), mutating('label-a-again')], requests: [create] },
  {
    name: 'mutating-then-deny',
    webhooks: [mutating('label-a'), mutating('deny-message'), mutating('label-a-again')],
    requests: [create],
  },
  {
    name: 'reinvoke',
    webhooks: [
      mutating('label-a', { reinvocationPolicy: 'IfNeeded' }),
      mutating('labels-whole', {
        reinvocationPolicy: 'IfNeeded',
        objectSelector: {},
        namespaceSelector: {},
        rules: [{ ...ofConfigMaps, resources: ['configmaps'] }],
        matchConditions: [{ name: 'own', expression: "object.metadata.name == 'reinvoke'" }],
      }),
    ],
    requests: [create],
  },
  { name: 'not-reinvoked', webhooks: [mutating('label-a'), mutating('annotation-slash')], requests: [create] },
  {
    name: 'reinvoke-annotation',
    webhooks: [mutating('label-a', { reinvocationPolicy: 'IfNeeded' }), mutating('annotation-slash')],
    requests: [create],
  },
  {
    name: 'dry-run-some',
    webhooks: [validating('allow', { sideEffects: 'NoneOnDryRun' })],
    requests: [{ ...create, path: `${configMaps}?dryRun=All` }],
  },
  {
    name: 'warnings-of-all',
    records: 'paths',
    webhooks: [mutating('warn'), validating('warn'), validating('deny-warn')],
    requests: [create],
  },
  {
    name: 'condition-false',
    webhooks: [validating('deny', { matchConditions: [{ name: 'never', expression: 'false' }] })],
    requests: [create],
  },
  {
    name: 'condition-true',
    webhooks: [validating('deny', { matchConditions: [{ name: 'always', expression: "request.operation == 'CREATE'" }] })],
    requests: [create],
  },
  {
    name: 'condition-error',
    webhooks: [validating('deny', { matchConditions: [{ name: 'fails', expression: "object.data.absent == 'x'" }] })],
    requests: [create],
  },
  {
    name: 'condition-error-ignored',
    webhooks: [
      validating('deny', {
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'fails', expression: "object.data.absent == 'x'" }],
      }),
    ],
    requests: [create],
  },
  {
    name: 'condition-mutating-error',
    webhooks: [mutating('label-a', { matchConditions: [{ name: 'fails', expression: "object.data.absent == 'x'" }] })],
    requests: [create],
  },
]

export const cases: readonly Case[] = [...operations, ...matching, ...orders, ...unreachable, ...byAnswer]
