import { expect, test } from 'vitest'
import { CollectionClient } from './collection-client.ts'
import type { ObjectBindings } from './object-stubs.ts'

/** Returns bindings that record how their objects are found. */
function recordingBindings(settings: { readonly LOCATION?: string; readonly JURISDICTION?: string }) {
  const found: unknown[] = []
  const namespace = (jurisdiction?: string): DurableObjectNamespace =>
    ({
      jurisdiction: (name: string) => namespace(name),
      idFromName: (name: string) => name,
      get: (name: string, options?: object) => found.push([name, jurisdiction, options]),
    }) as unknown as DurableObjectNamespace
  const bindings: ObjectBindings = { COLLECTION: namespace(), CONTROL: namespace(), ...settings }
  return { found, client: new CollectionClient(bindings, 'c') }
}

test.each([
  [{}, undefined, undefined],
  [{ LOCATION: '', JURISDICTION: '' }, undefined, undefined],
  [{ LOCATION: 'weur' }, undefined, { locationHint: 'weur' }],
  [{ JURISDICTION: 'eu' }, 'eu', undefined],
  [{ LOCATION: 'weur', JURISDICTION: 'eu' }, 'eu', { locationHint: 'weur' }],
])('with %o, every Durable Object is made there', (settings, jurisdiction, options) => {
  const { found, client } = recordingBindings(settings)
  client.control()
  client.collection('apps', 'deployments')
  expect(found).toEqual([
    ['c/control', jurisdiction, options],
    ['c/apps/deployments', jurisdiction, options],
  ])
})
