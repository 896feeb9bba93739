import { beforeEach, describe, expect, test } from 'vitest'
import type { Service, ServiceSpec } from '../../../catalog/generated/types/core.v1.ts'
import { kindOf } from '../../../catalog/scheme.ts'
import { ApiError } from '../../../meta/errors.ts'
import { LookupResults } from '../../../meta/lookups.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { WarningRecorder } from '../../../meta/warnings.ts'
import type { Store, Stored, Transaction } from '../../../storage/store.ts'
import type { CreateContext } from '../../hooks.ts'
import { randomNames } from '../../name-generator.ts'
import { serviceHooks } from './service.ts'

/** The part of a store that the hooks use, in memory. */
class Collection {
  readonly rows = new Map<string, Stored>()
  readonly context: CreateContext

  constructor(serviceCidr: string, dryRun = false) {
    const kind = kindOf('', 'v1', 'services')
    if (kind === undefined) throw new Error('no services')
    const store = { resourceVersion: 1, list: () => ({ items: [...this.rows.values()], more: false }) } as unknown as Store
    const transaction = { get: (key: string) => this.rows.get(key) } as unknown as Transaction
    this.context = {
      kind,
      transaction,
      write: { dryRun },
      isNameGenerated: false,
      warnings: new WarningRecorder(),
      now: 0,
      lookups: new LookupResults(),
      services: { store, serviceCidr, names: randomNames },
    }
  }

  put(object: KubernetesObject): void {
    const key = `services/${object.metadata.namespace}/${object.metadata.name}`
    this.rows.set(key, { key, resourceVersion: 1, value: JSON.stringify(object), labels: '' })
  }

  create(name: string, spec: ServiceSpec = {}, keep = true): Service {
    const object: Service = {
      metadata: { name, namespace: 'n' },
      spec: { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', ...spec },
      status: { loadBalancer: {} },
    }
    serviceHooks.beginCreate?.(object, this.context)
    serviceHooks.prepareForCreate?.(object, this.context)
    if (keep) this.put(object)
    return object
  }

  update(old: Service, spec: ServiceSpec): Service {
    const object: Service = { ...structuredClone(old), spec }
    serviceHooks.prepareForUpdate?.(object, old, this.context)
    this.put(object)
    return object
  }
}

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
  return 'no error'
}

const ports = [{ protocol: 'TCP', port: 80, targetPort: 80 }]
let collection: Collection

beforeEach(() => {
  collection = new Collection('10.0.0.0/24')
})

describe('clusterIP of Services', () => {
  test('every address of the service CIDR is allocated once, then the range is full', () => {
    const given = new Set<string | undefined>()
    for (let i = 0; i < 254; i++) given.add(collection.create(`s${i}`, { ports }).spec.clusterIP)
    expect(given.size).toBe(254)
    expect(messageOf(() => collection.create('more', { ports }))).toContain('range is full')
  })

  test('422 for a requested clusterIP that is already allocated, until it is free', () => {
    expect(collection.create('a', { clusterIP: '10.0.0.5', ports }).spec.clusterIPs).toEqual(['10.0.0.5'])
    const clash = messageOf(() => collection.create('b', { clusterIP: '10.0.0.5', ports }))
    expect(clash).toBe(
      'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.5"]: failed to allocate IP 10.0.0.5: provided IP is already allocated',
    )
    collection.rows.delete('services/n/a')
    expect(collection.create('b', { clusterIP: '10.0.0.5', ports }).spec.clusterIP).toBe('10.0.0.5')
  })

  test('a create of a Service that exists finds its own clusterIP and node ports allocated', () => {
    collection.create('a', { clusterIP: '10.0.0.5', ports })
    expect(messageOf(() => collection.create('a', { clusterIP: '10.0.0.5', ports }))).toContain('IP is already allocated')
    const port = { type: 'NodePort', ports: [{ port: 80, targetPort: 80, nodePort: 30042 }] }
    collection.create('b', port)
    expect(messageOf(() => collection.create('b', structuredClone(port)))).toContain('port is already allocated')
  })

  test('the clusterIP of a rejected Service is free', () => {
    collection.create('refused', { clusterIP: '10.0.0.6', ports }, false)
    expect(collection.create('b', { clusterIP: '10.0.0.6', ports }).spec.clusterIP).toBe('10.0.0.6')
  })

  test('clusterIPs of stored Services are allocated', () => {
    const { spec } = collection.create('a', { clusterIP: '10.0.0.7', ports })
    const later = new Collection('10.0.0.0/24')
    for (const row of collection.rows.values()) later.rows.set(row.key, row)
    expect(messageOf(() => later.create('b', { clusterIP: spec.clusterIP ?? '', ports }))).toContain('already allocated')
  })

  test('422 for a clusterIP outside of the service CIDR', () => {
    expect(messageOf(() => collection.create('a', { clusterIP: '10.1.0.5', ports }))).toContain(
      'failed to allocate IP 10.1.0.5: the provided network does not match the current range',
    )
  })

  test.each<[string, ServiceSpec, Partial<ServiceSpec>]>([
    [
      'headless',
      { clusterIP: 'None', selector: { a: 'b' } },
      { clusterIPs: ['None'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
    ],
    ['headless without selector', { clusterIP: 'None' }, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }],
  ])('%s', (_name, spec, expected) => {
    expect(collection.create('h', spec).spec).toMatchObject(expected)
  })

  test('an ExternalName Service has no clusterIP', () => {
    const { spec } = collection.create('e', { type: 'ExternalName', externalName: 'a.b' })
    expect([spec.clusterIP, spec.clusterIPs, spec.ipFamilies]).toEqual([undefined, undefined, undefined])
  })
})

describe('nodePort of Services', () => {
  test('TCP and UDP of one port share their nodePort', () => {
    const { spec } = collection.create('a', {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 53, protocol: 'TCP', targetPort: 53 },
        { name: 'b', port: 53, protocol: 'UDP', targetPort: 53 },
      ],
    })
    const [first, second] = spec.ports ?? []
    expect(first?.nodePort).toBe(second?.nodePort)
    expect(first?.nodePort).toBeGreaterThanOrEqual(30000)
  })

  test.each([
    [30042, 'spec.ports[0].nodePort: Invalid value: 30042: provided port is already allocated'],
    [
      80,
      'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
  ])('422 for nodePort %d', (nodePort, text) => {
    collection.create('a', { type: 'NodePort', ports: [{ port: 80, targetPort: 80, nodePort: 30042 }] })
    const create = (): unknown => collection.create('b', { type: 'NodePort', ports: [{ port: 80, targetPort: 80, nodePort }] })
    expect(messageOf(create)).toBe(`Service "b" is invalid: ${text}`)
  })
})

test('a dry run shows the numbers after the largest node port of the Service, or numbers outside of the range', () => {
  const dry = new Collection('10.0.0.0/24', true)
  const numbers = (given: readonly (number | undefined)[]): unknown =>
    dry
      .create('b', {
        type: 'NodePort',
        ports: given.map((nodePort, index) => ({ port: index, targetPort: 80, protocol: 'TCP', ...(nodePort && { nodePort }) })),
      })
      .spec.ports?.map(({ nodePort }) => nodePort)
  expect(numbers([undefined, undefined])).toEqual([32769, 32770])
  expect(numbers([31000, undefined, undefined])).toEqual([31000, 31001, 31002])
})

test('a dry run is refused for a node port that is allocated', () => {
  collection.create('a', { type: 'NodePort', ports: [{ port: 80, targetPort: 80, nodePort: 30042 }] })
  const dry = new Collection('10.0.0.0/24', true)
  for (const row of collection.rows.values()) dry.rows.set(row.key, row)
  const create = (): unknown => dry.create('b', { type: 'NodePort', ports: [{ port: 80, targetPort: 80, nodePort: 30042 }] })
  expect(messageOf(create)).toContain('provided port is already allocated')
})

describe('update of Services', () => {
  test('keeps an omitted clusterIP and nodePort, and drops nodePort when the type changes', () => {
    const created = collection.create('a', { type: 'NodePort', externalTrafficPolicy: 'Cluster', ports: structuredClone(ports) })
    const { clusterIP: _dropped, ...rest } = created.spec
    const same = collection.update(created, { ...rest, ports: structuredClone(ports) })
    expect([same.spec.clusterIP, same.spec.ports]).toEqual([created.spec.clusterIP, created.spec.ports])
    const plain = collection.update(created, { ...structuredClone(created.spec), type: 'ClusterIP' })
    expect([plain.spec.ports, plain.spec.externalTrafficPolicy]).toEqual([ports, undefined])
  })

  test('422 for a changed clusterIP', () => {
    const created = collection.create('a', { ports })
    const changed: Service = { ...created, spec: { ...created.spec, clusterIP: 'None', clusterIPs: ['None'] } }
    const [error] = serviceHooks.validateUpdate?.(changed, created, collection.context.kind, () => {}) ?? []
    expect(error).toEqual({
      reason: 'FieldValueInvalid',
      field: 'spec.clusterIPs[0]',
      text: 'Invalid value: ["None"]: may not change once set',
    })
  })
})
