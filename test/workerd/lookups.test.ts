/** Lookups of writes, from the Worker's client through the registry to a store of a Durable Object. */

import { expect, test } from 'vitest'
import type { Kind } from '../../src/catalog/kind.ts'
import { kindOf } from '../../src/catalog/scheme.ts'
import { noAdmissionObjects } from '../../src/clusters/admission-configuration.ts'
import { CollectionClient } from '../../src/clusters/collection-client.ts'
import { type AttemptState, namespaceLookup } from '../../src/clusters/lookups.ts'
import type { ObjectBindings } from '../../src/clusters/object-stubs.ts'
import type { Operation } from '../../src/clusters/operation.ts'
import { readAdmissionSettings } from '../../src/config/admission/settings.ts'
import type { KubernetesObject } from '../../src/meta/object-meta.ts'
import { performOperation } from '../../src/registry/collection.ts'
import { randomNames } from '../../src/registry/name-generator.ts'
import type { OwnerSubscriptions } from '../../src/registry/owners.ts'
import type { Registry } from '../../src/registry/registry.ts'
import type { Store } from '../../src/storage/store.ts'
import { newStore } from './stores.ts'

const jane = { name: 'jane', uid: '', groups: [], extra: {} }

function leases(): Kind {
  const kind = kindOf('coordination.k8s.io', 'v1', 'leases')
  if (kind === undefined) throw new Error('no leases')
  return kind
}

const write = { manager: 'm', dryRun: false, user: jane }
const target = (name: string) => ({
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  subresource: '',
  namespace: 'n',
  name,
})
const body = (metadata: object) => JSON.stringify({ metadata: { namespace: 'n', ...metadata }, spec: {} })

/** A client whose collection is a registry on this store, and a record of its hops and lookups. */
class Collection {
  readonly lookups: string[] = []
  readonly states: (AttemptState | undefined)[] = []
  readonly #client: CollectionClient
  #now = 0

  constructor(store: Store, results: Readonly<Record<string, unknown>>, owners?: OwnerSubscriptions) {
    const registry: Registry = {
      store,
      kindOf,
      // Each attempt would see another time.
      now: () => (this.#now += 60_000),
      names: randomNames,
      owners: owners ?? { isSubscribed: () => true, subscribe: async () => undefined },
      admissionConfiguration: () => noAdmissionObjects,
      currentAdmission: () => noAdmissionObjects,
      serviceCidr: '10.0.0.0/16',
      admissionSettings: readAdmissionSettings({}),
    }
    const fetch = async (url: string, init?: RequestInit): Promise<Response> => {
      const response = await performOperation(registry, new Request(url, init))
      const isMissing = response.headers.has('edgeplane-missing-lookups')
      this.states.push(isMissing ? (await response.clone().json<{ state: AttemptState }>()).state : undefined)
      return response
    }
    const namespace = { idFromName: (name: string) => name, get: () => ({ fetch }) }
    const bindings = { COLLECTION: namespace, CONTROL: namespace } as unknown as ObjectBindings
    this.#client = new CollectionClient(bindings, { name: 'one', placement: 'collections', ids: new Map() }).forRequest({
      headers: {},
      observer: undefined,
      found: () => undefined,
      deadline: undefined,
      resolve: async ({ name }) => {
        this.lookups.push(name)
        return results[name]
      },
    })
  }

  async perform(operation: Operation, text: string): Promise<KubernetesObject> {
    const response = await this.#client.perform(leases(), operation, text)
    return response.json<KubernetesObject>()
  }
}

const allowed = { namespace: { phase: 'Active' }, access: { allowed: true } }

test('a PUT that creates looks up the namespace and the permission, and its attempts have one uid and one time', () =>
  newStore().run(async (store) => {
    const collection = new Collection(store, allowed)
    const { metadata } = await collection.perform({ verb: 'update', target: target('a'), write }, body({ name: 'a' }))
    expect(collection.lookups).toEqual(['namespace', 'access'])
    const [, second] = collection.states
    expect(second?.names.uid).toEqual([metadata.uid])
    expect(collection.states.map((state) => state?.now)).toEqual([60_000, 60_000, undefined])
    expect(metadata.creationTimestamp).toBe('1970-01-01T00:01:00Z')
    expect(store.resourceVersion).toBe(Number(metadata.resourceVersion))
  }))

test('a create whose lookups come with it takes one hop', () =>
  newStore().run(async (store) => {
    const collection = new Collection(store, allowed)
    const { key } = namespaceLookup('n')
    const lookups = { [key]: { phase: 'Active' } }
    await collection.perform({ verb: 'create', target: target(''), write, lookups }, body({ generateName: 'a-' }))
    expect(collection.states).toEqual([undefined])
    expect(collection.lookups).toEqual([])
  }))

test('a write that is refused by a lookup changes nothing', () =>
  newStore().run(async (store) => {
    const before = store.resourceVersion
    const refused = new Collection(store, { ...allowed, access: { allowed: false, refusal: 'jane may not' } })
    const put = refused.perform({ verb: 'update', target: target('a'), write }, body({ name: 'a' }))
    await expect(put).rejects.toMatchObject({ code: 403, message: 'jane may not' })
    const missing = new Collection(store, { namespace: null })
    const post = missing.perform({ verb: 'create', target: target(''), write }, body({ name: 'a' }))
    await expect(post).rejects.toMatchObject({ code: 404, message: 'namespaces "n" not found' })
    expect(store.resourceVersion).toBe(before)
  }))

test('writes of the server itself look up nothing', () =>
  newStore().run(async (store) => {
    const collection = new Collection(store, {})
    const own = { manager: 'm', dryRun: false }
    await collection.perform({ verb: 'create', target: target(''), write: own }, body({ name: 'a' }))
    expect(collection.states).toEqual([undefined])
  }))

test('before an object with owners is stored, their collections are subscribed to, all at once and within one hop', () =>
  newStore().run(async (store) => {
    const subscribed = new Set<string>()
    const owners: OwnerSubscriptions = {
      isSubscribed: (_apiVersion, kind) => subscribed.has(kind),
      subscribe: async (_apiVersion, kind) => {
        expect(store.countAfter('leases.coordination.k8s.io/', '', store.resourceVersion)).toBe(0)
        subscribed.add(kind)
      },
    }
    const collection = new Collection(store, allowed, owners)
    const owner = (kind: string) => ({ apiVersion: 'v1', kind, name: kind, uid: kind })
    const metadata = { name: 'a', ownerReferences: [owner('Pod'), owner('Node')] }
    const lookups = { 'namespace n': { phase: 'Active' } }
    await collection.perform({ verb: 'create', target: target(''), write, lookups }, body(metadata))
    expect([...subscribed]).toEqual(['Pod', 'Node'])
    expect(collection.states).toEqual([undefined])
    expect(store.countAfter('leases.coordination.k8s.io/', '', store.resourceVersion)).toBe(1)
  }))
