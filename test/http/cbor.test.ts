/**
 * CBOR with the feature gate CBORServingAndStorage, over HTTPS; kube-apiserver gave the expected responses with the same gate.
 */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonOfCbor } from '../../src/cbor/read.ts'
import { writeCbor } from '../../src/cbor/write.ts'
import type { JsonValue } from '../../src/go/json-value.ts'
import type { RequestOptions } from '../client.ts'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

const cbor = 'application/cbor'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'

let server: TestServer
let counter = 0

beforeAll(async () => {
  server = await startServer({ args: ['--feature-gates', 'CBORServingAndStorage=true'] })
}, 30_000)
afterAll(() => server.stop())

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
  /** The decoded body of a JSON or CBOR response. */
  readonly value: { readonly [key: string]: JsonValue }
}

async function send(path: string, options: RequestOptions = {}): Promise<Answer> {
  const type = options.body === undefined ? {} : { 'content-type': cbor }
  const response = await server.open(path, { ...options, headers: { accept: cbor, ...type, ...options.headers } })
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const isCbor = response.headers['content-type'] === cbor
  const value = JSON.parse(isCbor ? jsonOfCbor(bytes) : bytes.toString() || 'null')
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, value }
}

const post = (path: string, body: JsonValue): Promise<Answer> => send(path, { method: 'POST', body: writeCbor(body) })
const map = (more: object = {}): { metadata: { name: string } } & { [key: string]: JsonValue } =>
  ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `map-${counter++}` }, ...more }) as never

test('CBOR create and get, with bytes tagged as base64', async () => {
  const body = map({ data: { colour: 'blue' } })
  const tagged = Buffer.concat([
    Buffer.from(writeCbor({ ...body, binaryData: { x: 'BYTES' } })).subarray(0, -6),
    Buffer.from('d6420102', 'hex'),
  ])
  const created = await send(configMaps, { method: 'POST', body: tagged })
  expect(created.status).toBe(201)
  expect(created.headers['content-type']).toBe(cbor)
  expect(created.bytes.subarray(0, 3).toString('hex')).toBe('d9d9f7')
  expect(created.value).toMatchObject({ data: { colour: 'blue' }, binaryData: { x: 'AQI=' } })
  const read = await send(`${configMaps}/${body.metadata.name}`)
  expect(read.bytes.includes(Buffer.from('4178d6420102', 'hex'))).toBe(true)
  const asJson = await server.send(`${configMaps}/${body.metadata.name}`)
  expect(read.value).toEqual(asJson.json())
})

const labelled = (more: object = {}): JsonValue => {
  const object = map(more)
  return { ...object, metadata: { ...object.metadata, labels: { list: 'cbor' } } }
}
/** Removes objects of other tests from a list. */
const itemsOf = (answer: { readonly [key: string]: unknown }): unknown => answer.items

test('a CBOR list has the same objects as the JSON list, also above a megabyte', async () => {
  const path = `${configMaps}?labelSelector=list%3Dcbor`
  await post(configMaps, labelled())
  const small = await send(path)
  expect(itemsOf(small.value)).toEqual(itemsOf((await server.send(path)).json()))
  const large = 'ü'.repeat(200_000)
  for (let i = 0; i < 4; i++) await server.send(configMaps, { method: 'POST', body: labelled({ data: { large } }) })
  const list = await send(path)
  expect(list.bytes.byteLength).toBeGreaterThan(1024 * 1024)
  expect(itemsOf(list.value)).toEqual(itemsOf((await server.send(path)).json()))
})

test('a CBOR watch is a sequence of events, and each event and its object has the CBOR tag', async () => {
  const response = await server.open(`${configMaps}?watch=true&timeoutSeconds=30`, { headers: { accept: cbor } })
  expect(response.headers['content-type']).toBe('application/cbor-seq')
  const [first] = (await once(response, 'data')) as [Buffer]
  expect(first.subarray(0, 4).toString('hex')).toBe('d9d9f7a2')
  response.destroy()
})

test('server-side apply in CBOR', async () => {
  const headers = { 'content-type': 'application/apply-patch+cbor' }
  const body = map({ data: { a: 'b' } })
  const path = `${configMaps}/${body.metadata.name}?fieldManager=test`
  expect((await send(path, { method: 'PATCH', headers, body: writeCbor(body) })).status).toBe(201)
  const refused = await send(path, { method: 'PATCH', headers, body: Uint8Array.of(0xff) })
  expect([refused.status, refused.value.message]).toEqual([400, 'error decoding YAML: cbor: unexpected "break" code'])
})

describe('custom resources in CBOR', () => {
  beforeAll(async () => {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const spec = {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    }
    const body = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: { name: 'widgets.example.com' },
      spec,
    }
    expect((await post(definitions, body)).status).toBe(201)
  })

  test('keep integers and floats apart', async () => {
    const spec = { whole: 3, half: 1.5, large: 1e300, deep: [null, { yes: true }] }
    const body = { kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name: 'one' }, spec }
    expect((await post(widgets, body)).status).toBe(201)
    const { value } = await send(`${widgets}/one`)
    expect(value.spec).toEqual(spec)
  })

  test('a body without a kind: 400', async () => {
    const { status, value } = await send(widgets, { method: 'POST', body: Uint8Array.of(0xa0) })
    const message = `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{}' (a0)`
    expect([status, value.message]).toEqual([400, message])
  })
})

describe('an invalid CBOR body', () => {
  const about = 'the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: '
  const inside = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: '
  test.each([
    ['', `${about}EOF (<empty>)`],
    ['a1646b696e64', `${about}unexpected EOF (a1646b696e64)`],
    [
      '80',
      `${about}cbor: cannot unmarshal array into Go value of type v1.TypeMeta (cannot decode CBOR array to struct without toarray option) (80)`,
    ],
    ['a2616101616102', `${about}cbor: found duplicate map key "a" at map element index 1 (a2616101616102)`],
    ['a16464617461a2616161626161', `${about}unexpected EOF (a16464617461a2616161626161)`],
    ['a16464617461a26161616261616162', `${inside}cbor: found duplicate map key "a" at map element index 1`],
    [
      'a1686d65746164617461a1646e616d6505',
      `${inside}cbor: cannot unmarshal positive integer into Go struct field v1.ConfigMap.metadata of type string`,
    ],
    [
      'a16a62696e61727944617461a1617142ff00',
      `${inside}cbor: failed to decode base64 from byte string: illegal base64 data at input byte 0`,
    ],
  ])('%s', async (hex, message) => {
    const { status, value } = await send(configMaps, { method: 'POST', body: Uint8Array.from(Buffer.from(hex, 'hex')) })
    expect([status, value.message]).toEqual([400, message])
  })

  test('field validation reports the first unknown field by its position', async () => {
    const body = { ...map(), foo: 1, bar: 2 }
    const warned = await post(configMaps, body)
    expect([warned.status, warned.headers.warning]).toEqual([201, '299 - "cbor: found unknown field at map element index 3"'])
    const strict = await post(`${configMaps}?fieldValidation=Strict`, { ...map(), foo: 1 })
    expect([strict.status, strict.value.message]).toEqual([
      400,
      `${inside}strict decoding error: cbor: found unknown field at map element index 3`,
    ])
  })
})

describe('without CBOR support', () => {
  test('discovery and Tables are 406', async () => {
    expect((await send('/api/v1')).status).toBe(406)
    expect((await send('/apis/apps')).value.message).toBe(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    )
    expect((await send(configMaps, { headers: { accept: `${cbor};as=Table;v=v1;g=meta.k8s.io` } })).status).toBe(406)
  })

  test('without the feature gate: 415 and 406', async () => {
    const other = await startServer()
    try {
      const body = writeCbor(map())
      const refused = await other.send(configMaps, { method: 'POST', body, headers: { 'content-type': cbor } })
      expect(refused.json().message).toBe(
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      )
      expect((await other.send(configMaps, { headers: { accept: cbor } })).status).toBe(406)
    } finally {
      await other.stop()
    }
  })
})
