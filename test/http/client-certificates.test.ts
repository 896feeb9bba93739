/** Client certificates with --client-ca-file: authentication, refusals, and attempts to forge one. */
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callerOf, releases } from '../clients/releases.ts'
import { startServer, type TestServer } from '../server.ts'
import { type Authority, makeAuthority, type Pair, type Subject } from './certificate-authority.ts'
import { openSocket } from './socket.ts'

let server: TestServer
let authority: Authority
let stranger: Authority
let root: Pair
const uid = '1.3.6.1.4.1.57683.2'
const directory = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))

beforeAll(async () => {
  authority = await makeAuthority('clients')
  stranger = await makeAuthority('others')
  writeFileSync(join(directory, 'clients.crt'), authority.certificate)
  root = await authority.issue([
    ['O', 'system:masters'],
    ['CN', 'root'],
  ])
  server = await startServer({ args: ['--client-ca-file', join(directory, 'clients.crt')] })
}, 30_000)
afterAll(() => server?.stop())

const trusted = (): string => readFileSync(join(server.dataDirectory, 'tls/ca.crt'), 'utf8')
const tlsOptions = (pair: Pair | undefined) => (pair === undefined ? {} : { cert: pair.certificate, key: pair.key })

interface Answer {
  readonly status: number
  readonly body: { readonly message?: string; readonly status?: { readonly userInfo?: object } }
}

/** Sends a SelfSubjectReview. */
async function whoAmI(pair: Pair | undefined, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const sent = request({
    host: '127.0.0.1',
    port: server.port,
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    method: 'POST',
    ca: trusted(),
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
    ...tlsOptions(pair),
  }).end('{}')
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode, body: JSON.parse(text) as Answer['body'] }
}

const bearer = () => ({ authorization: `Bearer ${server.token}` })
const credentialId = ({ certificate }: Pair): string =>
  `X509SHA256=${createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex')}`

describe('a client certificate', () => {
  test('gives user, UID and groups, and takes precedence over a token', async () => {
    const alice = await authority.issue([
      ['O', 'devs'],
      ['O', 'ops'],
      ['CN', 'alice'],
      [uid, 'uid-7'],
    ])
    const { status, body } = await whoAmI(alice, bearer())
    expect(status).toBe(201)
    expect(body.status?.userInfo).toEqual({
      username: 'alice',
      uid: 'uid-7',
      groups: ['devs', 'ops', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [credentialId(alice)] },
    })
  })

  test.each([
    ['a,O=system:masters', 'O=system:masters,CN=root'],
    ['a+O=system:masters', 'x + O=system:masters'],
    ['a\nO=system:masters', 'x\nCN=root'],
    ['"a" #;<>=\\', ' spaces '],
    ['ä€😀', '#41'],
  ])('names %j and %j are taken literally', async (name, group) => {
    const pair = await authority.issue([
      ['O', group],
      ['CN', name],
    ])
    const { body } = await whoAmI(pair)
    expect(body.status?.userInfo).toMatchObject({ username: name, groups: [group, 'system:authenticated'] })
  })

  test('without key usages authenticates, with serverAuth only it is 401', async () => {
    expect((await whoAmI(await authority.issue([['CN', 'any']], { usage: 'none' }))).status).toBe(201)
    expect((await whoAmI(await authority.issue([['CN', 'a']], { usage: 'serverAuth' }))).status).toBe(401)
  })

  test('that is invalid is 401 without a token; with a token the token decides', async () => {
    const masters: Subject = [
      ['O', 'system:masters'],
      ['CN', 'root'],
    ]
    for (const pair of [
      await stranger.issue(masters),
      await authority.issue(masters, { from: -48, to: -24 }),
      await authority.issue(masters, { from: 24, to: 48 }),
      await authority.issue([
        ['CN', 'u'],
        [uid, 'a'],
        [uid, 'b'],
      ]),
    ]) {
      expect(await whoAmI(pair)).toMatchObject({ status: 401, body: { message: 'Unauthorized' } })
      expect((await whoAmI(pair, bearer())).body.status?.userInfo).toMatchObject({ username: 'admin' })
    }
  })

  test('without a common name is anonymous', async () => {
    const { body } = await whoAmI(await authority.issue([['O', 'system:masters']]))
    expect(body.message).toContain('User "system:anonymous" cannot create')
  })
})

/** Opens a raw TLS connection. */
async function connection(pair: Pair | undefined): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: trusted(), ...tlsOptions(pair) })
  await once(socket, 'secureConnect')
  return socket
}

/** Reads until the other side closes the connection. */
async function allOf(socket: TLSSocket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

describe('a client certificate cannot be forged', () => {
  const forgedIdentity = JSON.stringify({
    tlsClientAuth: { certPresented: '1', certVerified: 'SUCCESS', certSubjectDNRFC2253: 'CN=root,O=system:masters' },
  })
  const secret = (): string => readFileSync(join(server.dataDirectory, 'run/identity-header'), 'utf8')

  test('by headers with similar names', async () => {
    for (const name of ['cf', 'cf-blob', 'edgeplane', 'x-cf-blob']) {
      expect((await whoAmI(undefined, { [name]: forgedIdentity })).status).toBe(403)
    }
  })

  test('by the secret header itself', async () => {
    const socket = await connection(undefined)
    socket.end(`GET /api HTTP/1.1\r\nHost: a\r\n${secret().toUpperCase()}: ${forgedIdentity}\r\n\r\n`)
    expect(await allOf(socket)).toMatch(/^HTTP\/1\.1 400 /)
  })

  test.each([
    'POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /api HTTP/1.1\r\nHost: a\n\nGET /api HTTP/1.1\r\nHost: a\r\n\r\n',
  ])('by request smuggling: %j', async (raw) => {
    const socket = await connection(undefined)
    socket.end(raw)
    expect(await allOf(socket)).toMatch(/^HTTP\/1\.1 400 [^\r]*\r\n(?:[^\r]+\r\n)*\r\n$/)
  })

  test('each pipelined request of a connection has its user, also after bodies', async () => {
    const get = 'GET /api/v1/namespaces/default HTTP/1.1\r\nHost: a\r\n'
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"piped"}}'
    const path = '/api/v1/namespaces/default/configmaps?dryRun=All'
    const post = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`
    const chunked = `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const all = [
      `${get}\r\n`,
      `${post}Content-Length: ${body.length}\r\n\r\n${body}`,
      `${post}${chunked}`,
      `${get}Connection: close\r\n\r\n`,
    ]
    const codes = async (pair: Pair | undefined): Promise<string[]> => {
      const socket = await connection(pair)
      socket.write(all.join(''))
      return [...(await allOf(socket)).matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, code = '']) => code)
    }
    expect(await codes(root)).toEqual(['200', '201', '201', '200'])
    expect(await codes(undefined)).toEqual(['403', '403', '403', '403'])
  })
})

describe('through the TLS proxy', () => {
  test('a watch event arrives at once, and a slow reader gets a long list completely', async () => {
    const data = { a: 'x'.repeat(900_000) }
    const path = '/api/v1/namespaces/default/configmaps'
    for (let i = 0; i < 8; i++) await server.send(path, { method: 'POST', body: { metadata: { name: `large-${i}` }, data } })
    const watch = await server.open(`${path}?watch=1&fieldSelector=metadata.name%3Dlarge-0`)
    const first = once(watch, 'data')
    expect(String((await first)[0])).toContain('ADDED')
    watch.destroy()
    const list = await server.open(path)
    let length = 0
    for await (const chunk of list) {
      length += (chunk as Buffer).length
      await new Promise(setImmediate)
    }
    expect(length).toBeGreaterThan(8 * 900_000)
  })

  test('a WebSocket watch works', async () => {
    const path = '/api/v1/namespaces?watch=1&timeoutSeconds=1&resourceVersion=0'
    const { status, frames } = await openSocket(server, path, { authorization: `Bearer ${server.token}` })
    expect(status).toBe(101)
    const all: string[] = []
    for await (const frame of frames()) all.push(frame.opcode)
    expect(all).toContain('text')
    expect(all.at(-1)).toBe('close')
    expect((await openSocket(server, '/version', { authorization: `Bearer ${server.token}` })).status).not.toBe(101)
  })

  test('workerd has no TCP port and no TLS key, and the secret header is readable by the owner only', () => {
    const config = readFileSync(join(server.dataDirectory, 'run/workerd.bin'), 'utf8')
    const key = /PRIVATE KEY-----\s+(\S+)/.exec(readFileSync(join(server.dataDirectory, 'tls/server.pem'), 'utf8'))?.[1]
    expect(key).toBeDefined()
    expect(config).not.toContain(key)
    expect(config).toContain(`unix:${join(server.dataDirectory, 'run/workerd.sock')}\0`)
    expect(statSync(join(server.dataDirectory, 'run/identity-header')).mode & 0o777).toBe(0o600)
  })
})

const [newest] = releases()
test.skipIf(newest === undefined)('kubectl with a client certificate (skipped without kubectl on the PATH)', async () => {
  const kubeconfig = join(directory, 'kubeconfig')
  const bob = await authority.issue([
    ['O', 'devs'],
    ['CN', 'bob'],
  ])
  const encoded = (text: string): string => Buffer.from(text).toString('base64')
  const user = (name: string, pair: Pair) => ({
    name,
    user: { 'client-certificate-data': encoded(pair.certificate), 'client-key-data': encoded(pair.key) },
  })
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority-data': encoded(trusted()) } }],
    users: [user('root', root), user('bob', bob)],
    contexts: ['root', 'bob'].map((name) => ({ name, context: { cluster: 'c', user: name } })),
    'current-context': 'root',
  }
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 })
  const call = callerOf(newest?.[1] ?? '', () => ({ ...server, kubeconfig }))
  expect((await call(['get', 'namespace', 'default', '-o', 'name'])).stdout).toBe('namespace/default\n')
  expect((await call(['auth', 'can-i', 'create', 'secrets', '--context', 'bob'])).stdout).toBe('no\n')
  expect((await call(['get', 'secrets', '--context', 'bob'])).stderr).toContain('User "bob" cannot list resource "secrets"')
})
