import { expect, test } from 'vitest'
import type { JsonObject } from '../../go/json-value.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { reconcileEndpoints, reconcileService, reconcileSlice } from './reconcile.ts'

const server = { ip: '192.0.2.7', port: 7443 }
const clusterIP = '10.0.0.1'
const there = (object: JsonObject): KubernetesObject => object as unknown as KubernetesObject
const skipMirror = { 'endpointslice.kubernetes.io/skip-mirror': 'true' }
const port = { name: 'https', port: 7443, protocol: 'TCP' }
const subset = { addresses: [{ ip: '192.0.2.7' }], ports: [port] }

test("the Service default/kubernetes is created if missing, with the server's port, and is never changed", () => {
  expect(reconcileService(undefined, server, 'start', clusterIP)).toMatchObject({
    spec: { clusterIP, ports: [{ port: 443, targetPort: 7443 }] },
  })
  const changed = there({ metadata: {}, spec: { ports: [{ port: 1 }] } })
  expect(reconcileService(changed, server, 'start', clusterIP)).toBeUndefined()
})

test('the Endpoints default/kubernetes get back address and label; other labels stay, and ports are restored at the next start', () => {
  const changed = there({
    metadata: { labels: { a: 'b' } },
    subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 1 }] }],
  })
  const labels = { a: 'b', ...skipMirror }
  expect(reconcileEndpoints(changed, server, 'change', clusterIP)).toEqual({
    metadata: { labels },
    subsets: [{ addresses: subset.addresses, ports: [{ port: 1 }] }],
  })
  expect(reconcileEndpoints(changed, server, 'start', clusterIP)).toEqual({ metadata: { labels }, subsets: [subset] })
})

test("the Endpoints default/kubernetes without exactly one subset get the server's subset", () => {
  for (const subsets of [undefined, [subset, subset]]) {
    const changed = there({ metadata: { labels: skipMirror }, ...(subsets !== undefined && { subsets }) })
    expect(reconcileEndpoints(changed, server, 'change', clusterIP)).toMatchObject({ subsets: [subset] })
  }
  expect(
    reconcileEndpoints(there({ metadata: { labels: skipMirror }, subsets: [subset] }), server, 'start', clusterIP),
  ).toBeUndefined()
})

test('the EndpointSlice default/kubernetes is restored as a whole, with the address family of the server', () => {
  const made = reconcileSlice(undefined, server, 'start', clusterIP)
  expect(made).toMatchObject({
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: true } }],
    ports: [port],
  })
  expect(reconcileSlice(there({ ...made }), server, 'change', clusterIP)).toBeUndefined()
  const changed = there({ ...made, metadata: { labels: { a: 'b' } }, ports: [] })
  expect(reconcileSlice(changed, server, 'change', clusterIP)).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    ports: [port],
  })
  expect(reconcileSlice(undefined, { ip: 'fd00::7', port: 7443 }, 'start', clusterIP)).toMatchObject({ addressType: 'IPv6' })
})
