/** Responses of many megabytes: the server's memory, and the requests that wait. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

const objects = 36
/** Lists of 36 MB each: far more than the sockets between buffer; in memory they would take several times as much. */
const lists = 8
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
  const text = 'a line of text, and "more" of it: # not a comment\n'.repeat(20_000)
  for (let i = 0; i < objects; i++) {
    const body = { metadata: { name: `big-${i}`, labels: { big: 'yes' } }, data: { text } }
    expect((await server.send(configMaps, { method: 'POST', body })).status).toBe(201)
  }
  await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'small' } } })
}, 120_000)

afterAll(async () => {
  await server.stop()
})

/** Returns the resident memory of the server's own process, in MiB. */
function residentMiB(): number {
  const pid = readFileSync(join(server.dataDirectory, 'run/workerd.pid'), 'utf8').trim()
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

async function lengthOf(answer: IncomingMessage): Promise<number> {
  let length = 0
  for await (const chunk of answer) length += (chunk as Buffer).byteLength
  return length
}

/** The maximum memory of the server with hostile readers, in MiB. */
const mostMiB = 512

test.each([
  ['JSON', '', 'application/json', false],
  ['indented JSON', '?pretty=true', 'application/json', false],
  ['YAML', '', 'application/yaml', true],
  ['Table with objects', '?includeObject=Object', table, false],
  ['protobuf', '', 'application/vnd.kubernetes.protobuf', true],
  ['JSON with a limit', '?limit=1000', 'application/json', false],
  ['JSON with a limit and a selector', '?limit=1000&labelSelector=big', 'application/json', false],
])(
  'an unread list is not built in memory: %s',
  async (_form, query, accept, isBounded) => {
    const open = (): Promise<IncomingMessage[]> =>
      Promise.all(Array.from({ length: lists }, () => server.open(`${configMaps}${query}`, { headers: { accept } })))
    let answers = await open()
    // The lists of the test before may still hold their memory: the server learns of a closed connection a moment later.
    while (!isBounded && answers.some(({ statusCode }) => statusCode === 429)) {
      for (const answer of answers) answer.destroy()
      answers = await open()
    }
    try {
      const openAnswers = answers.filter(({ statusCode }) => statusCode === 200)
      const refused = answers.filter(({ statusCode }) => statusCode === 429)
      expect(openAnswers.length + refused.length).toBe(lists)
      expect(refused.length > 0).toBe(isBounded)
      expect((await server.send(`${configMaps}/small`)).status).toBe(200)
      expect(residentMiB()).toBeLessThan(mostMiB)
      expect(await lengthOf(openAnswers[0] as IncomingMessage)).toBeGreaterThan(objects * 1_000_000)
    } finally {
      for (const answer of answers) answer.destroy()
    }
  },
  120_000,
)

/** Watches that nobody reads: each begins with an object of a megabyte, far more than sockets hold. */
const unreadWatches = 600

test('watches whose large events are not read hold little memory', async () => {
  const before = residentMiB()
  const path = `${configMaps}?watch=1&fieldSelector=metadata.name%3Dbig-0`
  const opened = await Promise.all(Array.from({ length: unreadWatches }, () => server.open(path)))
  try {
    expect(opened.map(({ statusCode }) => statusCode).filter((status) => status !== 200)).toEqual([])
    expect((await server.send(`${configMaps}/small`)).status).toBe(200)
    expect(residentMiB()).toBeLessThan(Math.max(mostMiB, before + 128))
    const [first] = opened as [IncomingMessage, ...IncomingMessage[]]
    const { value } = await first[Symbol.asyncIterator]().next()
    expect(String(value)).toMatch(/^\{"type":"ADDED"/)
  } finally {
    for (const watch of opened) watch.destroy()
  }
}, 120_000)

test('lists beyond the concurrency limit wait for the others and are answered', async () => {
  const requests = Array.from({ length: 20 }, () => server.open(configMaps))
  const first = await Promise.race(requests)
  expect(first.statusCode).toBe(200)
  const lengths = await Promise.all(requests.map(async (answer) => lengthOf(await answer)))
  expect(new Set(lengths).size).toBe(1)
}, 120_000)

test('unread lists let other lists wait and finally be 429', async () => {
  const openAnswers: IncomingMessage[] = []
  const refused = Promise.withResolvers<IncomingMessage>()
  let isOver = false
  const requests = Array.from({ length: 90 }, async () => {
    const answer = await server.open(configMaps)
    if (isOver) answer.destroy()
    else if (answer.statusCode === 200) openAnswers.push(answer)
    else refused.resolve(answer)
  })
  const answer = await refused.promise
  expect([answer.statusCode, answer.headers['retry-after'], answer.headers['content-type']]).toEqual([
    429,
    '1',
    'text/plain; charset=utf-8',
  ])
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  expect(text).toBe('Too many requests, please try again later.\n')
  // Small responses do not need a slot.
  expect((await server.send(`${configMaps}/small`)).status).toBe(200)
  isOver = true
  for (const each of openAnswers) each.destroy()
  await Promise.all(requests)
}, 120_000)

test('a large deletecollection is answered completely', async () => {
  const answer = await server.open(`${configMaps}?labelSelector=big`, { method: 'DELETE' })
  expect(answer.statusCode).toBe(200)
  expect(await lengthOf(answer)).toBeGreaterThan(objects * 1_000_000)
  const left = (await server.send(`${configMaps}?labelSelector=big`)).json<{ items: unknown[] }>()
  expect(left.items).toEqual([])
}, 120_000)
