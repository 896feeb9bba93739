/** Watches whose events come over sockets, as on Cloudflare, are the same for clients as those of streams. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'
import { openSocket } from './socket.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ args: ['--watches', 'sockets'] })
}, 30_000)
afterAll(() => server.stop())

const lamps = '/apis/example.com/v1/lamps'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

async function create(path: string, object: object): Promise<number> {
  const reply = await server.send(path, { method: 'POST', body: object })
  expect(reply.status, reply.text).toBe(201)
  return Number(reply.json<{ metadata: { resourceVersion: string } }>().metadata.resourceVersion)
}

const named = (name: string, labels?: Record<string, string>): object => ({ metadata: { name, labels } })

interface WatchEvent {
  readonly type: string
  readonly object: { readonly kind: string; readonly metadata: { readonly name?: string; readonly resourceVersion: string } }
}

const eventsOf = (text: string): WatchEvent[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as WatchEvent)

test('send the state, its bookmark, events and a last bookmark, then end at the timeout', async () => {
  const before = await create(configMaps, named('before', { on: 'sockets' }))
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=3'
  const watching = server.open(`${configMaps}?${query}&labelSelector=on%3Dsockets`)
  const response = await watching
  await create(configMaps, named('hidden'))
  const after = await create(configMaps, named('after', { on: 'sockets' }))
  let text = ''
  for await (const chunk of response) text += String(chunk)
  const events = eventsOf(text)
  expect(events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim())).toEqual([
    'ADDED before',
    'BOOKMARK',
    'ADDED after',
    'BOOKMARK',
  ])
  expect(events[0]?.object.metadata.resourceVersion).toBe(String(before))
  expect(Number(events.at(-1)?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(after)
})

test('410 Expired and a malformed resourceVersion are answered as by streams', async () => {
  const future = await server.send(
    `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=9999999999999`,
  )
  expect(eventsOf(future.text)[0]).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 504 } })
  expect((await server.send(`${configMaps}?watch=1&resourceVersion=none`)).status).toBe(500)
})

test('over a WebSocket send one event per message', async () => {
  await create(configMaps, named('framed'))
  const path = `${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dframed`
  const { frames } = await openSocket(server, path, { authorization: `Bearer ${server.token}` })
  const seen: string[] = []
  for await (const { opcode, text, code } of frames())
    seen.push(opcode === 'text' ? `${eventsOf(text)[0]?.type}` : `${opcode} ${code}`)
  expect(seen).toEqual(['ADDED', 'close 1000'])
})

test('of custom resources end when their definition changes [W24]', async () => {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }
  await create(definitions, {
    metadata: { name: 'lamps.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
      versions: [version],
    },
  })
  const at = await create(lamps, { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'first' } })
  const response = await server.open(`${lamps}?watch=1&resourceVersion=${at}&allowWatchBookmarks=true`)
  const ended = once(response, 'end')
  let text = ''
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  await create(lamps, { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'second' } })
  const patch = {
    spec: { versions: [{ ...version, additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }] }] },
  }
  await server.send(`${definitions}/lamps.example.com`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: patch,
  })
  await create(lamps, { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'third' } })
  await ended
  expect(eventsOf(text).map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['ADDED second'])
})
