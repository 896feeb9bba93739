/** The cases of the recorded matrix: webhooks, and requests that they are about. */
import { answers } from './answers.ts'

/** A webhook of a case. */
export interface CaseWebhook {
  readonly phase: 'mutating' | 'validating'
  /** The path at which it is called, which names its answer; or a whole clientConfig. */
  readonly answer: string | { readonly clientConfig: object }
  /** Fields that differ from the usual ones. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** A request of a case. `CASE` in paths and bodies stands for the case's name. */
export interface CaseRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
}

/** Webhooks and the requests that are sent one after the other. Only objects with the label `case: NAME` are matched. */
export interface Case {
  readonly name: string
  readonly webhooks: readonly CaseWebhook[]
  /** Sent before the webhooks exist. */
  readonly before?: readonly CaseRequest[]
  readonly requests: readonly CaseRequest[]
  /** Only the paths of the reviews are recorded: others show the same reviews. */
  readonly records?: 'paths'
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const labels = { case: 'CASE' }

const configMap = (others: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'CASE', labels },
  data: { a: '1' },
  ...others,
})

const pod = (metadata: object = { name: 'CASE' }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, labels },
  spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false },
})

const post = (path: string, body: unknown): CaseRequest => ({ method: 'POST', path, body })
const create = post(configMaps, configMap())
const createPod = post(pods, pod())
const merge = (path: string, body: unknown): CaseRequest => ({
  method: 'PATCH',
  path,
  body,
  type: 'application/merge-patch+json',
})
const apply = (path: string, body: unknown): CaseRequest => ({
  method: 'PATCH',
  path,
  body,
  type: 'application/apply-patch+yaml',
})
const remove = (path: string, body?: unknown): CaseRequest => ({ method: 'DELETE', path, ...(body !== undefined && { body }) })
const get = (path: string): CaseRequest => ({ method: 'GET', path })

const ofConfigMaps = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }
const everything = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }

const mutating = (answer: CaseWebhook['answer'], fields: Record<string, unknown> = {}): CaseWebhook => ({
  phase: 'mutating',
  answer,
  fields,
})
const validating = (answer: CaseWebhook['answer'], fields: Record<string, unknown> = {}): CaseWebhook => ({
  phase: 'validating',
  answer,
  fields,
})

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

const scope = { rules: [everything] }

const operations: readonly Case[] = [
  {
    name: 'reviews',
    webhooks: [mutating('allow', scope), validating('allow', scope)],
    requests: [
      { ...create, path: `${configMaps}?fieldManager=me&fieldValidation=Strict` },
      merge(`${configMaps}/CASE`, { data: { b: '3' } }),
      apply(`${configMaps}/CASE?fieldManager=applier&force=true`, configMap({ data: { c: '4' } })),
      remove(`${configMaps}/CASE?propagationPolicy=Foreground&dryRun=All`),
      remove(`${configMaps}/CASE`, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' }),
    ],
  },
  {
    name: 'reviews-put',
    before: [create],
    webhooks: [mutating('allow', scope), validating('allow', scope)],
    requests: [{ method: 'PUT', path: `${configMaps}/CASE?fieldManager=you`, body: configMap({ data: { a: '2' } }) }],
  },
  {
    name: 'reviews-grace',
    before: [create],
    webhooks: [validating('allow', scope)],
    requests: [remove(`${configMaps}/CASE`, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 })],
  },
  {
    name: 'reviews-pod',
    webhooks: [mutating('allow', scope), validating('allow', scope)],
    requests: [
      createPod,
      merge(`${pods}/CASE/status`, { status: { phase: 'Running' } }),
      merge(`${pods}/CASE/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } }),
    ],
  },
  {
    name: 'reviews-pod-deletion',
    before: [createPod],
    webhooks: [mutating('allow', scope), validating('allow', scope)],
    requests: [remove(`${pods}/CASE`, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 })],
  },
  {
    name: 'reviews-generated',
    webhooks: [mutating('allow', scope), validating('allow', scope)],
    requests: [post(configMaps, configMap({ metadata: { generateName: 'gen-', labels } }))],
  },
  {
    name: 'reviews-dry-run',
    webhooks: [mutating('allow', scope), validating('allow', scope)],
    requests: [{ ...create, path: `${configMaps}?dryRun=All` }],
  },
  {
    name: 'reviews-create-by-apply',
    webhooks: [mutating('allow', scope), validating('allow', scope)],
    requests: [apply(`${configMaps}/CASE?fieldManager=applier`, configMap())],
  },
  {
    name: 'reviews-v1beta1',
    webhooks: [validating('allow', { ...scope, admissionReviewVersions: ['v7', 'v1beta1', 'v1'] })],
    requests: [create],
  },
  {
    name: 'reviews-namespace',
    webhooks: [mutating('allow', scope), validating('allow', scope)],
    requests: [
      post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'CASE', labels } }),
      merge('/api/v1/namespaces/CASE', { metadata: { annotations: { a: 'b' } } }),
      remove('/api/v1/namespaces/CASE'),
    ],
  },
  {
    name: 'reviews-scale',
    webhooks: [
      mutating('allow', { rules: [{ ...everything, resources: ['deployments', 'deployments/scale'] }], objectSelector: {} }),
      validating('allow', { rules: [{ ...everything, resources: ['deployments/scale'] }], objectSelector: {} }),
    ],
    requests: [
      post('/apis/apps/v1/namespaces/default/deployments', deployment()),
      merge('/apis/apps/v1/namespaces/default/deployments/CASE/scale', { spec: { replicas: 3 } }),
      {
        method: 'PUT',
        path: '/apis/apps/v1/namespaces/default/deployments/CASE/scale',
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'CASE', namespace: 'default' },
          spec: { replicas: 2 },
        },
      },
    ],
  },
  {
    name: 'patch-scale',
    before: [post('/apis/apps/v1/namespaces/default/deployments', deployment())],
    webhooks: [mutating('patch-replicas', { rules: [{ ...everything, resources: ['deployments/scale'] }], objectSelector: {} })],
    requests: [merge('/apis/apps/v1/namespaces/default/deployments/CASE/scale', { spec: { replicas: 3 } })],
  },
  {
    name: 'reviews-eviction',
    before: [createPod],
    webhooks: [
      mutating('allow', {
        rules: [{ ...everything, resources: ['pods/eviction', 'pods/binding', 'serviceaccounts/token'] }],
        objectSelector: {},
      }),
      validating('allow', {
        rules: [{ ...everything, resources: ['pods/eviction', 'pods/binding', 'serviceaccounts/token'] }],
        objectSelector: {},
      }),
    ],
    requests: [
      post(`${pods}/CASE/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'CASE' },
        target: { kind: 'Node', name: 'n' },
      }),
      post(`${pods}/CASE/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'CASE', namespace: 'default' },
        deleteOptions: { dryRun: ['All'] },
      }),
      post('/api/v1/namespaces/default/serviceaccounts/default/token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600 },
      }),
    ],
  },
  {
    name: 'reviews-connect',
    before: [createPod],
    webhooks: [
      mutating('allow', { rules: [{ ...everything, operations: ['CONNECT'] }], objectSelector: {} }),
      validating('deny-message', { rules: [{ ...everything, operations: ['CONNECT'] }], objectSelector: {} }),
    ],
    requests: [
      post(`${pods}/CASE/exec?command=ls&command=-l&stdout=true&container=c`, undefined),
      get(`${pods}/CASE/proxy/a/b`),
      post(`${pods}/CASE/attach?stdin=true`, undefined),
      post(`${pods}/CASE/portforward?ports=80`, undefined),
      get('/api/v1/namespaces/default/services/x/proxy/'),
      get('/api/v1/nodes/n/proxy/metrics'),
    ],
  },
  {
    name: 'reviews-review',
    webhooks: [
      validating('allow', {
        rules: [{ ...everything, apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'] }],
        objectSelector: {},
      }),
    ],
    requests: [
      post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      }),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'SelfSubjectReview',
      }),
    ],
  },
  {
    name: 'delete-collection',
    before: [
      post(configMaps, configMap({ metadata: { name: 'CASE-1', labels } })),
      post(configMaps, configMap({ metadata: { name: 'CASE-2', labels } })),
    ],
    webhooks: [validating('allow', { rules: [ofConfigMaps] })],
    requests: [remove(`${configMaps}?labelSelector=case%3DCASE`)],
  },
  {
    name: 'delete-collection-all',
    before: [
      post(configMaps, configMap({ metadata: { name: 'CASE-1', labels } })),
      post(configMaps, configMap({ metadata: { name: 'CASE-2', labels } })),
    ],
    webhooks: [validating('allow', { rules: [{ ...ofConfigMaps, operations: ['DELETE'] }], objectSelector: {} })],
    requests: [remove(`${configMaps}?labelSelector=case%3DCASE`)],
  },
  {
    name: 'delete-denied',
    before: [create],
    webhooks: [validating('deny-code', { rules: [ofConfigMaps] })],
    requests: [remove(`${configMaps}/CASE`), get(`${configMaps}/CASE`)],
  },
  {
    name: 'delete-patched',
    before: [create],
    webhooks: [mutating('label-a', { rules: [ofConfigMaps] })],
    requests: [remove(`${configMaps}/CASE`)],
  },
  {
    name: 'delete-patched-empty',
    before: [create],
    webhooks: [mutating('empty-patch', { rules: [ofConfigMaps] })],
    requests: [remove(`${configMaps}/CASE`)],
  },
  {
    name: 'update-name',
    before: [create],
    webhooks: [mutating('patch-name', { rules: [ofConfigMaps] })],
    requests: [merge(`${configMaps}/CASE`, { data: { b: '2' } })],
  },
  {
    name: 'update-uid',
    before: [create],
    webhooks: [mutating('patch-uid', { rules: [ofConfigMaps] })],
    requests: [merge(`${configMaps}/CASE`, { data: { b: '2' } })],
  },
]

function deployment(): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'CASE', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }
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
