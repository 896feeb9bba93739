/** SPDY from clients, which the TLS proxy takes, and kubelets that ask this server for a certificate and have one of their own. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer, request, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { hostname as machineName, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server.ts'
import { makeAuthority } from '../certificate-authority.ts'
import { make, makeNode, makePod, pods } from './workload.ts'

let server: TestServer
let kubelet: Server
let folder: string
/** Answers requests for SPDY. */
let upgraded: (request: IncomingMessage, socket: Duplex) => void
/** The subjects of the certificates that the kubelet has seen. */
let seen: string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'edgeplane-kubelets-'))
  const [kubelets, servers] = await Promise.all([makeAuthority('kubelets'), makeAuthority('servers')])
  const own = await kubelets.issue([['CN', 'kubelet']], { usage: 'serverAuth', addresses: ['127.0.0.1'] })
  const other = await servers.issue([['CN', 'server']], { usage: 'clientAuth' })
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const demands = { requestCert: true, rejectUnauthorized: true, ca: servers.certificate }
  kubelet = createServer({ cert: own.certificate, key: own.key, ...demands }, (received, response) => {
    seen.push((received.socket as TLSSocket).getPeerCertificate().subject.CN?.toString() ?? '')
    response.end('a line\n')
  }).listen(0, '0.0.0.0')
  kubelet.on('upgrade', (received, socket) => upgraded(received, socket))
  await once(kubelet, 'listening')
  const { port } = kubelet.address() as AddressInfo
  server = await startServer({
    args: [
      '--spdy',
      ...['--kubelet-client-certificate', file('server.crt', other.certificate)],
      ...['--kubelet-client-key', file('server.key', other.key)],
      ...['--kubelet-certificate-authority', file('kubelets.crt', kubelets.certificate)],
      ...['--kubelet-preferred-address-types', 'InternalIP,Hostname'],
    ],
  })
  await makeNode(server, { name: 'near', address: '127.0.0.1', port })
  // The kubelet's certificate is not valid for this address.
  await makeNode(server, { name: 'unknown', address: '127.0.0.2', port })
  await makeNode(server, { name: 'named', address: machineName(), port, type: 'Hostname' })
  await makeNode(server, { name: 'local', address: 'localhost', port, type: 'Hostname' })
  await makeNode(server, { name: 'abroad', address: '192.0.2.1', port, type: 'ExternalIP' })
  await makePod(server, { name: 'web', nodeName: 'near', ip: '192.0.2.1', port: 80 })
  await makePod(server, { name: 'odd', nodeName: 'unknown', ip: '192.0.2.1', port: 80 })
}, 60_000)

beforeEach(() => {
  seen = []
  upgraded = (_request, socket) => socket.destroy()
})

afterAll(async () => {
  kubelet.closeAllConnections()
  kubelet.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A client that has asked for SPDY: the response, and the connection if the server has switched the protocol. */
interface Asked {
  readonly response: IncomingMessage
  readonly socket: Duplex | undefined
}

async function ask(path: string, more: Readonly<Record<string, string>> = {}): Promise<Asked> {
  const headers = {
    authorization: `Bearer ${server.token}`,
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'content-length': '0',
    'x-stream-protocol-version': 'v4.channel.k8s.io, channel.k8s.io',
    ...more,
  }
  const ca = readFileSync(join(server.dataDirectory, 'tls/ca.crt'))
  const sent = request({ host: '127.0.0.1', port: server.port, ca, path, method: 'POST', headers }).end()
  const [response, socket] = await Promise.race([once(sent, 'upgrade'), once(sent, 'response')])
  return { response, socket }
}

async function mustAsk(path: string): Promise<Duplex & { readonly protocol: unknown }> {
  const { response, socket } = await ask(path)
  if (socket === undefined) throw new Error(`refused with ${response.statusCode}`)
  return Object.assign(socket, { protocol: response.headers['x-stream-protocol-version'] })
}

/** Returns status and message of a response that is a Status. */
async function refused(path: string, more?: Readonly<Record<string, string>>): Promise<unknown> {
  const { response } = await ask(path, more)
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return [response.statusCode, text.startsWith('{') ? JSON.parse(text).message : text]
}

const agreed =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n'
const exec = `${pods}/web/exec?command=cat&stdin=true&stdout=true`

/** Resolves to false after some milliseconds. */
const pause = (milliseconds: number): Promise<boolean> => new Promise((resolve) => setTimeout(() => resolve(false), milliseconds))

describe('SPDY', () => {
  test('is agreed by the kubelet; the bytes of both sides pass unchanged, however many they are', async () => {
    const received: unknown[] = []
    upgraded = ({ method, url, headers }, socket) => {
      received.push(method, url, headers.authorization, headers['x-stream-protocol-version'])
      socket.write(agreed)
      socket.pipe(socket)
    }
    const client = await mustAsk(exec)
    expect(client.protocol).toBe('v4.channel.k8s.io')
    const sent = Buffer.alloc(8 * 1024 * 1024, 'all bytes \x00\xff')
    client.write(sent)
    const parts: Buffer[] = []
    for (let length = 0; length < sent.length; length += parts.at(-1)?.length ?? 0)
      parts.push(((await once(client, 'data')) as [Buffer])[0])
    client.destroy()
    expect(Buffer.concat(parts).equals(sent)).toBe(true)
    const path = '/exec/default/web/main?command=cat&input=1&output=1'
    expect(received).toEqual(['POST', path, undefined, 'v4.channel.k8s.io, channel.k8s.io'])
  })

  test('ends on both sides when one of them ends', async () => {
    const reached: Duplex[] = []
    upgraded = (_request, socket) => {
      reached.push(socket.on('error', () => undefined))
      socket.write(agreed)
    }
    const [leaving, left] = [await mustAsk(exec), await mustAsk(exec)]
    const [first, second] = reached
    const gone = once(first ?? leaving, 'close')
    leaving.destroy()
    await gone
    left.resume()
    second?.destroy()
    await once(left, 'end')
  })

  test('all that the kubelet has sent before its end arrives', async () => {
    const length = 8 * 1024 * 1024
    upgraded = (_request, socket) => {
      socket.on('error', () => undefined).resume()
      socket.write(agreed)
      socket.end(Buffer.alloc(length))
    }
    const client = await mustAsk(exec)
    let received = 0
    for await (const part of client) received += (part as Buffer).length
    expect(received).toBe(length)
  })

  test('more than this server may hold waits for a kubelet that reads slowly', async () => {
    const { promise, resolve } = Promise.withResolvers<Duplex>()
    upgraded = (_request, socket) => {
      socket.pause()
      socket.write(agreed)
      resolve(socket)
    }
    const client = await mustAsk(exec)
    const part = Buffer.alloc(1024 * 1024)
    const most = 96
    // Writes until the other side has taken no more for a while, because the kubelet reads nothing.
    let written = 0
    for (let isTaken = true; isTaken && written < most; written++) {
      isTaken = client.write(part) || (await Promise.race([once(client, 'drain').then(() => true), pause(1000)]))
    }
    expect(written).toBeLessThan(most)
    const socket = await promise
    let taken = 0
    socket.on('data', (part: Buffer) => (taken += part.length)).resume()
    await expect.poll(() => taken, { timeout: 60_000 }).toBe(written * part.length)
    client.destroy()
  }, 90_000)

  test('is refused as every other request is: without a permission, a Pod, or a kubelet that agrees', async () => {
    upgraded = (_request, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 5\r\n\r\nnever')
    expect(await refused(exec)).toEqual([403, 'never'])
    expect(await refused(`${pods}/none/exec?command=sh`)).toEqual([404, 'pods "none" not found'])
    expect(await refused(exec, { authorization: 'Bearer nonsense' })).toEqual([401, 'Unauthorized'])
    const jane = await refused(exec, { 'impersonate-user': 'jane' })
    expect(jane).toEqual([403, expect.stringContaining('cannot create resource "pods/exec"')])
  })

  test('a kubelet cannot agree in the words of this server', async () => {
    upgraded = (_request, socket) =>
      void socket.end('HTTP/1.1 200 OK\r\nedgeplane-upgrade: SPDY/3.1\r\ncontent-length: 4\r\n\r\nevil')
    expect(await refused(exec)).toEqual([500, 'invalid upgrade response: status code 200'])
  })

  test('needs the permission to create, and no other', async () => {
    upgraded = (_request, socket) => void socket.write(agreed)
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    await make(server, `${rbac}/clusterroles`, {
      metadata: { name: 'executor' },
      rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] }],
    })
    await make(server, `${rbac}/clusterrolebindings`, {
      metadata: { name: 'executor' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'executor' },
      subjects: [{ kind: 'User', name: 'john', apiGroup: 'rbac.authorization.k8s.io' }],
    })
    const { response, socket } = await ask(exec, { 'impersonate-user': 'john' })
    socket?.destroy()
    expect(response.statusCode).toBe(101)
  })
})

describe('a kubelet', () => {
  test('gets the certificate of this server, and is believed if its own is valid', async () => {
    expect((await server.send(`${pods}/web/log`)).text).toBe('a line\n')
    expect(seen).toEqual(['server'])
    const { status, text } = await server.send(`${pods}/odd/log`)
    expect(status).toBe(500)
    expect(text).toContain('tls: failed to verify certificate: x509: certificate is valid for 127.0.0.1, not 127.0.0.2')
    expect((await server.send(`${pods}/odd/log?insecureSkipTLSVerifyBackend=true`)).text).toBe('a line\n')
  })

  test('has an address of the types that the operator names', async () => {
    const { status, text } = await server.send('/api/v1/nodes/abroad/proxy/x')
    expect(status).toBe(500)
    expect(text).toContain('no preferred addresses found; known addresses: [{ExternalIP 192.0.2.1}]')
  })

  test('that is known by a name is proxied to, unless the name leads to this machine itself', async () => {
    const messageAt = async (node: string): Promise<unknown> => {
      const { code, message } = (await server.send(`/api/v1/nodes/${node}/proxy/x`)).json()
      return [code, message]
    }
    expect(await messageAt('local')).toEqual([400, 'address not allowed'])
    // The name of a machine leads to a loopback address on some machines, and elsewhere to one that the certificate is not valid for.
    expect(await messageAt('named')).toEqual([
      503,
      expect.stringMatching(/^error trying to reach service: (?:dial tcp .*: connect: connection refused|tls: failed to verify)/),
    ])
  })
})
