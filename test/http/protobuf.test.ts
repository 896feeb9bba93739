/** Protobuf requests and responses have the same content as JSON. */
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { messageOf, messages } from '../../src/catalog/protobuf-messages.ts'
import type { JsonObject } from '../../src/go/json-value.ts'
import { readEnvelope, writeEnvelope } from '../../src/protobuf/envelope.ts'
import { encodeMessage } from '../../src/protobuf/writer.ts'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'
import { openSocket } from './socket.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const partial = (form: string, version = 'v1'): string => `${protobuf};as=${form};v=${version};g=meta.k8s.io`

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

interface Answer {
  readonly status: number
  readonly type: unknown
  readonly bytes: Buffer
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET', body?: unknown): Promise<Answer> {
  const answer = await server.open(path, { method, headers: { accept: protobuf, ...headers }, body })
  return { status: answer.statusCode ?? 0, type: answer.headers['content-type'], bytes: await bytesOf(answer) }
}

function decoded(bytes: Uint8Array): JsonObject {
  const { apiVersion, kind, raw } = readEnvelope(bytes)
  const message = messageOf(apiVersion, kind)
  if (message === undefined) throw new Error(`no message ${apiVersion} ${kind}`)
  return { kind, apiVersion, ...messages.decode(message, raw) }
}

function encoded(object: JsonObject & { readonly apiVersion: string; readonly kind: string }): Uint8Array {
  const message = messageOf(object.apiVersion, object.kind) ?? ''
  return encodeMessage((writer) => writeEnvelope(writer, object, () => messages.write(message, writer, object)))
}

const json = async (path: string, accept = 'application/json'): Promise<JsonObject> =>
  (await server.send(path, { headers: { accept } })).json<JsonObject>()

/** Returns the object after encoding and decoding it in protobuf. */
const inProtobuf = (object: JsonObject): JsonObject => decoded(encoded(object as Parameters<typeof encoded>[0]))

const write = (path: string, method: string, object: Parameters<typeof encoded>[0]): Promise<Answer> =>
  ask(path, { 'content-type': protobuf }, method, encoded(object))

const deployment = (name: string): Parameters<typeof encoded>[0] => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    selector: { matchLabels: { app: name } },
    strategy: { rollingUpdate: { maxSurge: '30%', maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m' } } }] },
    },
  },
})

const configMap = (name: string, data: JsonObject = {}): Parameters<typeof encoded>[0] => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { name } },
  data,
})

test('data of a ControllerRevision has the bytes of Go, with which controllers compare it', async () => {
  const path = '/apis/apps/v1/namespaces/default/controllerrevisions'
  const data = { spec: { template: { $patch: 'replace', args: ['a && b > c'], 10: '', 9: '' } } }
  const revision = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'shell' }, data, revision: 1 }
  expect((await write(path, 'POST', revision)).status).toBe(201)
  const expected = String.raw`{"spec":{"template":{"$patch":"replace","10":"","9":"","args":["a \u0026\u0026 b \u003e c"]}}}`
  for (const each of [`${path}/shell`, path]) expect((await ask(each)).bytes.toString()).toContain(expected)
})

describe('an object in protobuf', () => {
  test('is created, read, updated and patched', async () => {
    const created = await write(deployments, 'POST', deployment('web'))
    expect([created.status, created.type]).toEqual([201, protobuf])
    expect(decoded(created.bytes)).toEqual(inProtobuf(await json(`${deployments}/web`)))
    const object = decoded((await ask(`${deployments}/web`)).bytes) as Parameters<typeof encoded>[0]
    const updated = await write(`${deployments}/web`, 'PUT', { ...object, spec: { ...(object.spec as JsonObject), replicas: 3 } })
    expect(decoded(updated.bytes)).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } })
    const patched = await ask(`${deployments}/web`, { 'content-type': 'application/merge-patch+json' }, 'PATCH', {
      spec: { replicas: 4 },
    })
    expect(patched.type).toBe(protobuf)
    expect(decoded(patched.bytes)).toEqual(inProtobuf(await json(`${deployments}/web`)))
  })

  test('scale, PartialObjectMetadata and Status are in protobuf too', async () => {
    const scale = decoded((await ask(`${deployments}/web/scale`)).bytes)
    expect(scale).toEqual(inProtobuf(await json(`${deployments}/web/scale`)))
    const accept = partial('PartialObjectMetadata')
    expect(decoded((await ask(`${deployments}/web`, { accept })).bytes)).toEqual(
      await json(`${deployments}/web`, accept.replace(protobuf, 'application/json')),
    )
    const missing = await ask(`${deployments}/nope`)
    expect([missing.status, missing.type]).toEqual([404, protobuf])
    expect(decoded(missing.bytes)).toEqual(inProtobuf(await json(`${deployments}/nope`)))
  })

  test('is deleted with DeleteOptions in protobuf', async () => {
    await write(configMaps, 'POST', configMap('deleted'))
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'another' } }
    expect((await write(`${configMaps}/deleted`, 'DELETE', options)).status).toBe(409)
    const done = await write(`${configMaps}/deleted`, 'DELETE', { apiVersion: 'v1', kind: 'DeleteOptions' })
    expect(decoded(done.bytes)).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'deleted' } })
  })

  test('has the content of an object written as JSON', async () => {
    const data = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' }, revision: '@', data: { n: '#' } }
    const text = JSON.stringify(data).replace('"@"', '9007199254740993').replace('"#"', '[1.0,1e3]')
    await server.send('/apis/apps/v1/namespaces/default/controllerrevisions', { method: 'POST', body: text })
    const { bytes } = await ask('/apis/apps/v1/namespaces/default/controllerrevisions/r')
    const found = JSON.stringify(decoded(bytes))
    expect(found).toContain('"revision":9007199254740993')
    expect(found).toContain('"data":{"n":[1.0,1e3]}')
  })

  test('that is malformed is refused', async () => {
    for (const body of [
      new Uint8Array(),
      Buffer.from('k8s'),
      Buffer.alloc(1000, 0xff),
      encoded(configMap('x')).subarray(0, 20),
    ]) {
      const { status, bytes } = await ask(configMaps, { 'content-type': protobuf }, 'POST', body)
      expect([status, decoded(bytes).reason]).toEqual([400, 'BadRequest'])
    }
  })
})

describe('a list in protobuf', () => {
  const names = (list: JsonObject): unknown[] => (list.items as { metadata: JsonObject }[]).map(({ metadata }) => metadata.name)

  beforeAll(async () => {
    for (let i = 0; i < 7; i++) await write(configMaps, 'POST', configMap(`l${i}`, { k: 'x'.repeat(40_000) }))
  })

  test.each([
    '',
    '?labelSelector=name+in+(l2,l5)',
    '?fieldSelector=metadata.name=l3',
    '?limit=3',
    '?limit=3&labelSelector=name!%3Dl1',
    '?labelSelector=nope',
    '?resourceVersion=0',
  ])('%j equals the JSON list, also when it is repeated', async (query) => {
    for (let i = 0; i < 2; i++) {
      const { type, bytes } = await ask(`${configMaps}${query}`)
      expect(type).toBe(protobuf)
      expect(decoded(bytes)).toEqual(inProtobuf(await json(`${configMaps}${query}`)))
    }
  })

  test('continues with the continue token', async () => {
    const first = decoded((await ask(`${configMaps}?limit=5&fieldSelector=metadata.name!%3Dkube-root-ca.crt`)).bytes)
    const { continue: token } = first.metadata as JsonObject
    const rest = decoded((await ask(`${configMaps}?fieldSelector=metadata.name!%3Dkube-root-ca.crt&continue=${token}`)).bytes)
    expect([...names(first), ...names(rest)]).toEqual(['l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6'])
  })

  test('has the current state of each object', async () => {
    await write(`${configMaps}/l0`, 'PUT', configMap('l0', { k: 'changed' }))
    expect(decoded((await ask(configMaps)).bytes)).toEqual(inProtobuf(await json(configMaps)))
  })

  test.each(['v1', 'v1beta1'])('of PartialObjectMetadata in %s', async (version) => {
    const accept = partial('PartialObjectMetadataList', version)
    const { items = [], ...list } = decoded((await ask(configMaps, { accept })).bytes)
    const expected = await json(configMaps, accept.replace(protobuf, 'application/json'))
    expect(list).toEqual({ kind: expected.kind, apiVersion: expected.apiVersion, metadata: expected.metadata })
    expect((items as JsonObject[]).map(({ metadata }) => metadata)).toEqual(
      (expected.items as JsonObject[]).map(({ metadata }) => metadata),
    )
  })

  test('is the response of a deletecollection', async () => {
    const { bytes } = await ask(`${configMaps}?dryRun=All`, {}, 'DELETE')
    expect(names(decoded(bytes))).toEqual(names(await json(configMaps)))
  })

  test('is not available as Table: 406', async () => {
    expect((await ask(configMaps, { accept: partial('Table') })).status).toBe(406)
    const either = await ask(configMaps, { accept: `${partial('Table')},application/json` })
    expect(either.type).toBe('application/json')
  })
})

describe('discovery in protobuf', () => {
  test.each(['/api', '/apis', '/api/v1', '/apis/apps', '/apis/apps/v1'])('%s', async (path) => {
    const { kind, ...document } = await json(path)
    expect(decoded((await ask(path)).bytes)).toEqual(inProtobuf({ kind, apiVersion: '', ...document } as JsonObject))
  })
})

describe('a watch in protobuf', () => {
  /** Decodes the events of a stream: each follows its length. */
  function events(bytes: Buffer): { type: unknown; object: JsonObject }[] {
    const found = []
    for (let at = 0; at < bytes.length; ) {
      const end = at + 4 + bytes.readUInt32BE(at)
      found.push(event(bytes.subarray(at + 4, end)))
      at = end
    }
    return found
  }

  function event(bytes: Buffer): { type: unknown; object: JsonObject } {
    // The object is not JSON here, so the event is decoded by its fields: the type, and within the second the bytes of the
    // object.
    const type = bytes.subarray(2, 2 + (bytes[1] ?? 0)).toString()
    return { type, object: decoded(bytes.subarray(bytes.indexOf('k8s\0'))) }
  }

  const watch = async (query: string, accept = `${protobuf};stream=watch`): Promise<ReturnType<typeof events>> => {
    const { status, type, bytes } = await ask(`${configMaps}?watch=1&timeoutSeconds=1${query}`, { accept })
    expect([status, type]).toEqual([200, `${protobuf};stream=watch`])
    return events(bytes)
  }

  test('has the events of JSON, framed by their length', async () => {
    const { metadata } = await json(configMaps)
    const path = `&resourceVersion=${(metadata as JsonObject).resourceVersion}`
    await write(configMaps, 'POST', configMap('w', { k: 'v' }))
    await write(`${configMaps}/w`, 'PUT', configMap('w', { k: 'w' }))
    await ask(`${configMaps}/w`, {}, 'DELETE')
    const found = await watch(path)
    expect(found.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
    const lines = (await server.send(`${configMaps}?watch=1&timeoutSeconds=1${path}`)).text.trimEnd().split('\n')
    expect(found).toEqual(lines.map((line) => JSON.parse(line)).map((e) => ({ ...e, object: inProtobuf(e.object) })))
  })

  test('sends DELETED with the old object when it leaves the selection', async () => {
    const { metadata } = await json(configMaps)
    await write(configMaps, 'POST', configMap('s'))
    await write(`${configMaps}/s`, 'PUT', { ...configMap('s'), metadata: { name: 's', labels: { name: 'other' } } })
    const found = await watch(`&labelSelector=name%3Ds&resourceVersion=${(metadata as JsonObject).resourceVersion}`)
    expect(found.map(({ type, object }) => [type, (object.metadata as JsonObject).labels])).toEqual([
      ['ADDED', { name: 's' }],
      ['DELETED', { name: 's' }],
    ])
  })

  test('sendInitialEvents: begins with the state and a bookmark', async () => {
    const initial = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const found = await watch(initial, `${partial('PartialObjectMetadata')};stream=watch`)
    const end = found.findIndex(({ type }) => type === 'BOOKMARK')
    expect(found.slice(0, end).every(({ object }) => object.kind === 'PartialObjectMetadata')).toBe(true)
    expect(end).toBe(((await json(configMaps)).items as JsonObject[]).length)
    expect(found[end]?.object.metadata).toMatchObject({ annotations: { 'k8s.io/initial-events-end': 'true' } })
  })

  test('over a WebSocket sends one event per message, without its length', async () => {
    const headers = { authorization: `Bearer ${server.token}`, accept: `${protobuf};stream=watch` }
    const socket = await openSocket(server, `${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dl1`, headers)
    for await (const { opcode, text } of socket.frames()) {
      expect(opcode).toBe('other')
      expect(text.startsWith('\n\u0005ADDED\u0012')).toBe(true)
      break
    }
  })

  test('sends an ERROR event 504 Timeout for a resourceVersion that is too large', async () => {
    const query =
      '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=99999999999999'
    expect(await watch(query)).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 504, reason: 'Timeout' } }])
  })
})
