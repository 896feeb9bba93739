/** Lists and watches in detail. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'
import { openSocket } from './socket.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

async function create(name: string): Promise<number> {
  const reply = await server.send(configMaps, { method: 'POST', body: { metadata: { name } } })
  expect(reply.status).toBe(201)
  return Number(reply.json<{ metadata: { resourceVersion: string } }>().metadata.resourceVersion)
}

const eventsOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; object: { metadata: { name?: string } } })
    .map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim())

test('a list with the largest limit is complete', async () => {
  await create('unlimited')
  for (const limit of ['9223372036854775807', '9007199254740993']) {
    const { status, text } = await server.send(`${configMaps}?limit=${limit}`)
    expect([status, text.includes('"name":"unlimited"')]).toEqual([200, true])
  }
})

describe('future resourceVersions', () => {
  test('gets and lists wait for the write [V6]', async () => {
    const next = (await create('waited-1')) + 1
    const paths = [`${configMaps}/waited-1`, configMaps, `${configMaps}?limit=5`]
    const waiting = paths.map((path) => server.send(`${path}${path.includes('?') ? '&' : '?'}resourceVersion=${next}`))
    await create('waited-2')
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('are 504 Timeout with Retry-After if no write comes [V6]', async () => {
    const reply = await server.send(`${configMaps}?resourceVersion=9999999999999`)
    expect(reply.status).toBe(504)
    expect(reply.headers['retry-after']).toBe('1')
    expect(reply.json()).toMatchObject({
      reason: 'Timeout',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    })
  })

  test('a watch sends no event until the version has passed [V7]', async () => {
    const at = await create('passed-1')
    const watching = server.open(`${configMaps}?watch=1&timeoutSeconds=2&resourceVersion=${at + 1}`)
    await watching
    await create('passed-2')
    await create('passed-3')
    let text = ''
    for await (const chunk of await watching) text += String(chunk)
    expect(eventsOf(text)).toEqual(['ADDED passed-3'])
  })
})

describe('watches', () => {
  test('with resourceVersion=1 send all events since then at once', async () => {
    const name = 'from-one'
    await create(name)
    const reply = await server.send(
      `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=1&fieldSelector=metadata.name%3D${name}`,
    )
    expect(eventsOf(reply.text)).toEqual([`ADDED ${name}`])
  })

  test('at /api/v1/watch/… of one object refuse a fieldSelector for another name', async () => {
    await create('old-path')
    const path = '/api/v1/watch/namespaces/default/configmaps/old-path?timeoutSeconds=1'
    expect(eventsOf((await server.send(path)).text)).toEqual(['ADDED old-path'])
    const refused = await server.send(`${path}&fieldSelector=metadata.name%3Dother`)
    expect(refused.json()).toMatchObject({ code: 400, message: "fieldSelector metadata.name doesn't match requested name" })
  })

  test('with a negative or too large timeoutSeconds end at once', async () => {
    for (const seconds of ['-1', '9223372037']) {
      const reply = await server.send(`${configMaps}?watch=1&resourceVersion=1&timeoutSeconds=${seconds}`)
      expect(reply.status).toBe(200)
    }
  })

  test('with Accept-Encoding: gzip get each event at once', async () => {
    const at = await create('at-once')
    const response = await server.open(`${configMaps}?watch=1&timeoutSeconds=30&resourceVersion=${at}`, {
      headers: { 'accept-encoding': 'gzip' },
    })
    await create('at-once-2')
    for await (const chunk of response) {
      expect(eventsOf(String(chunk))).toEqual(['ADDED at-once-2'])
      break
    }
  })
})

describe('WebSocket watches', () => {
  const path = `${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dsocket`
  const bearer = (): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(server.token).toString('base64url')}`

  test('send one event per text frame, and close with 1000', async () => {
    await create('socket')
    const { status, frames } = await openSocket(server, path, { authorization: `Bearer ${server.token}` })
    expect(status).toBe(101)
    const seen: string[] = []
    for await (const { opcode, text, code } of frames()) seen.push(opcode === 'text' ? `${eventsOf(text)}` : `${opcode} ${code}`)
    expect(seen).toEqual(['ADDED socket', 'close 1000'])
  })

  test.each([
    ['the token as a subprotocol', () => `${bearer()}, base64.binary.k8s.io`, 101, 'base64.binary.k8s.io'],
    ['the token as the only subprotocol', bearer, 401, undefined],
    ['no token', () => 'base64.binary.k8s.io', 403, undefined],
    ['several subprotocols: 400', () => `${bearer()}, a, b`, 400, undefined],
  ])('%s', async (_, protocols, status, protocol) => {
    const answer = await openSocket(server, path, { 'sec-websocket-protocol': protocols() })
    expect([answer.status, answer.protocol]).toEqual([status, protocol])
    for await (const _frame of answer.frames());
  })

  test.each(['', 'null', 'example.test', 'https://%zz'])('are rejected with 403 if the Origin is %j', async (origin) => {
    const headers = { authorization: `Bearer ${server.token}`, 'sec-websocket-protocol': 'a, b', origin }
    expect((await openSocket(server, path, headers)).status).toBe(403)
  })

  test('report an error of the list before that of the handshake', async () => {
    const headers = { authorization: `Bearer ${server.token}`, origin: '' }
    expect((await openSocket(server, `${configMaps}?watch=1&resourceVersion=x`, headers)).status).toBe(500)
  })
})
