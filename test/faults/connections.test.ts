/** Clients that send too much, too slowly, or nothing, and clients that drop their watches. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
}, 60_000)
afterAll(() => server?.stop())

async function connection(): Promise<TLSSocket> {
  const socket = connect({ port: server.port, host: '127.0.0.1', ca: readFileSync(join(server.dataDirectory, 'tls/ca.crt')) })
  await once(socket, 'secureConnect')
  return socket
}

const head = (...headers: string[]): string =>
  [
    `POST ${configMaps} HTTP/1.1`,
    'host: a',
    `authorization: Bearer ${server.token}`,
    'content-type: application/json',
    'connection: close',
    ...headers,
    '',
    '',
  ].join('\r\n')

/** Returns the response to a client that does not read before it has sent everything. */
async function answerAfter(parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = await connection()
  socket.setMaxListeners(0).pause()
  for (const part of parts) if (!socket.write(part)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  let text = ''
  socket.resume()
  for await (const chunk of socket) text += String(chunk)
  return text
}

const mebibyte = Buffer.alloc(1024 * 1024, ' ')
const tooLarge = '"message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413}'

test.each([4, 20])(
  'a body of %d MiB is 413 after it was sent completely',
  async (size) => {
    const body = Array.from({ length: size }, () => mebibyte)
    const declared = await answerAfter([head(`content-length: ${size * mebibyte.length}`), ...body])
    expect(declared).toMatch(/^HTTP\/1\.1 413 /)
    expect(declared).toContain(tooLarge)
    const length = `${mebibyte.length.toString(16)}\r\n`
    const chunked = await answerAfter([
      head('transfer-encoding: chunked'),
      ...body.flatMap((chunk) => [length, chunk, '\r\n']),
      '0\r\n\r\n',
    ])
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /)
    expect(chunked).toContain(tooLarge)
  },
  60_000,
)

test('every response has a Date, also refusals', async () => {
  for (const [path, token] of [
    ['/version', undefined],
    ['/api/v1/namespaces/default', undefined],
    ['/api/v1/namespaces/default', 'nobody'],
    ['/nothing', undefined],
  ] as const) {
    const { headers } = await server.send(path, token === undefined ? {} : { token })
    expect(new Date(String(headers.date)).toUTCString()).toBe(headers.date)
  }
})

const workerd = (): string => readFileSync(join(server.dataDirectory, 'run/workerd.pid'), 'utf8').trim()
const descriptors = (): number => readdirSync(`/proc/${workerd()}/fd`).length

test('the file descriptors of dropped watches are released', async () => {
  await server.send(configMaps)
  const before = descriptors()
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const socket = await connection()
        socket.write(`GET ${configMaps}?watch=1 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${server.token}\r\n\r\n`)
        await once(socket, 'data')
        socket.destroy()
      }),
    )
  }
  // The first ones are below the crowd limit, and are detected by the usual heartbeat.
  const crowd = 64
  await expect.poll(descriptors, { timeout: 20_000, interval: 100 }).toBeLessThan(before + 2 * (crowd + 10))
}, 60_000)

test('silent connections and endless request heads do not block others', async () => {
  const sockets = await Promise.all(Array.from({ length: 50 }, connection))
  for (const socket of sockets.slice(25)) socket.write('GET / HTTP/1.1\r\nhost: a\r\n')
  expect((await server.send('/api/v1/namespaces/default')).status).toBe(200)
  // Both an end and a reset are correct.
  const ended = (socket: TLSSocket): unknown => socket.resume().destroyed || once(socket, 'close').catch(() => undefined)
  await Promise.all(sockets.map(ended))
  expect((await server.send('/readyz')).status).toBe(200)
}, 60_000)
