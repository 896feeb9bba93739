import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { decode } from '../../schema/decode.ts'
import { kindOf } from '../scheme.ts'
import { applyKindDefaults } from './defaults.ts'

function defaulted(group: string, resource: string, body: JsonValue, version = 'v1'): JsonObject {
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no ${resource}`)
  const { object } = decode(kind.type, body)
  applyKindDefaults(kind, object as unknown as KubernetesObject)
  return object
}

const containers = [{ name: 'c', image: 'img' }]
const container = {
  name: 'c',
  image: 'img',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
}
const podSpec = {
  containers: [container],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
}

/** [group, resource, spec of the request, spec in the response of kube-apiserver 1.36]. */
const specs: readonly (readonly [
  group: string,
  resource: string,
  requested: JsonObject,
  expected: JsonObject,
  version?: string,
])[] = [
  ['', 'pods', { containers }, { ...podSpec, enableServiceLinks: true }],
  [
    'apps',
    'deployments',
    { selector: { matchLabels: { a: 'b' } }, template: { spec: { containers } } },
    {
      replicas: 1,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: {}, spec: podSpec },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
  ],
  [
    'apps',
    'statefulsets',
    { updateStrategy: { type: 'RollingUpdate' }, template: { spec: { containers } } },
    {
      replicas: 1,
      selector: null,
      template: { metadata: {}, spec: podSpec },
      serviceName: '',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate' },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    },
  ],
  [
    'batch',
    'jobs',
    { parallelism: 2, template: { spec: { restartPolicy: 'Never', containers } } },
    {
      parallelism: 2,
      backoffLimit: 6,
      manualSelector: false,
      template: { metadata: {}, spec: { ...podSpec, restartPolicy: 'Never' } },
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
    },
  ],
  [
    '',
    'services',
    { type: 'LoadBalancer', ports: [{ port: 80 }] },
    {
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      type: 'LoadBalancer',
      sessionAffinity: 'None',
      externalTrafficPolicy: 'Cluster',
      allocateLoadBalancerNodePorts: true,
      internalTrafficPolicy: 'Cluster',
    },
  ],
  [
    'networking.k8s.io',
    'networkpolicies',
    { podSelector: {}, egress: [{}] },
    { podSelector: {}, egress: [{}], policyTypes: ['Ingress', 'Egress'] },
  ],
  [
    'autoscaling',
    'horizontalpodautoscalers',
    { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
    {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
    },
    'v2',
  ],
]

describe('applyKindDefaults', () => {
  test.each(
    specs.map(([group, resource, requested, expected, version]) => ({ group, resource, given: requested, expected, version })),
  )('defaults of $group $resource', ({ group, resource, given: requested, expected, version }) => {
    // Compared as text, because the order of fields decides whether a write changes anything.
    expect(JSON.stringify(defaulted(group, resource, { spec: requested }, version).spec)).toBe(JSON.stringify(expected))
  })

  test('requests default to limits, rounded up to milli units', () => {
    const limits = { cpu: '0.0001', memory: '1Gi' }
    const object = defaulted('', 'pods', {
      spec: { containers: [{ name: 'c', image: 'a:1', resources: { limits, requests: { memory: '1Mi' } } }] },
    })
    expect(object).toMatchObject({
      spec: {
        containers: [
          { imagePullPolicy: 'IfNotPresent', resources: { limits: { cpu: '1m' }, requests: { cpu: '1m', memory: '1Mi' } } },
        ],
      },
    })
  })

  test('a Namespace gets the label kubernetes.io/metadata.name', () => {
    expect(defaulted('', 'namespaces', { metadata: { name: 'n', labels: { z: '1' } } })).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'n', z: '1' } },
    })
  })

  test('stringData of a Secret is converted to data', () => {
    const secret = defaulted('', 'secrets', { metadata: {}, data: { a: 'YQ==' }, stringData: { a: 'ü', b: 'c' } })
    expect(secret).toEqual({ metadata: {}, data: { a: 'w7w=', b: 'Yw==' }, type: 'Opaque' })
  })

  test('defaulting is idempotent', () => {
    for (const [group, resource, requested, , version] of specs) {
      const once = defaulted(group, resource, { spec: requested }, version)
      expect(defaulted(group, resource, structuredClone(once), version)).toEqual(once)
    }
  })
})

test('the ipMode of a load balancer is between its address and its ports, as Go encodes it', () => {
  const ingress = [{ ip: '203.0.113.5', ports: [{ port: 80, protocol: 'TCP' }] }]
  const service = defaulted('', 'services', { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress } } })
  expect(JSON.stringify(service.status)).toBe(
    '{"loadBalancer":{"ingress":[{"ip":"203.0.113.5","ipMode":"VIP","ports":[{"port":80,"protocol":"TCP"}]}]}}',
  )
})
