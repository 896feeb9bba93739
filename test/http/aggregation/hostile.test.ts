/** Conditions of APIServices whose Services lead nowhere, and extension servers that misbehave. */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server.ts'
import { type Authority, makeAuthority } from '../certificate-authority.ts'
import { type ExtensionServer, group, root, startExtensionServer } from './extension-server.ts'
import { apiService, available, collection, create, isTrue, localService, serviceName } from './registration.ts'

let server: TestServer
let authority: Authority
let other: ExtensionServer

beforeAll(async () => {
  server = await startServer()
  authority = await makeAuthority('extension')
  other = await startExtensionServer(authority, readFileSync(join(server.dataDirectory, 'tls/front-proxy-ca.crt'), 'utf8'))
  await create(server, '/api/v1/namespaces', { metadata: { name: 'metrics' } })
}, 60_000)

afterAll(async () => {
  await other.stop()
  await server.stop()
})

const services = '/api/v1/namespaces/metrics/services'
const slices = '/apis/discovery.k8s.io/v1/namespaces/metrics/endpointslices'
const merge = { 'content-type': 'application/merge-patch+json' }

describe('the condition Available is False', () => {
  const because = (reason: string) => available(server, (condition) => condition.reason === reason)

  test('ServiceNotFound, and then for each further reason, as soon as an object changes', async () => {
    await create(server, collection, apiService(443, authority.certificate))
    expect((await because('ServiceNotFound')).message).toBe('service/api in "metrics" is not present')
    expect(await server.send(`${root}/nodes`)).toMatchObject({ status: 503, text: 'service unavailable\n' })
    await create(server, services, { metadata: { name: 'api' }, spec: { ports: [{ port: 80, name: 'web' }] } })
    expect((await because('ServicePortError')).message).toBe('service/api in "metrics" is not listening on port 443')
    const ports = { spec: { ports: [{ port: 443, name: 'api' }] } }
    await server.send(`${services}/api`, { method: 'PATCH', body: ports, headers: merge })
    expect((await because('EndpointsNotFound')).message).toBe('cannot find endpointslices for service/api in "metrics"')
    const labels = { 'kubernetes.io/service-name': 'api' }
    const slice = { metadata: { name: 'api-1', labels }, addressType: 'IPv4', ports: [{ name: 'web', port: 1 }], endpoints: [] }
    await create(server, slices, slice)
    expect((await because('MissingEndpoints')).message).toBe(
      'endpointslices for service/api in "metrics" have no addresses with port name "api"',
    )
    await server.send(`${slices}/api-1`, { method: 'DELETE' })
    await server.send(`${services}/api`, { method: 'DELETE' })
    await because('ServiceNotFound')
  })

  test('for a server whose certificate another authority has issued; True without verification', async () => {
    const stranger = await makeAuthority('stranger')
    await create(server, services, localService(other.port))
    const spec = { spec: { service: { port: other.port }, caBundle: Buffer.from(stranger.certificate).toString('base64') } }
    await server.send(`${collection}/${serviceName}`, { method: 'PATCH', body: spec, headers: merge })
    // Before the change of the port, nothing listened there.
    const untrusted = await available(server, ({ message }) => !message.includes('dial tcp') && message.includes('Get'))
    expect(untrusted.message).toMatch(/x509: certificate signed by unknown authority/)
    const insecure = { spec: { caBundle: null, insecureSkipTLSVerify: true } }
    await server.send(`${collection}/${serviceName}`, { method: 'PATCH', body: insecure, headers: merge })
    await available(server, isTrue)
  })
})

describe('a server that', () => {
  test('does not answer: 504 at the request’s own deadline, and its connection is closed', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    other.answers.set('hang', (_request, response) => void once(response, 'close').then(() => resolve()))
    const reply = await server.send(`${root}/hang?timeout=1s`)
    expect(reply.status).toBe(504)
    await gone
  })

  test('sends endless documents about itself: they are given up, and discovery and OpenAPI go on', async () => {
    const paths = ['/apis', '/openapi/v3', '/openapi/v2'] as const
    const chunk = Buffer.alloc(64 * 1024, ' ')
    const given = paths.map((path) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      other.answers.set(path, (_request, response) => {
        response.on('close', resolve)
        response.writeHead(200, { 'content-type': 'application/json' })
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
        }
        response.on('drain', more)
        more()
      })
      return promise
    })
    // A changed Service is a reason to ask the server again.
    await server.send(`${services}/api`, { method: 'PATCH', body: { metadata: { labels: { asked: 'again' } } }, headers: merge })
    const { paths: described } = (await server.send('/openapi/v2')).json<{ paths: object }>()
    expect(Object.keys(described)).toContain('/api/v1/pods')
    await Promise.all(given)
    const { groups } = (await server.send('/apis')).json<{ groups: { name: string }[] }>()
    expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(['apps', group]))
    expect((await server.send('/openapi/v3')).text).toContain('"api/v1"')
    for (const path of paths) other.answers.delete(path)
  })

  test('sends objects of another group: they are passed on, as its own business, and nothing here changes', async () => {
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lie' } })
    other.answers.set('lie', (_request, response) => void response.end(text))
    expect((await server.send(`${root}/lie`)).text).toBe(text)
    expect((await server.send('/api/v1/namespaces/lie')).status).toBe(404)
  })

  test('sends trailers: the body is intact, and the connection serves the next request', async () => {
    other.answers.set('trailers', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', trailer: 'Grpc-Status' })
      response.addTrailers({ 'Grpc-Status': '0' })
      response.end('body')
    })
    expect((await server.send(`${root}/trailers`)).text).toBe('body')
    expect((await server.send(`${root}/nodes`)).status).toBe(200)
  })

  test('sends an endless response: it is passed on as it comes, and ends when the client has enough', async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const chunk = Buffer.alloc(64 * 1024, 'x')
    other.answers.set('endless', (_request, response) => {
      response.on('close', resolve)
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    })
    const client = await server.open(`${root}/endless`)
    let bytes = 0
    for await (const part of client) {
      bytes += (part as Buffer).length
      if (bytes > 32 * 1024 * 1024) break
    }
    await gone
    expect(bytes).toBeGreaterThan(32 * 1024 * 1024)
  })

  test.each([
    ['headers that never end', (socket: Duplex) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`)],
    ['something that is not HTTP', (socket: Duplex) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ])('sends %s: 503, and the next request is answered', async (_what, send) => {
    other.answers.set('broken', (received) => void send(received.socket))
    const reply = await server.send(`${root}/broken`)
    expect(reply).toMatchObject({ status: 503 })
    expect(reply.text).toMatch(/^error trying to reach service: net\/http: /)
    expect((await server.send(`${root}/nodes`)).status).toBe(200)
  })
})

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Both ends of a WebSocket through the server, with the headers of both handshakes. */
interface Joined {
  readonly client: Duplex
  readonly answer: Readonly<Record<string, unknown>>
  readonly remote: Duplex
  readonly asked: Readonly<Record<string, unknown>>
}

async function joinedWebSocket(): Promise<Joined> {
  const { promise: received, resolve } = Promise.withResolvers<Pick<Joined, 'remote' | 'asked'>>()
  other.upgraded((upgrade, remote) => {
    const accept = createHash('sha1').update(`${upgrade.headers['sec-websocket-key']}${magic}`).digest('base64')
    const lines = [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
    ]
    remote.write(`${[...lines, 'Sec-WebSocket-Protocol: v5.channel.k8s.io'].join('\r\n')}\r\n\r\n`)
    resolve({ remote: remote.on('error', () => undefined), asked: upgrade.headers })
  })
  const headers = {
    authorization: `Bearer ${server.token}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': 'v5.channel.k8s.io',
  }
  const ca = readFileSync(join(server.dataDirectory, 'tls/ca.crt'))
  const sent = request({ host: '127.0.0.1', port: server.port, ca, path: `${root}/nodes/a/exec`, headers }).end()
  const [{ headers: answer }, client] = (await once(sent, 'upgrade')) as [{ headers: Joined['answer'] }, Duplex]
  return { client, answer, ...(await received) }
}

test('a WebSocket is passed on, with its subprotocol, in both directions', async () => {
  const { client, answer, remote, asked } = await joinedWebSocket()
  expect(answer['sec-websocket-protocol']).toBe('v5.channel.k8s.io')
  expect(asked['x-remote-user']).toBe('admin')
  // To the client: a text of five bytes, unmasked.
  remote.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]))
  const [first] = (await once(client, 'data')) as [Buffer]
  expect(first.subarray(2).toString()).toBe('hello')
  // To the server: masked with zeros, and masked again on the way.
  client.write(Buffer.from([0x82, 0x83, 0, 0, 0, 0, 7, 8, 9]))
  const [frame] = (await once(remote, 'data')) as [Buffer]
  const [mask, data] = [frame.subarray(2, 6), frame.subarray(6)]
  expect(frame.subarray(0, 2)).toEqual(Buffer.from([0x82, 0x83]))
  expect([...data].map((byte, at) => byte ^ (mask[at] ?? 0))).toEqual([7, 8, 9])
  client.destroy()
  await once(remote, 'close')
})

test('a message of a WebSocket that never ends is given up', async () => {
  const { client, remote } = await joinedWebSocket()
  // The connection is reset, because not all that was sent has been read.
  const closed = new Promise((resolve) => remote.once('close', resolve))
  const mebibyte = 1024 * 1024
  const fragment = (opcode: number): Buffer => {
    const head = Buffer.from([opcode, 127, 0, 0, 0, 0, 0, 0, 0, 0])
    head.writeUIntBE(mebibyte, 4, 6)
    return Buffer.concat([head, Buffer.alloc(mebibyte)])
  }
  for (let part = 0; part < 34; part++) remote.write(fragment(part === 0 ? 2 : 0))
  const [closing] = (await once(client, 'data')) as [Buffer]
  // A frame of the kind `close` with the code 1002, a protocol error.
  expect([...closing.subarray(0, 4)]).toEqual([0x88, 2, 0x03, 0xea])
  client.destroy()
  await closed
})

test('the discovery of everything else is intact', async () => {
  const { groups } = (await server.send('/apis')).json<{ groups: { name: string }[] }>()
  expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(['apps', 'batch', group]))
})
