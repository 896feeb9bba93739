import { describe, expect, test } from 'vitest'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { conversions } from './conversions.ts'

function conversionOf(key: string): {
  toStorage(o: KubernetesObject): KubernetesObject
  fromStorage(o: KubernetesObject): KubernetesObject
} {
  const conversion = conversions[key]
  if (conversion === undefined) throw new Error(`no conversion ${key}`)
  return conversion
}

describe('HorizontalPodAutoscaler', () => {
  const conversion = conversionOf('autoscaling/v1/horizontalpodautoscalers')
  const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
  const stored = {
    metadata: { name: 'rt', annotations: { a: 'b' } },
    spec: {
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
        {
          type: 'Pods',
          pods: {
            metric: { name: 'p', selector: { matchLabels: { x: 'y' } } },
            target: { type: 'AverageValue', averageValue: '10' },
          },
        },
        {
          type: 'Object',
          object: {
            describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
            metric: { name: 'o' },
            target: { type: 'Value', value: '7' },
          },
        },
        { type: 'External', external: { metric: { name: 'e' }, target: { type: 'AverageValue', averageValue: '3' } } },
        {
          type: 'ContainerResource',
          containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 33 } },
        },
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 55 } } },
      ],
      behavior: { scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } },
    },
    status: { desiredReplicas: 0, currentMetrics: null },
  }
  /** The response of kube-apiserver 1.36 to a GET in autoscaling/v1. */
  const served = {
    metadata: {
      name: 'rt',
      annotations: {
        a: 'b',
        'autoscaling.alpha.kubernetes.io/behavior':
          '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}],"Tolerance":null}}',
        'autoscaling.alpha.kubernetes.io/metrics':
          '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},{"type":"Pods","pods":{"metricName":"p","targetAverageValue":"10","selector":{"matchLabels":{"x":"y"}}}},{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"o","targetValue":"7"}},{"type":"External","external":{"metricName":"e","targetAverageValue":"3"}},{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":33,"container":"c"}}]',
      },
    },
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 55 },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  }

  test('autoscaling/v1 has the fields of autoscaling/v2 in annotations', () => {
    expect(JSON.stringify(conversion.fromStorage(stored))).toBe(JSON.stringify(served))
  })

  test('autoscaling/v1 annotations are converted back to autoscaling/v2', () => {
    // kube-apiserver sets the defaults of autoscaling/v2 when it reads the stored object.
    const scaleUp = {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    }
    const behavior = { ...stored.spec.behavior, scaleUp }
    expect(conversion.toStorage(served)).toEqual({ ...stored, spec: { ...stored.spec, behavior } })
  })

  /** kube-apiserver 1.36 creates an object with each of these as if it had no annotation. */
  test.each([
    ['metrics', '[1, null, {"type":'],
    ['metrics', '[1, null, "x"]'],
    ['metrics', '{"a": 1}'],
    ['metrics', '[{"type": "Resource", "resource": []}]'],
    ['metrics', '[{"type": "Resource", "resource": {"name": 5, "targetAverageUtilization": "x"}}]'],
    ['metrics', '[{"type": "Pods", "pods": {"metricName": {"a": 1}, "targetAverageValue": "1"}}]'],
    ['metrics', '[{"type": "Object", "object": {"target": "x", "metricName": "m", "targetValue": 5}}]'],
    ['metrics', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['behavior', '7'],
    ['behavior', '[1, 2]'],
    ['behavior', '{"ScaleUp": null}'],
    ['behavior', '{"ScaleUp": {"Policies": "x"}}'],
    ['behavior', '{"ScaleUp": {"Policies": [1]}}'],
    ['behavior', '{"ScaleUp": {"StabilizationWindowSeconds": 99999999999}}'],
    ['behavior', '{"ScaleUp": {"StabilizationWindowSeconds": 1.5}}'],
    ['behavior', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['current-metrics', '[1, {"type": 7}]'],
    ['conditions', '[{"type": "a", "lastTransitionTime": "x"}]'],
  ])('%s of another type are dropped: %.60s', (name, text) => {
    const annotations = { [`autoscaling.alpha.kubernetes.io/${name}`]: text }
    const converted = conversion.toStorage({ ...served, metadata: { annotations } })
    expect(converted).toEqual(conversion.toStorage({ ...served, metadata: {} }))
  })
})

describe('Event', () => {
  const conversion = conversionOf('events.k8s.io/v1/events')
  const core = {
    metadata: { name: 'ev.1', namespace: 'n' },
    involvedObject: { kind: 'Pod', namespace: 'n', name: 'p' },
    reason: 'R',
    message: 'M',
    source: { component: 'c' },
    firstTimestamp: '2024-01-01T00:00:00Z',
    lastTimestamp: null,
    count: 3,
    type: 'Normal',
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  }
  const event = {
    metadata: { name: 'ev.1', namespace: 'n' },
    eventTime: null,
    reason: 'R',
    regarding: { kind: 'Pod', namespace: 'n', name: 'p' },
    note: 'M',
    type: 'Normal',
    deprecatedSource: { component: 'c' },
    deprecatedFirstTimestamp: '2024-01-01T00:00:00Z',
    deprecatedLastTimestamp: null,
    deprecatedCount: 3,
  }

  test("is served as events.k8s.io/v1, in that version's order of fields", () => {
    expect(JSON.stringify(conversion.fromStorage(core))).toBe(JSON.stringify(event))
  })

  test("is stored as core/v1, in that version's order of fields", () => {
    expect(JSON.stringify(conversion.toStorage(event))).toBe(JSON.stringify(core))
  })
})
