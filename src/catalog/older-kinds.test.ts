import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../go/json-value.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { Type } from '../schema/type.ts'
import { withUnknownFields } from '../schema/unknown-fields.ts'
import type { Kind } from './kind.ts'
import { newestRelease } from './lifecycle.ts'
import { kindIn } from './older-kinds.ts'
import { tablesIn } from './older-types.ts'
import recorded from './release-fields.json' with { type: 'json' }
import { allKinds, allTables, kindOf } from './scheme.ts'
import { storedObjects } from './stored-objects.fixture.ts'

function find(path: string): Kind {
  const [resource = '', version = '', group = ''] = path.split('/').reverse()
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no kind ${path}`)
  return kind
}

/** Returns the type at a path of fields; lists and maps are passed through. */
function typeAt(type: Type, path: string): Type | undefined {
  let found: Type | undefined = type
  for (const name of path.split('.')) {
    while (found?.kind === 'list' || found?.kind === 'map') found = found.kind === 'list' ? found.element : found.value
    found = found?.kind === 'struct' ? found.fields.get(name)?.type : undefined
  }
  return found
}

test.each([
  ['v1/pods', 'spec.overhead', 16],
  ['v1/pods', 'spec.containers.startupProbe', 16],
  ['v1/configmaps', 'immutable', 18],
  ['v1/services', 'spec.clusterIPs', 20],
  ['v1/services', 'spec.internalTrafficPolicy', 21],
  ['batch/v1/jobs', 'spec.suspend', 21],
  ['apps/v1/statefulsets', 'spec.persistentVolumeClaimRetentionPolicy', 23],
  ['apps/v1/deployments', 'spec.template.spec.hostUsers', 25],
  ['apps/v1/deployments', 'spec.template.spec.containers.resizePolicy', 27],
  ['apiextensions.k8s.io/v1/customresourcedefinitions', 'spec.versions.schema.openAPIV3Schema.x-kubernetes-validations', 23],
  ['networking.k8s.io/v1beta1/ingresses', 'spec.rules.http.paths.pathType', 18],
])('%s has %s since 1.%d', (path, field, since) => {
  const kind = find(path)
  expect(typeAt(kindIn(kind, [1, since]).type, field)).toBeDefined()
  expect(typeAt(kindIn(kind, [1, since - 1]).type, field)).toBeUndefined()
})

test('a subresource is there since the release that introduced it', () => {
  const pods = find('v1/pods')
  expect([31, 32].map((minor) => kindIn(pods, [1, minor]).subresources.has('resize'))).toEqual([false, true])
  expect([20, 21].map((minor) => kindIn(pods, [1, minor]).subresources.has('ephemeralcontainers'))).toEqual([false, true])
})

test('the newest release has every kind unchanged', () => {
  expect(tablesIn(newestRelease)).toBe(allTables)
  for (const kind of allKinds()) expect(kindIn(kind, newestRelease)).toBe(kind)
})

test('every recorded field that the newest release has is a field of a table', () => {
  const missing = Object.keys(recorded.fields).filter((reference) => {
    const [table = '', name = ''] = reference.split('.')
    return allTables.has(table) && allTables.get(table)?.types[name] === undefined
  })
  expect(missing).toEqual([])
})

const stored = [...allKinds()].filter(({ conversion }) => conversion === undefined)

describe.each([15, 21, 30])('an update through 1.%d that changes nothing', (minor) => {
  const older = stored.map((kind) => kindIn(kind, [1, minor])).filter((kind) => kind.older !== undefined)

  test.each(older.map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind] as const))('loses nothing of a %s', (_name, kind) => {
    const { conversion, older: { whole } = { whole: kind }, type } = kind
    const property = fc.property(storedObjects(whole), (object) => {
      const shown = conversion?.fromStorage(object) ?? object
      const sent = withUnknownFields(type, shown as unknown as JsonObject, object as unknown as JsonObject)
      expect(conversion?.toStorage(sent as unknown as KubernetesObject)).toEqual(object)
    })
    fc.assert(property, { numRuns: 10, seed: 7 })
  })
})
