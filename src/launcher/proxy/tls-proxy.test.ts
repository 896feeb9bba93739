/** The TLS proxy over real sockets: a client's bytes on one side, the requests that reach workerd's socket on the other. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../lab/free-port.ts'
import { makeAuthority } from '../../../test/http/certificate-authority.ts'
import { partOf } from '../../net/proxied-spdy.ts'
import { connectionLimits } from './connection-limiter.ts'
import { type ServingKeys, TlsProxy } from './tls-proxy.ts'

/** A request as workerd gets it. */
interface Received {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
}

const limits = connectionLimits(1000)
const identity = '{"clientIp":"127.0.0.1"}'
const authority = await makeAuthority('clients')
const own = await authority.issue([['CN', 'server']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
const keys: ServingKeys = { ...own, clientAuthorities: authority.certificate }

let directory: string
let workerd: Server
let proxy: TlsProxy
let port: number
let received: Received[]
/** Replaces the answer `200` with an empty body. */
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
  received = []
  answer = (request, response) => request.resume().once('end', () => response.end())
  workerd = createServer({ maxHeaderSize: 1024 * 1024, keepAliveTimeout: 0 }, (request, response) => {
    let body = ''
    request.on('data', (bytes) => (body += String(bytes)))
    const { method, url, httpVersion, rawHeaders: headers } = request
    request.once('end', () => received.push({ line: `${method} ${url} HTTP/${httpVersion}`, headers, body }))
    response.sendDate = false
    answer(request, response)
  }).listen(join(directory, 'workerd.sock'))
  workerd.maxHeadersCount = 0
  await once(workerd, 'listening')
  port = await freePort()
  proxy = await TlsProxy.listen(
    { host: '127.0.0.1', port },
    { socket: join(directory, 'workerd.sock'), header: 'x-identity' },
    keys,
    limits,
  )
})
afterEach(() => {
  proxy.close()
  workerd.closeAllConnections()
  workerd.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
})

async function connection(): Promise<TLSSocket> {
  const client = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }).on('error', () => undefined)
  await once(client, 'secureConnect')
  return client
}

/** All bytes that come until the connection is closed. */
async function untilClosed(client: TLSSocket): Promise<string> {
  let text = ''
  client.on('data', (bytes) => (text += String(bytes)))
  // A reset is an end too, by which `once` would fail.
  if (!client.destroyed) await new Promise((done) => client.once('close', done))
  return text
}

/** Bytes until they contain a text. */
async function until(client: TLSSocket, end: string): Promise<string> {
  let text = ''
  while (!text.includes(end)) text += String((await once(client, 'data'))[0])
  return text
}

/** Sends requests of which the last one closes the connection, and gives all responses. */
async function exchange(raw: string): Promise<string> {
  const client = await connection()
  client.write(raw, 'latin1')
  return await untilClosed(client)
}

const last = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const statuses = (text: string): string[] => [...text.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, code = '']) => code)

describe('a request', () => {
  test('with a long body may come before the end of a long response has been sent', async () => {
    const long = `${'x'.repeat(4_000_000)}\n`
    answer = (request, response) => request.resume().once('end', () => response.end(request.url === '/long' ? long : ''))
    const client = (await connection()).pause()
    client.write('GET /long HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(() => received.length).toBe(1)
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${long.length}\r\nConnection: close\r\n\r\n${long}`)
    expect(statuses(await untilClosed(client.resume()))).toEqual(['200', '200'])
    expect(received[1]?.body).toBe(long)
  })

  test('keeps its headers, their order, duplicates and bytes; only those of the connection are left out', async () => {
    await exchange(
      'GET /api?x=%20 HTTP/1.1\r\nhOST: a\r\nB: 1\r\nA: \xe4\r\nB: 2\r\nConnection: close, keep-alive\r\nKeep-Alive: 5\r\nTE: trailers\r\n\r\n',
    )
    const [{ line, headers } = { line: '', headers: [] }] = received
    expect(line).toBe('GET /api?x=%20 HTTP/1.1')
    expect(headers.slice(0, -2)).toEqual(['x-identity', identity, 'hOST', 'a', 'B', '1', 'A', '\xe4', 'B', '2'])
    expect(headers.slice(-2)).toEqual(['Connection', 'keep-alive'])
  })

  test.each([
    ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nGET /', 'GET /'],
    ['POST / HTTP/1.1\r\nHost: a\r\n\r\n', ''],
    ['DELETE / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}', '{}'],
    [
      'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=b\r\nGET /\r\n2\r\n\r\n\r\n0\r\nX-Identity: me\r\n\r\n',
      'GET /\r\n',
    ],
  ])('%j arrives with its body, and the next one behind it', async (raw, body) => {
    expect(statuses(await exchange(raw + last))).toEqual(['200', '200'])
    expect(received.map((one) => one.body)).toEqual([body, ''])
    expect(received[1]?.line).toBe('GET /last HTTP/1.1')
    for (const { headers } of received) expect(headers.filter((name) => /^x-identity$/i.test(name))).toEqual(['x-identity'])
  })

  test.each([
    ['POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}', '{}'],
    ['POST /exec HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/4\r\n\r\n', ''],
  ])('%j for another protocol is an ordinary one, and the last of its connection', async (raw, body) => {
    expect(statuses(await exchange(raw + last))).toEqual(['200'])
    expect(received.map((one) => one.body)).toEqual([body])
    expect(received[0]?.headers).not.toContain('Upgrade')
  })

  test('with a body is passed on while it comes, and so is its response, also a head alone', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/plain' }).flushHeaders()
      request.on('data', (bytes) => response.write(bytes)).on('end', () => response.end('all'))
    }
    const client = await connection()
    client.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n')
    await until(client, 'one')
    client.write('3\r\ntwo\r\n')
    await until(client, 'two')
    client.write('0\r\n\r\n')
    await until(client, 'all')
    answer = (_request, response) => response.writeHead(200, { 'X-Head': 'alone' }).flushHeaders()
    client.write('GET /watch HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(client, 'X-Head: alone\r\n')
    client.destroy()
  })

  test('with Expect: 100-continue waits for the server to say so', async () => {
    const client = await connection()
    client.write('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n')
    expect(await until(client, '\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    client.write('{}')
    expect(statuses(await untilClosed(client))).toEqual(['200'])
    expect(received[0]?.body).toBe('{}')
  })

  test('is the same however its bytes are cut', async () => {
    const raw = `PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\n0\r\n\r\n${last}`
    for (const length of [1, 2, 7]) {
      const client = await connection()
      client.setNoDelay(true)
      for (let at = 0; at < raw.length; at += length) client.write(raw.slice(at, at + length))
      expect(statuses(await untilClosed(client))).toEqual(['200', '200'])
    }
    expect(received.map(({ body }) => body)).toEqual(['GET /', '', 'GET /', '', 'GET /', ''])
  })
})

describe('a response', () => {
  test.each([
    ['HEAD', 200, { 'Content-Length': '5' }],
    ['GET', 204, {}],
    ['GET', 304, { ETag: '"1"' }],
  ])('to %s with status %d has no body, and the connection stays usable', async (method, status, headers) => {
    answer = (request, response) => {
      if (request.url === '/last') response.end('last')
      else response.writeHead(status, headers).end()
    }
    const text = await exchange(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n${last}`)
    expect(statuses(text)).toEqual([String(status), '200'])
    expect(text.split('\r\n\r\n', 2)[1]).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('keeps its headers as they are, and gets none', async () => {
    answer = (_request, response) =>
      response.writeHead(409, 'Conflict', ['B', '1', 'a', '2', 'B', '3', 'Content-Length', '0']).end()
    const client = await connection()
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(await until(client, '\r\n\r\n')).toBe('HTTP/1.1 409 Conflict\r\nB: 1\r\na: 2\r\nB: 3\r\nContent-Length: 0\r\n\r\n')
    client.destroy()
  })

  test('to HTTP/1.0 ends with the connection', async () => {
    answer = (_request, response) => {
      response.write('one ')
      response.end('two')
    }
    expect(await exchange('GET / HTTP/1.0\r\nHost: a\r\n\r\n')).toMatch(/\r\n\r\none two$/)
  })

  test('that breaks off ends the connection', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '10' })
      response.write('half', () => response.destroy())
    }
    expect(await exchange('GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/half$/)
  })

  test('that its client does not read is not read from the server either', async () => {
    let sent = 0
    const piece = Buffer.alloc(1024 * 1024, 'x')
    const total = 64
    const isStalled = new Promise<void>((done) => {
      answer = (_request, response) => {
        const more = (): void => {
          while (sent < total) {
            sent++
            if (!response.write(piece)) {
              response.once('drain', more)
              return
            }
          }
          response.end('all')
        }
        more()
        const look = (before: number): void => void setTimeout(() => (sent === before ? done() : look(sent)), 100)
        look(-1)
      }
    })
    const client = await connection()
    client.pause()
    client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await isStalled
    expect(sent).toBeLessThan(total)
    expect(await untilClosed(client.resume())).toContain('all')
    expect(sent).toBe(total)
  })
})

describe('a request that two parsers may read differently is refused, and reaches nobody', () => {
  test.each([
    'GET / HTTP/1.1\nHost: a\n\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nA: b\nX-Identity: me\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nA: b\rX-Identity: me\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nA: b\0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n folded\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    'GET / HTTP/2.0\r\nHost: a\r\n\r\n',
    'GET / HTTP/0.9\r\nHost: a\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET /\r\n\r\n',
    ' GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\na',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\na',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n',
  ])('%j', async (raw) => {
    expect(statuses(await exchange(`${raw}${last}`))).toEqual(['400'])
    expect(received).toEqual([])
  })

  test.each([
    '-1\r\n',
    'x\r\n',
    '0x1\r\na\r\n0\r\n\r\n',
    '1\r\naXX0\r\n\r\n',
    '1\na\r\n0\r\n\r\n',
    '1;\0\r\na\r\n0\r\n\r\n',
    'ffffffffffffffffff\r\na\r\n0\r\n\r\n',
    '0\r\nno trailer\r\n\r\n',
    `1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`,
  ])('chunks such as %j', async (chunks) => {
    const text = await exchange(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${last}`)
    expect(statuses(text)).not.toContain('200')
    expect(received).toEqual([])
  })

  test('a head that is too long is answered 431', async () => {
    const client = await connection()
    client.write(`GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(270_000)}`)
    expect(statuses(await untilClosed(client))).toEqual(['431'])
    expect(received).toEqual([])
  })

  test('a long head of many headers arrives whole', async () => {
    const names = Array.from({ length: 5000 }, (_, i) => `H${i}`)
    await exchange(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${names.map((name) => `${name}: 1\r\n`).join('')}\r\n`)
    expect(received[0]?.headers).toEqual(expect.arrayContaining(['H0', 'H1999', 'H4999']))
  })
})

describe('the header with the client identity comes from the proxy alone', () => {
  test.each(['x-identity: me', 'X-Identity: me', 'X-IDENTITY:', 'X-Identity:\tme', 'A: 1\r\nx-identity: 1\r\nX-Identity: 2'])(
    'a request with %j is refused',
    async (lines) => {
      expect(statuses(await exchange(`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n${last}`))).toEqual(['400'])
      expect(received).toEqual([])
    },
  )

  test('a client cannot have it removed', async () => {
    await exchange('GET / HTTP/1.1\r\nHost: a\r\nConnection: close, x-identity\r\n\r\n')
    expect(received[0]?.headers.slice(0, 2)).toEqual(['x-identity', identity])
  })

  test('whatever a connection sends, each request that arrives has it once, as the proxy has written it', async () => {
    const part = fc.constantFrom(
      ...[
        'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
        'GET / HTTP/1.1\r\n',
        'POST / HTTP/1.1\r\nHost: a\r\n',
        '\r\n',
        '\n',
        '\r',
        ' ',
        '0',
        '\0',
      ],
      ...[
        'X-Identity: me\r\n',
        'x-identity : me\r\n',
        'A: b\r\n',
        ' x-identity: me\r\n',
        'Connection: Upgrade\r\nUpgrade: websocket\r\n',
      ],
      ...[
        'Content-Length: 4\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Transfer-Encoding: x\r\n',
        '5\r\nGET /\r\n',
        '0\r\n\r\n',
        '0\r\n',
      ],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 12 }), async (parts) => {
        const client = await connection()
        for (const bytes of [...parts, last]) client.write(bytes, 'latin1')
        // The last bytes may be half a body.
        client.setTimeout(100, () => client.destroy())
        await untilClosed(client)
      }),
      { numRuns: 80 },
    )
    expect(received.length).toBeGreaterThan(0)
    for (const { headers } of received) {
      const found = headers.flatMap((name, i) => (i % 2 === 0 && name.toLowerCase() === 'x-identity' ? [headers[i + 1]] : []))
      expect(found).toEqual([identity])
    }
  }, 30_000)
})

describe('connections', () => {
  test('of different clients reach the server separately, requests of one in their order', async () => {
    const sockets = new Set<unknown>()
    workerd.on('connection', (socket) => sockets.add(socket))
    const [one, other] = [await connection(), await connection()]
    for (const client of [one, other, one, other]) {
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await until(client, '\r\n\r\n')
    }
    expect(sockets.size).toBe(2)
    one.write(Array.from({ length: 20 }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`).join('') + last)
    expect(statuses(await untilClosed(one))).toHaveLength(21)
    expect(received.slice(4).map(({ line }) => line.split(' ')[1])).toEqual([...Array(20).keys(), 'last'].map((i) => `/${i}`))
    expect(sockets.size).toBe(2)
  })

  test('end at the server when the client goes, also with requests that still wait', async () => {
    let open = 0
    answer = (_request, response) => {
      open++
      response.flushHeaders()
    }
    const client = await connection()
    client.write('GET /watch HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3))
    await until(client, '\r\n\r\n')
    const connections = (): Promise<number> => new Promise((done) => workerd.getConnections((_error, count) => done(count)))
    expect(await connections()).toBe(1)
    client.destroy()
    await expect.poll(connections).toBe(0)
    expect(open).toBe(1)
  })

  test('with hundreds of requests that wait for their responses are closed', async () => {
    answer = () => undefined
    expect(statuses(await exchange('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500)))).toEqual([])
  })

  test('that were accepted by former authorities end; a new certificate of the server ends none', async () => {
    const client = await connection()
    const closed = once(client, 'close')
    proxy.use({ ...keys })
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(client, '\r\n\r\n')
    proxy.use({ ...keys, clientAuthorities: (await makeAuthority('others')).certificate })
    await closed
    expect(statuses(await exchange(last))).toEqual(['200'])
  })

  test('to a port that is taken: the error names it', async () => {
    const other = TlsProxy.listen({ host: '127.0.0.1', port }, { socket: '/nowhere', header: 'x-identity' }, keys, limits)
    await expect(other).rejects.toThrow(`The server cannot listen on 127.0.0.1, port ${port}: the port is taken`)
  })
})

describe('a WebSocket', () => {
  const handshake = 'GET /watch HTTP/1.1\r\nHost: a\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: k\r\n\r\n'

  test('carries bytes both ways as they are, also those sent before it is accepted', async () => {
    workerd.on('upgrade', (request, socket) => {
      received.push({ line: request.url ?? '', headers: request.rawHeaders, body: '' })
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX: 1\r\n\r\n')
      socket.pipe(socket)
    })
    const client = await connection()
    client.write(`${handshake}GET not HTTP`)
    const text = await until(client, 'GET not HTTP')
    expect(text).toBe('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX: 1\r\n\r\nGET not HTTP')
    client.write('\0\xff more')
    expect(await until(client, 'more')).toContain('\0')
    const { headers } = received[0] ?? { headers: [] }
    expect(headers.slice(0, 2)).toEqual(['x-identity', identity])
    expect(headers).toEqual(expect.arrayContaining(['Sec-WebSocket-Key', 'k', 'Upgrade', 'WebSocket']))
    client.end()
    await untilClosed(client)
  })

  test('that the server refuses gets its response', async () => {
    answer = (_request, response) => response.writeHead(403, { 'X-Reason': 'no' }).end('forbidden')
    const client = await connection()
    client.write(handshake)
    const text = await untilClosed(client)
    expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\nX-Reason: no\r\nConnection: close\r\n\r\n/)
    expect(text).toContain('forbidden')
  })

  test('with the identity header of the client is refused', async () => {
    const client = await connection()
    client.write(handshake.replace('\r\n\r\n', '\r\nX-Identity: me\r\n\r\n'))
    expect(statuses(await untilClosed(client))).toEqual(['400'])
    expect(received).toEqual([])
  })
})

describe('SPDY', () => {
  const asked = 'POST /exec HTTP/1.1\r\nHost: a\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n'

  test('reaches the server as the bodies of a request and its response, which only the proxy can say', async () => {
    let head: IncomingMessage | undefined
    answer = (request, response) => {
      head = request
      response.writeHead(200, { 'edgeplane-upgrade': 'SPDY/3.1', 'x-stream-protocol-version': 'v4' })
      response.flushHeaders()
      request.on('error', () => undefined).on('data', (bytes: Buffer) => response.write(partOf(Buffer.from(`got ${bytes}`))))
    }
    const client = await connection()
    client.write(`${asked}early`)
    const text = await until(client, 'got early')
    expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/)
    expect(text).toContain('x-stream-protocol-version: v4\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\ngot early')
    expect(text).not.toContain('edgeplane-upgrade')
    expect(head?.method).toBe('POST')
    expect(JSON.parse(String(head?.headers['x-identity']))).toEqual({ clientIp: '127.0.0.1', spdy: true })
    const { headers: { 'content-length': length, 'transfer-encoding': coding } = {} } = head ?? {}
    expect([length, coding]).toEqual([undefined, 'chunked'])
    const gone = once(head?.socket ?? client, 'close')
    client.write('late')
    expect(await until(client, 'late')).toBe('got late')
    client.destroy()
    await gone
  })

  test('a client that reads slowly, and still sends, gets all that came before the end', async () => {
    const length = 3_000_000
    let body = 0
    answer = (request, response) => {
      response.writeHead(200, { 'edgeplane-upgrade': 'SPDY/3.1' })
      response.write(partOf(Buffer.alloc(length, 'x')))
      response.write(partOf())
      request.on('data', (part: Buffer) => (body += part.length)).once('end', () => response.end())
    }
    const client = await connection()
    client.write(asked)
    await once(client, 'readable')
    for (let sent = 0; sent < 3; sent++) await new Promise((done) => client.write(Buffer.alloc(1024 * 1024, 'ping'), done))
    const text = await untilClosed(client)
    expect(text.length - text.indexOf('\r\n\r\n') - 4).toBe(length)
    expect(body).toBe(3 * 1024 * 1024)
  })

  test('a response that breaks off ends the connection', async () => {
    answer = (request, response) => {
      response.writeHead(200, { 'edgeplane-upgrade': 'SPDY/3.1' })
      response.write(partOf(Buffer.from('half')), () => request.socket.destroy())
    }
    const client = await connection()
    const ended = once(client, 'close')
    client.write(asked)
    await until(client, 'half')
    await ended
  })

  test('that the server refuses gets its response; so does a request that only looks like one', async () => {
    answer = (request, response) => {
      const { spdy = false } = JSON.parse(String(request.headers['x-identity']))
      response.writeHead(spdy ? 403 : 200).end(`spdy: ${spdy}`)
    }
    const refused = await exchange(asked)
    expect(statuses(refused)).toEqual(['403'])
    expect(refused).toMatch(/spdy: true$/)
    const withBody = 'POST / HTTP/1.1\r\nHost: a\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\nContent-Length: 2\r\n\r\n{}'
    expect(await exchange(withBody)).not.toContain('spdy: true')
  })
})
