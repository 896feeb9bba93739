/** Logs, commands, port forwarding and proxies: a kubelet on this machine serves them. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createPlainServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../lab/free-port.ts'
import { startServer, type TestServer } from '../../server.ts'
import { makeAuthority } from '../certificate-authority.ts'
import { mustOpen, openBinary } from './binary-socket.ts'
import { type SpdyServer, serveSpdy } from './spdy-server.ts'
import { make, makeNode, makePod, pods } from './workload.ts'

let server: TestServer
let kubelet: Server
let plain: ReturnType<typeof createPlainServer>
/** Answers plain requests to the kubelet, and to Pods. */
let answer: RequestListener
/** Answers requests for another protocol. */
let upgraded: (request: IncomingMessage, socket: Duplex, first: Buffer) => void
let closedPort: number

/** An address of this machine that is not a loopback address. */
const wide = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const portOf = (listening: Server | ReturnType<typeof createPlainServer>): number => (listening.address() as AddressInfo).port

beforeAll(async () => {
  const authority = await makeAuthority('kubelets')
  const { certificate: cert, key } = await authority.issue([['CN', 'kubelet']], { usage: 'serverAuth', names: ['another-name'] })
  kubelet = createServer({ cert, key }, (request, response) => answer(request, response)).listen(0, '0.0.0.0')
  kubelet.on('upgrade', (request, socket, first) => upgraded(request, socket, first))
  plain = createPlainServer((request, response) => answer(request, response)).listen(0, '0.0.0.0')
  await Promise.all([once(kubelet, 'listening'), once(plain, 'listening')])
  closedPort = await freePort()
  const route = `default/routed:443=https://127.0.0.1:${portOf(kubelet)}`
  server = await startServer({ args: ['--service-routes', route] })
  await makeNode(server, { name: 'near', address: '127.0.0.1', port: portOf(kubelet) })
  await makeNode(server, {
    name: 'new',
    address: '127.0.0.1',
    port: portOf(kubelet),
    status: { declaredFeatures: ['ExtendWebSocketsToKubelet'] },
  })
  await makeNode(server, { name: 'closed', address: '127.0.0.1', port: closedPort })
  await makePod(server, { name: 'web', nodeName: 'near', ip: wide ?? '192.0.2.1', port: portOf(plain) })
  await makePod(server, { name: 'modern', nodeName: 'new', ip: '192.0.2.1', port: 80 })
  await makePod(server, { name: 'gone', nodeName: 'closed', ip: '127.0.0.1', port: closedPort })
}, 60_000)

beforeEach(() => {
  answer = (_request, response) => void response.writeHead(404).end('nothing here')
  upgraded = (_request, socket) => socket.destroy()
})

afterAll(async () => {
  kubelet.closeAllConnections()
  kubelet.close()
  plain.closeAllConnections()
  plain.close()
  await server.stop()
})

const messageOf = async (path: string): Promise<unknown> => {
  const { code, message, reason } = (await server.send(path)).json()
  return [code, reason, message]
}

describe('pods/log', () => {
  test('is the text of the kubelet, with the parameters that it knows', async () => {
    const received: string[] = []
    answer = (request, response) => {
      received.push(request.url ?? '', request.headers.authorization ?? 'no credentials')
      response.end('one\ntwo\n')
    }
    const reply = await server.send(`${pods}/web/log?tailLines=2&timestamps=true&container=main&pretty=true`)
    expect(reply).toMatchObject({ status: 200, text: 'one\ntwo\n', headers: { 'content-type': 'text/plain' } })
    expect(reply.headers).toHaveProperty('audit-id')
    expect(received).toEqual(['/containerLogs/default/web/main?tailLines=2&timestamps=true', 'no credentials'])
  })

  test('follows: each line comes when it is written, and the kubelet notices that the client has gone', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    answer = (_request, response) => {
      response.on('close', resolve)
      response.write('first\n')
      const writing = setInterval(() => response.write('more\n'), 20)
      response.on('close', () => clearInterval(writing))
    }
    const client = await server.open(`${pods}/web/log?follow=true`)
    const [first] = (await once(client, 'data')) as [Buffer]
    expect(first.toString()).toMatch(/^first\n/)
    client.destroy()
    await gone
  })

  test('an error of the kubelet has its code', async () => {
    expect(await messageOf(`${pods}/web/log`)).toEqual([
      404,
      'NotFound',
      'the server could not find the requested resource ( pods/log web)',
    ])
    answer = (_request, response) => void response.writeHead(400).end('container is waiting')
    expect(await messageOf(`${pods}/web/log`)).toEqual([400, 'BadRequest', 'container is waiting'])
  })

  test('a redirect is refused', async () => {
    answer = (_request, response) => void response.writeHead(302, { location: 'https://example.com/' }).end()
    expect(await messageOf(`${pods}/web/log`)).toEqual([500, undefined, 'Get "https://example.com/": redirects forbidden'])
  })

  test('500 if the kubelet does not listen', async () => {
    const address = `127.0.0.1:${closedPort}`
    const url = `https://${address}/containerLogs/default/gone/main`
    expect(await messageOf(`${pods}/gone/log`)).toEqual([
      500,
      undefined,
      `Get "${url}": dial tcp ${address}: connect: connection refused`,
    ])
  })
})

const remoteCommand = 'v5.channel.k8s.io'

/** Lets the kubelet speak SPDY. @returns each connection with the path of its request */
function spdyKubelet(serve: (connection: SpdyServer, request: IncomingMessage) => void): void {
  upgraded = (request, socket, first) => {
    const protocol = String(request.headers['x-stream-protocol-version']).split(',')[0]
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: SPDY/3.1']
    socket.write(`${[...lines, `X-Stream-Protocol-Version: ${protocol}`].join('\r\n')}\r\n\r\n`)
    serve(serveSpdy(socket, first), request)
  }
}

const failure = {
  metadata: {},
  status: 'Failure',
  message: 'command terminated with exit code 3',
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: '3' }] },
}

describe('pods/exec over a WebSocket', () => {
  test('reaches the streams of the kubelet: input, both outputs, and the exit code', async () => {
    const received: string[] = []
    spdyKubelet((connection, request) => {
      received.push(request.method ?? '', request.url ?? '', request.headers.authorization ?? 'no credentials')
      connection.onData((stream, data, isFinal) => {
        if (stream !== 'stdin') return
        if (!isFinal) return connection.send('stdout', `got ${data.toString()}`)
        received.push(...connection.streams)
        connection.send('stderr', 'oops', true)
        connection.send('stdout', '', true)
        connection.send('error', JSON.stringify(failure), true)
      })
    })
    const path = `${pods}/web/exec?command=cat&command=-&stdin=true&stdout=true&stderr=true`
    const client = await mustOpen(server, path, remoteCommand)
    expect(client.protocol).toBe(remoteCommand)
    client.send(0, 'hello')
    expect(await client.next()).toEqual(Buffer.from('\x01got hello'))
    // The input ends.
    client.send(255, 0)
    expect(await client.next()).toEqual(Buffer.from('\x02oops'))
    const status = await client.next()
    expect(status?.[0]).toBe(3)
    expect(JSON.parse(String(status?.subarray(1)))).toMatchObject({ reason: 'NonZeroExitCode', details: failure.details })
    expect(await client.next()).toBeUndefined()
    expect(received).toEqual([
      'POST',
      '/exec/default/web/main?command=cat&command=-&error=1&input=1&output=1',
      'no credentials',
      ...['error', 'stdin', 'stdout', 'stderr'],
    ])
  })

  test('with a terminal: its size is passed on, and other messages are not', async () => {
    spdyKubelet((connection) =>
      connection.onData((stream, data) => {
        connection.send('stdout', `${stream} ${data.toString()}`, true)
        connection.send('error', '', true)
      }),
    )
    const client = await mustOpen(server, `${pods}/web/exec?command=sh&tty=true&stdout=true`, remoteCommand)
    client.send(4, '{"Width":"wide"}')
    client.send(9, 'nonsense')
    client.send(4, '{"Width":77,"Height":33,"Evil":true}')
    expect(String(await client.next())).toBe('\x01resize {"Width":77,"Height":33}\n')
    expect(String(await client.next())).toBe('\x03{"metadata":{},"status":"Success"}')
  })

  test('of a kubelet that refuses, or does not listen: the Status says why', async () => {
    upgraded = (_request, socket) => void socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 8\r\n\r\nno shell')
    const refused = await mustOpen(server, `${pods}/web/exec?command=sh&stdout=true`, remoteCommand)
    expect(String(await refused.next())).toContain('Internal error occurred: unable to upgrade connection: no shell')
    const gone = await mustOpen(server, `${pods}/gone/exec?command=sh&stdout=true`, remoteCommand)
    expect(String(await gone.next())).toMatch(/error sending request: Post \\"https:.*connect: connection refused/)
  })

  test('of a client that goes: its connection to the kubelet is closed', async () => {
    const { promise: reached, resolve } = Promise.withResolvers<Duplex>()
    upgraded = (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
      socket.on('data', () => resolve(socket)).on('error', () => undefined)
    }
    const client = await mustOpen(server, `${pods}/web/exec?command=sh&stdout=true`, remoteCommand)
    const gone = once(await reached, 'close')
    client.destroy()
    await gone
  })

  test('of a kubelet that sends something else than SPDY: it ends', async () => {
    upgraded = (_request, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
      socket.write(Buffer.of(0x80, 3, 0, 2, 0, 0xff, 0xff, 0xff, ...Buffer.alloc(100)))
    }
    const client = await mustOpen(server, `${pods}/web/exec?command=sh&stdout=true`, remoteCommand)
    expect(String(await client.next())).toContain('Internal error occurred')
    expect(await client.next()).toBeUndefined()
  })

  test.each([
    ['version 4', 'web', 'v4.channel.k8s.io'],
    ['version 5, by a kubelet that has declared it', 'modern', remoteCommand],
  ])('%s is passed on as it is', async (_what, pod, protocol) => {
    upgraded = (request, socket) => {
      const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
      const accept = createHash('sha1').update(key).digest('base64')
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
      const names = [`Sec-WebSocket-Accept: ${accept}`, `Sec-WebSocket-Protocol: ${request.headers['sec-websocket-protocol']}`]
      socket.write(`${[...lines, ...names].join('\r\n')}\r\n\r\n`)
      socket.write(Buffer.from([0x82, 3, 1, 0x68, 0x69]))
    }
    const client = await mustOpen(server, `${pods}/${pod}/exec?command=sh&stdout=true`, protocol)
    expect([client.protocol, String(await client.next())]).toEqual([protocol, '\x01hi'])
    client.destroy()
  })

  test('403 for a user who may get pods/exec, but not create it', async () => {
    const rules = [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] }]
    await make(server, '/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'readers' }, rules })
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'readers' }
    const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }]
    const binding = { metadata: { name: 'readers' }, roleRef, subjects }
    await make(server, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding)
    const reply = await openBinary(server, `${pods}/web/exec?command=sh`, remoteCommand, { 'impersonate-user': 'jane' })
    expect(reply).toMatchObject({ status: 403, text: expect.stringContaining('pods \\"web\\" is forbidden') })
  })

  test('400 without a WebSocket', async () => {
    expect(await messageOf(`${pods}/web/exec?command=sh`)).toEqual([400, 'BadRequest', 'Upgrade request required'])
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1' }
    const reply = await server.send(`${pods}/web/exec?command=sh`, { method: 'POST', headers })
    expect(reply.status).toBe(400)
  })
})

test('pods/portforward carries the bytes of SPDY over a WebSocket', async () => {
  const received: string[] = []
  upgraded = (request, socket, first) => {
    received.push(`${request.method} ${request.url}`, String(request.headers['x-stream-protocol-version']))
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: SPDY/3.1']
    socket.write(`${[...lines, 'X-Stream-Protocol-Version: portforward.k8s.io'].join('\r\n')}\r\n\r\n`)
    socket.write(first)
    socket.pipe(socket)
  }
  const protocol = 'SPDY/3.1+portforward.k8s.io'
  const client = await mustOpen(server, `${pods}/web/portforward`, protocol)
  expect(client.protocol).toBe(protocol)
  client.send(0x80, 'any bytes')
  expect(await client.next()).toEqual(Buffer.concat([Buffer.of(0x80), Buffer.from('any bytes')]))
  client.destroy()
  expect(received).toEqual(['POST /portForward/default/web', 'portforward.k8s.io'])
  const gone = await openBinary(server, `${pods}/gone/portforward`, protocol)
  expect(gone).toMatchObject({ status: 500, text: expect.stringContaining('error dialing backend: dial tcp') })
})

describe.runIf(wide !== undefined)('pods/proxy', () => {
  test('passes on method, path, query and body, and nothing that speaks for the client', async () => {
    const received: unknown[] = []
    answer = async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const names = Object.keys(request.headers).filter((name) => /authorization|impersonate|x-remote/.test(name))
      received.push(request.method, request.url, body, request.headers['x-forwarded-uri'], names)
      response.writeHead(201, { 'access-control-allow-origin': '*', 'x-own': 'yes', 'content-length': '4' }).end('done')
    }
    const headers = { 'impersonate-user': 'system:admin', 'impersonate-group': 'system:masters', 'x-remote-user': 'root' }
    const path = `${pods}/web/proxy/some%20path/x?a=%2F&b`
    const reply = await server.send(path, { method: 'PATCH', body: '[1]', headers })
    expect(reply).toMatchObject({ status: 201, text: 'done', headers: { 'x-own': 'yes', 'content-length': '4' } })
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
    expect(reply.headers).toHaveProperty('audit-id')
    expect(received).toEqual(['PATCH', '/some%20path/x?a=%2F&b', '[1]', `${pods}/web/proxy/some%20path/x`, []])
  })

  test('leads links of a page and redirects through this server', async () => {
    answer = (request, response) => {
      if (request.url === '/away') return void response.writeHead(302, { location: '/there/' }).end()
      response.setHeader('content-type', 'text/html')
      response.end('<a href="/other?a=1&amp;b=2">x</a><img src="near.png"><form action="https://elsewhere.example/"></form>')
    }
    expect((await server.send(`${pods}/web/proxy/page`)).text).toBe(
      `<a href="${pods}/web/proxy/other?a=1&amp;b=2">x</a><img src="near.png"><form action="https://elsewhere.example/"></form>`,
    )
    expect((await server.send(`${pods}/web/proxy/away`)).headers.location).toBe(`${pods}/web/proxy/there/`)
    expect((await server.send(`${pods}/web/proxy?x=1`)).headers.location).toBe(`${pods}/web/proxy/?x=1`)
  })

  test('speaks TLS if the name says so', async () => {
    answer = (_request, response) => void response.end('secret')
    expect((await server.send(`${pods}/https:web:${portOf(kubelet)}/proxy/`)).text).toBe('secret')
    expect(await messageOf(`${pods}/https:web:${portOf(plain)}/proxy/`)).toEqual([
      503,
      'ServiceUnavailable',
      'error trying to reach service: tls: first record does not look like a TLS handshake',
    ])
  })
})

test('proxies to loopback addresses are 400', async () => {
  const refused = [400, 'BadRequest', 'address not allowed']
  expect(await messageOf('/api/v1/nodes/near/proxy/metrics')).toEqual(refused)
  expect(await messageOf(`${pods}/gone/proxy/x`)).toEqual(refused)
})

test('services/proxy goes where a route leads, also on this machine', async () => {
  answer = (request, response) => void response.end(`routed ${request.url}`)
  await make(server, '/api/v1/namespaces/default/services', {
    metadata: { name: 'routed' },
    spec: { ports: [{ name: 'https', port: 443 }] },
  })
  const services = '/api/v1/namespaces/default/services'
  expect((await server.send(`${services}/routed:443/proxy/x`)).text).toBe('routed /x')
  expect((await server.send(`${services}/routed:https/proxy/y`)).text).toBe('routed /y')
})
