/** JSON as Go encodes and decodes it, byte by byte. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const maps = '/api/v1/namespaces/default/configmaps'
const json = { 'content-type': 'application/json' }
const create = (body: string | Uint8Array, query = '') => server.send(`${maps}${query}`, { method: 'POST', headers: json, body })

describe('keys that look like integers', () => {
  const labels = '"labels":{"10":"b","9":"a","a":"c"}'
  const data = '"data":{"1.5":"x","10":"b","9":"a","B":"d","a":"c"}'

  beforeAll(async () => {
    const sent =
      '{"metadata":{"name":"keys","labels":{"9":"a","10":"b","a":"c"}},"data":{"9":"a","10":"b","a":"c","B":"d","1.5":"x"}}'
    const { text } = await create(sent)
    expect(text).toContain(labels)
    expect(text).toContain(data)
  })

  test.each([
    ['get', `${maps}/keys`, {}],
    ['list', `${maps}?labelSelector=a=c`, {}],
    ['?pretty=true', `${maps}/keys?pretty=true`, {}],
    ['a Table', `${maps}/keys?includeObject=Object`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }],
    ['PartialObjectMetadata', `${maps}/keys`, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }],
  ])('are sorted by bytes in %s', async (_what, path, headers) => {
    const { text } = await server.send(path, { headers })
    const dense = text.replaceAll(/\s/g, '')
    expect(dense).toContain(labels)
    if (dense.includes('"data"')) expect(dense).toContain(data)
  })

  test('stay sorted after a patch and an update', async () => {
    const headers = { 'content-type': 'application/merge-patch+json' }
    const patched = await server.send(`${maps}/keys`, { method: 'PATCH', headers, body: '{"data":{"100":"z","2":"y"}}' })
    const all = '"data":{"1.5":"x","10":"b","100":"z","2":"y","9":"a","B":"d","a":"c"}'
    expect(patched.text).toContain(all)
    const updated = await server.send(`${maps}/keys`, { method: 'PUT', headers: json, body: patched.text })
    expect(updated.text).toContain(all)
  })
})

test('invalid UTF-8 in JSON becomes U+FFFD per byte', async () => {
  const body = Buffer.concat([
    Buffer.from('{"metadata":{"name":"bytes"},"data":{"a":"'),
    Buffer.from([0xff, 0xe2, 0x82, 0x61, 0xed, 0xa0, 0x80]),
    Buffer.from('"}}'),
  ])
  expect((await create(body, '?dryRun=All')).json()).toMatchObject({ data: { a: '\ufffd\ufffd\ufffda\ufffd\ufffd\ufffd' } })
})

test('YAML with invalid UTF-8 is 400, and so is JSON with a byte order mark', async () => {
  const yaml = Buffer.concat([Buffer.from('a: "'), Buffer.from([0xff]), Buffer.from('"\n')])
  const headers = { 'content-type': 'application/yaml' }
  const refused = await server.send(maps, { method: 'POST', headers, body: yaml })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('yaml: invalid leading UTF-8 octet (613a2022ff220a)')
  const marked = await create('\ufeff{"metadata":{"name":"marked"}}')
  expect(marked.text).toContain("invalid character 'ï' looking for beginning of value")
})

test('a control character that YAML cannot contain is 500 as YAML', async () => {
  await create('{"metadata":{"name":"control"},"data":{"a":"\\u007f"}}')
  const { status, text } = await server.send(`${maps}/control`, { headers: { accept: 'application/yaml' } })
  expect(status).toBe(500)
  expect(text).toContain('yaml: control characters are not allowed')
})
