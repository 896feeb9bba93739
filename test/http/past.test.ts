/** Reading a cluster as it was at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enableClusters, type Listed, makeCluster, type TestCluster } from '../forks.ts'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
  await enableClusters(server)
})

afterAll(() => server?.stop())

describe.each(['one-object', 'collections'])('The past of a cluster with the placement %s', (placement) => {
  let cluster: TestCluster
  let past: string

  beforeAll(async () => {
    cluster = await makeCluster(server, `past-${placement}`, { placement })
    for (const name of ['a', 'b', 'c', 'd']) {
      await cluster.send(configMaps, { method: 'POST', body: { metadata: { name, labels: { name } }, data: { is: 'old' } } })
    }
    await cluster.send(`${configMaps}/d`, { method: 'DELETE' })
    await sleep(2)
    past = `/clusters/${cluster.name}@${new Date().toISOString()}`
    await sleep(2)
    await cluster.send(`${configMaps}/a`, { method: 'DELETE' })
    const change = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: { data: { is: 'new' } } }
    await cluster.send(`${configMaps}/b`, change)
    await cluster.send(configMaps, { method: 'POST', body: { metadata: { name: 'e' } } })
  })

  const read = (path: string, accept = 'application/json') =>
    server.send(past + path, { token: cluster.token, headers: { accept } })
  const described = ({ items }: Listed): string[] => items.map(({ metadata, data }) => `${metadata.name} ${data?.is ?? ''}`)

  test('has the objects of that time, and no others [H8]', async () => {
    const list = (await read(configMaps)).json<Listed>()
    expect(described(list).slice(0, 3)).toEqual(['a old', 'b old', 'c old'])
    expect(list.items).toHaveLength(4)
    expect((await read(`${configMaps}/a`)).json<Listed['items'][number]>().data).toEqual({ is: 'old' })
    expect((await read(`${configMaps}/b`)).json<Listed['items'][number]>().data).toEqual({ is: 'old' })
    for (const absent of ['d', 'e']) expect((await read(`${configMaps}/${absent}`)).status).toBe(404)
  })

  test('can be read in chunks, by labels and as a Table', async () => {
    const first = (await read(`${configMaps}?limit=2`)).json<Listed>()
    expect(described(first)).toEqual(['a old', 'b old'])
    const rest = (await read(`${configMaps}?limit=2&continue=${first.metadata.continue ?? ''}`)).json<Listed>()
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['c', 'kube-root-ca.crt'])
    expect(described((await read(`${configMaps}?labelSelector=name%3Da`)).json<Listed>())).toEqual(['a old'])
    const table = await read(configMaps, 'application/json;as=Table;v=v1;g=meta.k8s.io')
    expect(table.json<{ rows: { cells: string[] }[] }>().rows.map(({ cells }) => cells[0])).toContain('a')
  })

  test('cannot be changed or watched [H8]', async () => {
    const refusal = 'the past of a cluster can only be read, by get and list'
    const send = (method: string, path: string, body?: object) =>
      server.send(past + path, { method, token: cluster.token, ...(body !== undefined && { body }) })
    const refused = [
      await send('POST', configMaps, { metadata: { name: 'x' } }),
      await send('DELETE', `${configMaps}/b`),
      await send('DELETE', configMaps),
      await send('PUT', `${configMaps}/b`, { metadata: { name: 'b' } }),
      await send('GET', `${configMaps}?watch=1`),
      await send('POST', '/edgeplane/v1/backup', {}),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 405))
    expect(refused.map((reply) => reply.json<{ message: string }>().message)).toEqual(refused.map(() => refusal))
    expect((await cluster.send(`${configMaps}/b`)).status).toBe(200)
  })

  test('needs the present permissions [H9]', async () => {
    expect((await server.send(`${past}${configMaps}`, { token: false })).status).toBe(403)
    expect((await server.send(`${past}${configMaps}`)).status).toBe(401)
  })

  test('is served with discovery, OpenAPI and a time that is relative', async () => {
    expect((await read('/apis/apps/v1')).json<{ resources: object[] }>().resources.length).toBeGreaterThan(0)
    const { paths } = (await read('/openapi/v3')).json<{ paths: Record<string, { serverRelativeURL: string }> }>()
    const document = await server.send(paths['api/v1']?.serverRelativeURL ?? '', { token: cluster.token })
    expect(document.status).toBe(200)
    const before = await server.send(`/clusters/${cluster.name}@-24h${configMaps}`, { token: cluster.token })
    expect(before.json<Listed>().items).toEqual([])
  })

  test.each([
    ['yesterday', 400, 'the time in the path must be of the form 2006-01-02T15:04:05Z'],
    ['2100-01-01T00:00:00Z', 400, 'the time is in the future'],
  ])('at %s is %i [H7]', async (time, code, message) => {
    const reply = await server.send(`/clusters/${cluster.name}@${time}${configMaps}`, { token: cluster.token })
    expect(reply.status).toBe(code)
    expect(reply.text).toContain(message)
  })
})

test('the default cluster has a past below its name', async () => {
  await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'gone' } } })
  await sleep(2)
  const time = encodeURIComponent(new Date().toISOString())
  await sleep(2)
  await server.send(`${configMaps}/gone`, { method: 'DELETE' })
  expect((await server.send(`/clusters/default%40${time}${configMaps}/gone`)).status).toBe(200)
  expect((await server.send(`${configMaps}/gone`)).status).toBe(404)
})
