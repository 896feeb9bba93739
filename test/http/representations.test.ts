/** Representations of objects, lists and watches over HTTPS: Table, PartialObjectMetadata, compression. */
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer

const secrets = '/api/v1/namespaces/default/secrets'
const as = (form: string, version = 'v1'): Record<string, string> => ({
  accept: `application/json;as=${form};v=${version};g=meta.k8s.io`,
})

beforeAll(async () => {
  server = await startServer()
  for (const name of ['a', 'b', 'c']) await create(name)
}, 30_000)
afterAll(() => server.stop())

const send = (path: string, headers: Record<string, string>, method = 'GET', body?: unknown): Promise<Reply> =>
  server.send(path, { method, headers, ...(body !== undefined && { body }) })
const create = (name: string, headers: Record<string, string> = {}): Promise<Reply> =>
  send(secrets, headers, 'POST', { metadata: { name, labels: { name } }, data: { k: 'djE=' } })

interface Meta {
  readonly name?: string
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
}
interface Table {
  readonly kind: string
  readonly metadata: Meta
  readonly columnDefinitions: readonly { readonly name: string }[] | null
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { readonly kind: string } | null }[]
}
interface Event {
  readonly type: string
  readonly object: Table
}

const namesOf = (table: Table): unknown[] => table.rows.map(({ cells }) => cells[0])

describe('a list', () => {
  test('as Table supports limit and continue', async () => {
    const first = (await send(`${secrets}?limit=2&includeObject=None`, as('Table'))).json<Table>()
    expect(namesOf(first)).toEqual(['a', 'b'])
    expect(first.rows[0]?.object).toBeNull()
    expect(first.metadata.remainingItemCount).toBe(1)
    const rest = (await send(`${secrets}?limit=2&continue=${first.metadata.continue}`, as('Table', 'v1beta1'))).json<Table>()
    expect(namesOf(rest)).toEqual(['c'])
    expect(rest).toMatchObject({ apiVersion: 'meta.k8s.io/v1beta1', rows: [{ object: { kind: 'PartialObjectMetadata' } }] })
  })

  test('as PartialObjectMetadataList supports selectors', async () => {
    const { items, ...list } = (await send(`${secrets}?labelSelector=name!%3Db`, as('PartialObjectMetadataList'))).json<{
      items: { metadata: Meta; data?: unknown }[]
    }>()
    expect(list).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' })
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'c'])
    expect(items.every(({ data }) => data === undefined)).toBe(true)
  })

  test('uses the first supported media type of Accept', async () => {
    const accept = `application/json;as=Table;v=v9;g=meta.k8s.io,${as('Table').accept},application/json`
    expect((await send(secrets, { accept })).json()).toMatchObject({ kind: 'Table' })
  })

  test('is not available as PartialObjectMetadata: 406', async () => {
    const reply = await send(secrets, as('PartialObjectMetadata'))
    expect(reply.status).toBe(406)
    expect(reply.json()).toMatchObject({
      reason: 'NotAcceptable',
      message: 'you requested PartialObjectMetadata, but the requested object is a list (*core.SecretList)',
    })
  })
})

describe('a list of objects above 100 KB', () => {
  const configMaps = '/api/v1/namespaces/long-values/configmaps'
  const names = ['a-small', 'b-long', 'c-small', 'd-annotated']

  beforeAll(async () => {
    await send('/api/v1/namespaces', {}, 'POST', { metadata: { name: 'long-values' } })
    const text = 'a "quoted" line with a \\ in it: größer\n'.repeat(4_000)
    const big = { 'a.conf': text, 'b.conf': '', 'c.json': JSON.stringify({ text }) }
    const objects = [
      { metadata: { name: 'a-small' }, data: { a: '1' } },
      { metadata: { name: 'b-long', labels: { long: 'yes' } }, data: big, binaryData: { d: 'AAAA'.repeat(30_000) } },
      { metadata: { name: 'c-small' } },
      { metadata: { name: 'd-annotated', labels: { long: 'yes' }, annotations: { text } }, data: { a: '1', b: '2' } },
    ]
    for (const object of objects) expect((await send(configMaps, {}, 'POST', object)).status).toBe(201)
  })

  test.each(['None', 'Metadata', 'Object'])(
    'as a Table with %s has the rows that each object has on its own',
    async (included) => {
      const table = (await send(`${configMaps}?includeObject=${included}`, as('Table'))).json<Table>()
      const rows = table.rows.slice(0, names.length)
      expect(rows.map(({ cells }) => cells[1])).toEqual([1, 4, 0, 2])
      for (const [i, name] of names.entries()) {
        const own = (await send(`${configMaps}/${name}?includeObject=${included}`, as('Table'))).json<Table>()
        // The age may have changed meanwhile.
        const withoutAge = (row: Table['rows'][number] | undefined) => ({ ...row, cells: row?.cells.slice(0, -1) })
        expect([withoutAge(rows[i])]).toEqual(own.rows.map(withoutAge))
      }
    },
  )

  test('as PartialObjectMetadataList has the metadata of each single object', async () => {
    const list = (await send(configMaps, as('PartialObjectMetadataList'))).json<{ items: unknown[] }>()
    for (const [i, name] of names.entries()) {
      expect(list.items[i]).toEqual((await send(`${configMaps}/${name}`, as('PartialObjectMetadata'))).json())
    }
  })

  test('supports labelSelector and limit', async () => {
    const first = (await send(`${configMaps}?labelSelector=long&limit=1`, as('Table'))).json<Table>()
    expect(namesOf(first)).toEqual(['b-long'])
    const path = `${configMaps}?labelSelector=long&limit=1&continue=${first.metadata.continue}`
    expect(namesOf((await send(path, as('Table'))).json<Table>())).toEqual(['d-annotated'])
    const named = await send(`${configMaps}?fieldSelector=metadata.name!%3Db-long`, as('Table'))
    expect(namesOf(named.json<Table>())).toEqual(expect.arrayContaining(['a-small', 'd-annotated']))
    expect(namesOf(named.json<Table>())).not.toContain('b-long')
  })
})

describe('a write', () => {
  test('is answered in the requested representation, a deletion with its Status', async () => {
    const created = (await create('d', as('Table'))).json<Table>()
    expect(namesOf(created)).toEqual(['d'])
    const patched = await send(
      `${secrets}/d`,
      { ...as('PartialObjectMetadata'), 'content-type': 'application/merge-patch+json' },
      'PATCH',
      { metadata: { labels: { x: 'y' } } },
    )
    expect(patched.json()).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { labels: { x: 'y' } } })
    expect((await send(`${secrets}/d`, as('Table'), 'DELETE')).json()).toMatchObject({ kind: 'Status', status: 'Success' })
  })

  test('is stored although its representation is refused: includeObject=bad', async () => {
    const reply = await send(`${secrets}?includeObject=bad`, as('Table'), 'POST', { metadata: { name: 'e' } })
    expect(reply.status).toBe(400)
    expect((await send(`${secrets}/e`, {}, 'DELETE')).status).toBe(200)
  })

  test('deletecollection is answered as Table', async () => {
    const table = (await send(`${secrets}?dryRun=All`, as('Table'), 'DELETE')).json<Table>()
    expect(namesOf(table)).toEqual(['a', 'b', 'c'])
  })
})

describe('a watch', () => {
  const events = async (query: string, headers: Record<string, string>): Promise<Event[]> =>
    (await send(`${secrets}?watch=1&timeoutSeconds=1${query}`, headers)).text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Event)
  const initial = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'

  test('as Table has the columns in the first event only, and the bookmark after the initial events', async () => {
    const [first, ...others] = await events(`${initial}&includeObject=None`, as('Table'))
    expect(first?.object.columnDefinitions?.[0]).toMatchObject({ name: 'Name' })
    expect(others.every(({ object }) => object.columnDefinitions === null)).toBe(true)
    expect(others.map(({ type }) => type).slice(0, 3)).toEqual(['ADDED', 'ADDED', 'BOOKMARK'])
    expect(others[2]?.object.rows[0]?.object).toMatchObject({
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    })
  })

  test('as Table sends columns to each watch, even if watches share events', async () => {
    const { resourceVersion } = (await send(secrets, as('Table'))).json<Table>().metadata
    const early = events(`&resourceVersion=${resourceVersion}`, as('Table'))
    await create('f')
    const { resourceVersion: later } = (await send(`${secrets}/f`, as('Table'))).json<Table>().metadata
    const late = events(`&resourceVersion=${later}`, as('Table'))
    await send(`${secrets}/f`, {}, 'DELETE')
    const columns = (events: Event[]): [string, boolean][] => events.map((e) => [e.type, e.object.columnDefinitions !== null])
    expect(columns(await early)).toEqual([
      ['ADDED', true],
      ['DELETED', false],
    ])
    expect(columns(await late)).toEqual([['DELETED', true]])
  })

  test('as PartialObjectMetadata', async () => {
    const [first, ...others] = await events(initial, as('PartialObjectMetadata', 'v1beta1'))
    expect(first?.object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1' })
    expect(others[2]).toMatchObject({ type: 'BOOKMARK', object: { kind: 'PartialObjectMetadata' } })
  })

  test('as PartialObjectMetadataList ends at its first event, with includeObject=bad is 400', async () => {
    expect(await send(`${secrets}?watch=1`, as('PartialObjectMetadataList'))).toMatchObject({ status: 200, text: '' })
    expect((await send(`${secrets}?watch=1&includeObject=bad`, as('Table'))).status).toBe(400)
  })
})

describe('a long response', () => {
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const gzip = { 'accept-encoding': 'gzip' }
  const read = async (path: string, headers: Record<string, string>): Promise<{ encoding: unknown; body: Buffer }> => {
    const answer = await server.open(path, { headers })
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    expect(answer.headers['edgeplane-large']).toBeUndefined()
    expect(answer.headers.vary).toBe(answer.headers['content-encoding'] === 'gzip' ? 'Accept-Encoding' : undefined)
    return { encoding: answer.headers['content-encoding'], body: Buffer.concat(chunks) }
  }

  beforeAll(async () => {
    for (const name of ['long-a', 'long-b']) {
      await send(configMaps, {}, 'POST', { metadata: { name }, data: { k: 'x'.repeat(100_000) } })
    }
  })

  test('is gzip-compressed on request', async () => {
    const plain = await read(configMaps, {})
    expect(plain.encoding).toBeUndefined()
    for (const query of ['', '?limit=5']) {
      const { encoding, body } = await read(`${configMaps}${query}`, gzip)
      expect(encoding).toBe('gzip')
      expect(gunzipSync(body).toString()).toBe(plain.body.toString())
    }
  })

  test('is compressed by the length of its representation', async () => {
    expect((await read(configMaps, { ...gzip, ...as('PartialObjectMetadataList') })).encoding).toBeUndefined()
    expect((await read(`${configMaps}?includeObject=Object`, { ...gzip, ...as('Table') })).encoding).toBe('gzip')
    expect((await read(configMaps, { ...gzip, accept: 'application/yaml' })).encoding).toBe('gzip')
    expect((await read(`${configMaps}/long-a`, gzip)).encoding).toBeUndefined()
  })

  test('of a watch is never compressed', async () => {
    const { encoding, body } = await read(
      `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
      gzip,
    )
    expect(encoding).not.toBe('gzip')
    expect(body.toString()).toContain('"long-b"')
  })
})
