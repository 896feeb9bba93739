import { describe, expect, test } from 'vitest'
import { descriptionOf } from '../../catalog/descriptions/describe.ts'
import { served, typeTables } from '../../catalog/generated/served.ts'
import { isObject } from '../../go/json-object.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { Reader } from '../../protobuf/wire.ts'
import type { CustomVersion } from './custom-resources.ts'
import { sha512 } from './document-hash.ts'
import { OpenApiDocuments } from './documents.ts'
import { hashes } from './hashes.ts'

const text = { type: 'string' }
const integer = { type: 'integer' }
const list = {
  type: 'array',
  items: { type: 'object', properties: { k: text }, required: ['k'] },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
}
const any = { 'x-kubernetes-preserve-unknown-fields': true }

const boltSpec = (rule: JsonObject, properties: JsonObject): JsonObject => ({
  description: 'a bolt',
  required: ['spec'],
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { ...properties, any, l: list }, 'x-kubernetes-validations': [rule] },
    status: { type: 'object', properties: { replicas: integer } },
  },
})

/** As kube-apiserver received them. The enumeration of `e` has a boolean because the YAML parser read `y` as true. */
const bolts: CustomVersion = {
  group: 'oa.example.com',
  version: 'v1',
  tag: 'a',
  kinds: [
    {
      resource: 'bolts',
      kind: 'Bolt',
      listKind: 'BoltList',
      namespaced: true,
      subresources: ['status', 'scale'],
      read: async () => ({
        v2: boltSpec(
          { message: 'no', rule: 'self.replicas > 0' },
          { replicas: integer, a: {}, ios: { 'x-kubernetes-int-or-string': true }, e: { enum: ['x', true], type: 'string' } },
        ),
        v3: boltSpec(
          { rule: 'self.replicas > 0', message: 'no' },
          {
            replicas: { default: 1, type: 'integer' },
            a: { nullable: true, type: 'string' },
            ios: { 'x-kubernetes-int-or-string': true, anyOf: [integer, text] },
            e: { enum: ['x', true], default: 'x', type: 'string' },
          },
        ),
      }),
    },
    {
      resource: 'nuts',
      kind: 'Nut',
      listKind: 'NutList',
      namespaced: false,
      subresources: [],
      read: async () => ({ v2: undefined, v3: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }),
    },
  ],
}

const goose = { type: 'object', properties: { spec: { type: 'object', properties: { a: text } } } }
const geese: CustomVersion = {
  group: 'my-2nd.oa-x.io',
  version: 'v1beta1',
  tag: 'a',
  kinds: [
    {
      resource: 'geese',
      kind: 'Goose',
      listKind: 'GooseFlock',
      namespaced: true,
      subresources: [],
      read: async () => ({ v2: goose, v3: goose, selectableFields: ['spec.a'] }),
    },
  ],
}

const builtIn = OpenApiDocuments.of(served, typeTables, hashes)
const isComplete = descriptionOf('meta/v1.ListOptions', 'limit') !== ''

function at(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), value)
}

const parsed = async (bytes: Promise<Uint8Array> | undefined): Promise<JsonObject> =>
  JSON.parse(new TextDecoder().decode(await bytes))

async function partOf(version: CustomVersion): Promise<JsonObject> {
  return parsed(builtIn.with([version]).part(`apis/${version.group}/${version.version}`)?.bytes('json'))
}

describe('OpenAPI of custom resources', () => {
  test('is added to the index of /openapi/v3 without changing the hashes of built-in groups', async () => {
    const [before, after] = await Promise.all([builtIn, builtIn.with([bolts, geese])].map((each) => parsed(each.index(''))))
    const names = Object.keys(at(after, 'paths') ?? {})
    expect(names).toEqual([...names].sort())
    expect(names.filter((name) => at(before, 'paths', name) === undefined)).toEqual([
      'apis/my-2nd.oa-x.io/v1beta1',
      'apis/oa.example.com/v1',
    ])
    expect(at(after, 'paths', 'apis/apps/v1')).toEqual(at(before, 'paths', 'apis/apps/v1'))
  })

  test('does not replace a built-in group version', async () => {
    const documents = builtIn.with([{ ...bolts, group: 'apps' }])
    expect(await documents.part('apis/apps/v1')?.hash()).toBe(hashes['v3/apis/apps/v1'])
  })

  test('has no /watch paths and no strategic merge patch', async () => {
    const document = await partOf(bolts)
    expect(Object.keys(at(document, 'paths') ?? {})).toEqual([
      '/apis/oa.example.com/v1/bolts',
      '/apis/oa.example.com/v1/namespaces/{namespace}/bolts',
      '/apis/oa.example.com/v1/namespaces/{namespace}/bolts/{name}',
      '/apis/oa.example.com/v1/namespaces/{namespace}/bolts/{name}/scale',
      '/apis/oa.example.com/v1/namespaces/{namespace}/bolts/{name}/status',
      '/apis/oa.example.com/v1/nuts',
      '/apis/oa.example.com/v1/nuts/{name}',
    ])
    const patch = at(document, 'paths', '/apis/oa.example.com/v1/nuts/{name}', 'patch')
    expect(Object.keys(at(patch, 'requestBody', 'content') ?? {})).not.toContain('application/strategic-merge-patch+json')
    expect(at(patch, 'x-kubernetes-group-version-kind')).toEqual({ group: 'oa.example.com', version: 'v1', kind: 'Nut' })
  })

  test('derives operationId, tag and schema name from the group', async () => {
    const document = await partOf(geese)
    const { operationId, tags } = at(document, 'paths', '/apis/my-2nd.oa-x.io/v1beta1/geese', 'get') as JsonObject
    expect([operationId, tags]).toEqual(['listMy2ndOaXIoV1beta1GooseForAllNamespaces', ['my2ndOaXIo_v1beta1']])
    const schema = at(document, 'components', 'schemas', 'io.oa-x.my-2nd.v1beta1.GooseFlock')
    expect(at(schema, 'x-kubernetes-selectable-fields')).toEqual([{ fieldPath: 'spec.a' }])
  })

  test('has apiVersion, kind and metadata of objects, except in v2 for schemas that preserve unknown fields', async () => {
    const nut = 'com.example.oa.v1.Nut'
    const version3 = at(await partOf(bolts), 'components', 'schemas', nut, 'properties')
    expect(Object.keys(version3 ?? {})).toEqual(['apiVersion', 'kind', 'metadata'])
    const whole = await parsed(builtIn.with([bolts]).whole().bytes('json'))
    expect(Object.keys(at(whole, 'definitions', nut) ?? {})).toEqual(['type', 'x-kubernetes-group-version-kind'])
    expect(at(whole, 'definitions', 'io.k8s.api.core.v1.Pod')).toBeDefined()
  })
})

describe('the hash of an OpenAPI document with custom resources', () => {
  const hashesOf = async (...versions: readonly CustomVersion[]): Promise<(string | undefined)[]> => {
    const documents = builtIn.with(versions)
    return [await documents.part('apis/oa.example.com/v1')?.hash(), await documents.whole().hash()]
  }

  test('is computed without reading schemas and changes with the definitions', async () => {
    const unread = (tag: string): CustomVersion => ({
      ...bolts,
      tag,
      kinds: bolts.kinds.map((kind) => ({ ...kind, read: () => Promise.reject(new Error('read')) })),
    })
    const [part, whole] = await hashesOf(unread('a'))
    expect(await hashesOf(unread('a'))).toEqual([part, whole])
    const [otherPart, otherWhole] = await hashesOf(unread('b'))
    expect(otherPart).not.toBe(part)
    expect(otherWhole).not.toBe(whole)
  })

  test('is computed again after an error', async () => {
    let attempts = 0
    const read = async () => {
      if (attempts++ === 0) throw new Error('read')
      return { v2: goose, v3: goose }
    }
    const documents = builtIn.with([{ ...geese, kinds: geese.kinds.map((kind) => ({ ...kind, read })) }])
    await expect(documents.whole().bytes('json')).rejects.toThrow('read')
    expect((await parsed(documents.whole().bytes('json'))).swagger).toBe('2.0')
  })
})

test('/openapi/v2 in protobuf has every path and definition, although it is encoded in pieces', async () => {
  const reader = new Reader(await builtIn.with([bolts, geese]).whole().bytes('protobuf'))
  const count = new Map<number, number>()
  while (reader.position < reader.end) {
    const number = reader.readTag('Document')
    if (reader.wireType !== 2) throw new Error('a field of a document is text or a message')
    const inner = new Reader(reader.readBytes())
    for (; number > 7 && inner.position < inner.end; inner.readBytes()) {
      inner.readTag('entries')
      count.set(number, (count.get(number) ?? 0) + 1)
    }
  }
  const whole = await parsed(builtIn.with([bolts, geese]).whole().bytes('json'))
  const size = (key: string): number => Object.keys(whole[key] as JsonObject).length
  expect([count.get(8), count.get(9), count.get(10)]).toEqual([size('paths'), size('definitions'), size('parameters')])
})

/** The beginning of the SHA-512 of a document, to compare with kube-apiserver 1.36.3. */
const beginning = async (bytes: Promise<Uint8Array> | undefined): Promise<string> =>
  (await sha512((await bytes) ?? new Uint8Array())).slice(0, 16)

describe.skipIf(!isComplete)('OpenAPI documents of custom resources equal those of kube-apiserver', () => {
  test.each([
    ['apis/oa.example.com/v1', bolts, '4A380FD772C643B1'],
    ['apis/my-2nd.oa-x.io/v1beta1', geese, '2745CDB973A11AFE'],
  ])('%s', async (name, version, hash) => {
    expect(await beginning(builtIn.with([version]).part(name)?.bytes('json'))).toBe(hash)
  })

  test('v2', async () => {
    expect(await beginning(builtIn.with([bolts]).whole().bytes('json'))).toBe('B3616E81B217E873')
  })
})
