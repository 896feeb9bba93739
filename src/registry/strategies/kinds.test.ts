import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import { strategyOf } from '../strategy.ts'
import { type Changed, type Created, find, objectOf, toldOfChange, toldOfNew } from './validated.fixture.ts'

/** Rows of [kind, object, errors of kube-apiserver 1.36 on create]. */
const created: readonly Created[] = [
  [
    'v1/nodes',
    { spec: { podCIDR: 'x', taints: [{ key: 'a', effect: 'Never' }] } },
    [
      'metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ],
  [
    'v1/persistentvolumes',
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        local: { path: '/a' },
        nfs: { server: 's', path: '/p' },
      },
    },
    ['spec.local: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'v1/limitranges',
    { spec: { limits: [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }] } },
    [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
      'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
    ],
  ],
  [
    'v1/resourcequotas',
    { spec: { hard: { secrets: '1', pods: '0.5' }, scopes: ['BestEffort'] } },
    [
      'spec.hard[pods]: Invalid value: "500m": must be an integer',
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ],
  ],
  [
    'v1/events',
    { involvedObject: { namespace: 'other' } },
    ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  ],
  [
    'autoscaling/v2/horizontalpodautoscalers',
    hpa({ behavior: { scaleUp: { policies: [] } } }),
    ['spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'],
  ],
  [
    'autoscaling/v2/horizontalpodautoscalers',
    hpa({ metrics: [{ type: 'Pods', resource: { name: 'cpu', target: { type: 'Value', value: '0' } } }] }),
    [
      'spec.metrics[0].resource.target.value: Invalid value: "0": must be positive',
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ],
  ],
  [
    'discovery.k8s.io/v1/endpointslices',
    { addressType: 'IPv6', endpoints: [{ addresses: ['10.1.2.3', 'fd00:0::1'] }], ports: [] },
    [
      'endpoints[0].addresses: Invalid value: "10.1.2.3": must be an IPv6 address',
      'endpoints[0].addresses[1]: Invalid value: "fd00:0::1": must be in canonical form ("fd00::1")',
    ],
  ],
  [
    'networking.k8s.io/v1/ingressclasses',
    { spec: { controller: 'plain' } },
    ['spec.controller: Invalid value: "plain": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    'apps/v1/controllerrevisions',
    { revision: -1 },
    ['revision: Invalid value: -1: must be greater than or equal to 0', 'data: Required value: data is mandatory'],
  ],
]

function hpa(spec: JsonObject): JsonObject {
  return { spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, ...spec } }
}

/** Rows of [kind, old object, new object, errors of kube-apiserver 1.36 on update]. */
const changed: readonly Changed[] = [
  [
    'v1/nodes',
    { spec: { podCIDR: '10.0.0.0/24', providerID: 'a' } },
    { spec: { podCIDR: '10.0.1.0/24', providerID: 'b' } },
    [
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
  ],
  [
    'v1/persistentvolumeclaims',
    claim('1Gi', 'Pending'),
    claim('2Gi', 'Pending'),
    [
      `spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims
@@ -6,7 +6,7 @@
  "Resources": {
   "Limits": null,
   "Requests": {
-   "storage": "1Gi"
+   "storage": "2Gi"
   }
  },
  "VolumeName": "",
`,
    ],
  ],
  ['v1/persistentvolumeclaims', claim('1Gi', 'Bound'), claim('2Gi', 'Bound'), []],
  [
    'networking.k8s.io/v1/servicecidrs',
    { spec: { cidrs: ['10.0.0.0/24'] } },
    { spec: { cidrs: ['10.0.0.0/24', 'fd00::/64'] } },
    [],
  ],
  [
    'networking.k8s.io/v1/servicecidrs',
    { spec: { cidrs: ['10.0.0.0/24'] } },
    { spec: { cidrs: [] } },
    ['spec.cidrs: Invalid value: []: field is immutable'],
  ],
  ['node.k8s.io/v1/runtimeclasses', { handler: 'a' }, { handler: 'b' }, ['handler: Invalid value: "b": field is immutable']],
  [
    'events.k8s.io/v1/events',
    { reason: 'a' },
    { reason: 'b' },
    [
      'involvedObject.namespace: Invalid value: "": does not match event.namespace',
      'reason: Invalid value: "b": field is immutable',
      'reason: Invalid value: "b": field is immutable',
    ],
  ],
]

function claim(storage: string, phase: string): JsonObject {
  return { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } }, status: { phase } }
}

describe('validation of built-in kinds', () => {
  test.each(created)('create %s: %j', (...row) => {
    expect(toldOfNew(row)).toEqual(row[2])
  })

  test.each(changed)('update %s: %j to %j', (...row) => {
    expect(toldOfChange(row)).toEqual(row[3])
  })

  /** A validation that grows with the square of the names would take minutes. */
  test('a LimitRange with 100,000 resources is validated in bounded time', { timeout: 120_000 }, () => {
    const kind = find('v1/limitranges')
    const amounts = Object.fromEntries(Array.from({ length: 100_000 }, (_none, index) => [`example.com/r${index}`, '1']))
    const range = objectOf(kind, { spec: { limits: [{ type: 'Container', min: amounts, max: amounts }] } })
    expect(strategyOf(kind).validate?.(range, kind)).toEqual([])
  })
})
