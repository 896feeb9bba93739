/** The cases about what each verb sends to webhooks, and what their patches may change. */

import { configMaps } from '../../paths.ts'
import {
  apply,
  type Case,
  configMap,
  create,
  createPod,
  everything,
  get,
  labels,
  merge,
  mutating,
  ofConfigMaps,
  pods,
  post,
  remove,
  validating,
} from './case-parts.ts'

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

const scope = { rules: [everything] }

export const operations: readonly Case[] = [
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
