import { describe, expect, test } from 'vitest'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { messageOfKind } from './protobuf-messages.ts'
import { allKinds, kindOf, unservedKinds } from './scheme.ts'

describe('versions that are not served by default', () => {
  const unserved = [...unservedKinds()]
  const nameOf = ({ group, version, resource }: (typeof unserved)[number]): string => `${group}/${version}/${resource}`

  test('are known, but not among those that are served', () => {
    expect(kindOf('apps', 'v1beta1', 'deployments')?.kind).toBe('Deployment')
    expect(kindOf('autoscaling', 'v2beta1', 'horizontalpodautoscalers')?.kind).toBe('HorizontalPodAutoscaler')
    expect(kindOf('apps', 'v1beta1', 'pods')).toBeUndefined()
    expect([...allKinds()].filter((kind) => unserved.includes(kind))).toEqual([])
  })

  test.each([
    ['extensions/v1beta1/deployments', 'deployments.apps', 'v1'],
    ['extensions/v1beta1/ingresses', 'ingresses.networking.k8s.io', 'v1'],
    ['extensions/v1beta1/podsecuritypolicies', 'podsecuritypolicies.policy', 'v1beta1'],
    ['autoscaling/v2beta2/horizontalpodautoscalers', 'horizontalpodautoscalers.autoscaling', 'v2'],
    ['events.k8s.io/v1beta1/events', 'events', 'v1'],
    ['resource.k8s.io/v1alpha3/devicetaintrules', 'devicetaintrules.resource.k8s.io', 'v1beta2'],
    ['settings.k8s.io/v1alpha1/podpresets', 'podpresets.settings.k8s.io', 'v1alpha1'],
  ])('%s are stored in %s as %s', (name, prefix, version) => {
    expect(unserved.find((kind) => nameOf(kind) === name)?.storage).toMatchObject({ prefix, version })
  })

  test('of equal versions the stored text is sent as it is', () => {
    const isKept = (group: string, version: string): boolean =>
      kindOf(group, version, 'deployments')?.conversion?.keepsJson?.() ?? false
    expect(isKept('apps', 'v1beta2')).toBe(true)
    expect(isKept('apps', 'v1beta1')).toBe(false)
    expect(isKept('extensions', 'v1beta1')).toBe(false)
    const value = '{"metadata":{"name":"a"},"spec":{}}'
    const text = kindOf('apps', 'v1beta2', 'deployments')?.codec.withTypeMeta(value)
    expect(text).toBe(`{"kind":"Deployment","apiVersion":"apps/v1beta2",${value.slice(1)}`)
  })

  test.each(unserved.map((kind) => [nameOf(kind), kind] as const))('%s are converted and have a message', (_name, kind) => {
    const { group, version, resource } = kind.storage
    const stored = kindOf(group, version, resource)
    expect(stored?.conversion).toBeUndefined()
    expect(stored?.kind).toBe(kind.kind)
    const empty = { ...kind.codec.zero(), metadata: { name: 'a' } } as unknown as KubernetesObject
    const there = kind.conversion?.toStorage(empty) ?? empty
    const back = kind.conversion?.fromStorage(there) ?? there
    expect(back.metadata.name).toBe('a')
    expect(messageOfKind(kind)).toBeDefined()
  })
})
