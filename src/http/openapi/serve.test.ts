import { describe, expect, test } from 'vitest'
import { openApiPaths } from './paths.ts'
import { serveOpenApi } from './serve.ts'

type Headers = Readonly<Record<string, string>>

const ask = async (path: string, headers: Headers = {}, method = 'GET'): Promise<Response | undefined> =>
  serveOpenApi(new Request(`https://host${path}`, { method, headers }), path.split('?', 1)[0] ?? '')

async function answered(path: string, headers?: Headers, method?: string): Promise<Response> {
  const response = await ask(path, headers, method)
  if (response === undefined) throw new Error(`${path} is not served`)
  return response
}

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
}

const index = async (): Promise<Index> => (await answered('/openapi/v3')).json()
const addressOf = async (part: string): Promise<string> => (await index()).paths[part]?.serverRelativeURL ?? ''

const binary = 'com.github.proto-openapi.spec.v2@v1.0+protobuf'

describe('/openapi/v3', () => {
  test('is text/plain for every Accept header', async () => {
    const response = await answered('/openapi/v3', { accept: 'application/json' }, 'POST')
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache, private')
  })

  test('lists groups, group versions and non-resource paths in order', async () => {
    const names = Object.keys((await index()).paths)
    expect(names).toEqual(expect.arrayContaining(['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1', 'version']))
    expect(names).toEqual([...names].sort())
    expect(names).not.toContain('apis/')
  })

  test('has the hash of each document in its serverRelativeURL', async () => {
    const address = await addressOf('apis/batch/v1')
    const bytes = await (await answered(address)).arrayBuffer()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', bytes))
    const hash = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
    expect(address).toBe(`/openapi/v3/apis/batch/v1?hash=${hash.toUpperCase()}`)
  })
})

describe('a document of /openapi/v3', () => {
  test('may be cached for a year if the URL has its hash', async () => {
    const { status, headers } = await answered(await addressOf('apis/apps/v1'))
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, immutable')
    expect(headers.get('vary')).toBe('Accept')
    const expires = headers.get('expires') ?? ''
    expect(expires).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d UTC$/)
    expect(Date.parse(expires) - Date.now()).toBeGreaterThan(364 * 24 * 60 * 60 * 1000)
  })

  test('may not be cached if the URL has no hash', async () => {
    const { headers } = await answered('/openapi/v3/apis/apps/v1')
    expect(headers.get('cache-control')).toBe('no-cache, private')
    expect(headers.has('expires')).toBe(false)
  })

  test('redirects with 301 if the URL has an outdated hash', async () => {
    const response = await answered('/openapi/v3/apis/apps/v1?hash=00')
    expect(response.status).toBe(301)
    expect(response.headers.get('location')).toBe(await addressOf('apis/apps/v1'))
    expect(await response.text()).toBe('')
  })

  test('If-None-Match with its entity tag responds with 304', async () => {
    const tag = (await answered('/openapi/v3/version')).headers.get('etag') ?? ''
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      expect((await answered('/openapi/v3/version', { 'if-none-match': known })).status).toBe(304)
    }
    expect((await answered('/openapi/v3/version', { 'if-none-match': '"x"' })).status).toBe(200)
  })

  test.each(['application/yaml', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'text/html'])(
    '406 NotAcceptable for Accept: %s',
    async (accept) => expect((await answered('/openapi/v3/version', { accept })).status).toBe(406),
  )

  test.each(['application/json', '*/*', 'text/html, application/json;q=0.1', 'application/*'])(
    'JSON for Accept: %s',
    async (accept) =>
      expect((await answered('/openapi/v3/version', { accept })).headers.get('content-type')).toBe('application/json'),
  )

  test.each([
    'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
    'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
  ])('is served as %s at the same URL and with the same entity tag', async (accept) => {
    const address = await addressOf('apis/apps/v1')
    const [json, { status, headers }] = [await answered(address), await answered(address, { accept })]
    expect([status, headers.get('content-type')]).toEqual([200, 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf'])
    expect(headers.get('etag')).toBe(json.headers.get('etag'))
  })

  test.each(['/openapi/v3/', '/openapi/v3/nope', '/openapi/v3/apis/apps/v1/', '/openapi/v3/constructor'])(
    '404 for %s',
    async (path) => {
      const response = await answered(path)
      expect([response.status, await response.text()]).toEqual([404, ''])
    },
  )
})

describe('/openapi/v2', () => {
  test('is JSON unless protobuf is preferred', async () => {
    expect((await answered('/openapi/v2')).headers.get('content-type')).toBe('application/json')
    const preferred = await answered('/openapi/v2', { accept: `application/${binary}` })
    expect(preferred.headers.get('content-type')).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
    const second = await answered('/openapi/v2', { accept: `application/json, application/${binary};q=0.5` })
    expect(second.headers.get('content-type')).toBe('application/json')
    expect((await answered('/openapi/v2', { accept: 'application/yaml' })).status).toBe(406)
  })

  test('has the same entity tag in JSON and protobuf', async () => {
    const tags = await Promise.all(
      [{}, { accept: `application/${binary}` }, { 'accept-encoding': 'gzip' }].map(
        async (headers: Headers) => (await answered('/openapi/v2', headers)).headers.get('etag') ?? '',
      ),
    )
    expect(new Set(tags).size).toBe(1)
    const known = await answered('/openapi/v2', { 'if-none-match': tags[0] ?? '', 'accept-encoding': 'gzip' })
    expect([known.status, known.headers.get('content-encoding'), await known.text()]).toEqual([304, null, ''])
  })

  test('is compressed with gzip if the client accepts it', async () => {
    const response = await answered('/openapi/v2', { 'accept-encoding': 'br, gzip;q=0.5' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const plain = await new Response(response.body?.pipeThrough(new DecompressionStream('gzip'))).text()
    expect(plain).toBe(await (await answered('/openapi/v2')).text())
    expect((await answered('/openapi/v2', { 'accept-encoding': 'gzip;q=0' })).headers.has('content-encoding')).toBe(false)
  })
})

test('OpenAPI documents of custom resources are served with those of built-in groups', async () => {
  const schema = { type: 'object' }
  const bolt = { resource: 'bolts', kind: 'Bolt', listKind: 'BoltList', namespaced: true, subresources: [] }
  const custom = [
    { group: 'example.com', version: 'v1', tag: 'a', kinds: [{ ...bolt, read: async () => ({ v2: schema, v3: schema }) }] },
  ]
  const get = async (path: string) => {
    const response = await serveOpenApi(new Request(`https://host${path}`), path.split('?', 1)[0] ?? '', {
      custom: async () => custom,
    })
    if (response === undefined) throw new Error(`${path} is not served`)
    return response
  }
  const { paths }: Index = await (await get('/openapi/v3')).json()
  expect(Object.keys(paths)).toEqual(Object.keys({ ...(await index()).paths, 'apis/example.com/v1': '' }).sort())
  const address = paths['apis/example.com/v1']?.serverRelativeURL ?? ''
  const found = await get(address)
  expect([found.status, found.headers.get('cache-control')]).toEqual([200, 'public, immutable'])
  expect(await found.text()).toContain('"/apis/example.com/v1/namespaces/{namespace}/bolts/{name}"')
  expect((await answered('/openapi/v3/apis/example.com/v1')).status).toBe(404)
  expect((await get('/openapi/v2')).headers.get('etag')).not.toBe((await answered('/openapi/v2')).headers.get('etag'))
})

test('other paths are not served by OpenAPI', async () => {
  for (const path of ['/openapi', '/openapi/', '/openapi/v2/', '/openapi/v1', '/']) expect(await ask(path)).toBeUndefined()
})

test('GET / lists the OpenAPI paths', () => {
  expect(openApiPaths).toEqual(['/openapi/v2', '/openapi/v3', '/openapi/v3/'])
})
