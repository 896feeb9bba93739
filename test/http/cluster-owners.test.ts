/** Clusters for others: users who sign in at an OpenID Connect issuer make clusters, within limits; browsers get a page. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readManifests } from '../../src/launcher/transfer/read.ts'
import type { Reply } from '../client.ts'
import { makeAuthority } from './certificate-authority.ts'
import { type ClusterServer, clustersPath, startClusterServer } from './cluster-server.ts'
import { type HttpsServer, startHttps } from './https-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'edgeplane-owners-'))
const limits = { clusters: 2, objects: 500, watches: 10, expiry: '24h' }
let server: ClusterServer
let issuer: HttpsServer
let signedFor: (name: string, groups: readonly string[]) => Promise<string>
const tokens: Record<string, string> = {}

beforeAll(async () => {
  const authority = await makeAuthority('sign-in')
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256', use: 'sig' }]
  issuer = await startHttps(authority, ({ path }) => {
    if (path === '/.well-known/openid-configuration') return { body: { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` } }
    return path === '/keys' ? { body: { keys } } : { status: 404, body: {} }
  })
  signedFor = (name, groups) =>
    new SignJWT({ groups })
      .setProtectedHeader({ alg: 'ES256', kid: 'a' })
      .setIssuer(issuer.url)
      .setAudience('edgeplane')
      .setSubject(name)
      .setExpirationTime('1h')
      .sign(privateKey)
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: issuer.url, audiences: ['edgeplane'], certificateAuthority: authority.certificate },
        claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } },
      },
    ],
  }
  const file = join(folder, 'authentication.json')
  writeFileSync(file, JSON.stringify(configuration))
  server = await startClusterServer([
    '--authentication-config',
    file,
    '--cluster-owner-limits',
    JSON.stringify(limits),
    '--public-page',
    'enabled',
  ])
  for (const { kind, apiVersion, ...rest } of readManifests(
    resolve(import.meta.dirname, '../../manifests/cluster-creators.yaml'),
  )) {
    const path = `/apis/${apiVersion}/${kind === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings'}`
    expect((await server.send(path, { method: 'POST', body: { kind, apiVersion, ...rest } })).status).toBe(201)
  }
  tokens.ann = await signedFor('ann@example.com', ['developers'])
  tokens.ben = await signedFor('ben', ['developers'])
  tokens.eve = await signedFor('eve', ['guests'])
}, 60_000)

afterAll(async () => {
  await server?.stop()
  await issuer?.close()
  rmSync(folder, { recursive: true, force: true })
})

const create = (user: string, name: string, spec = {}, metadata = {}): Promise<Reply> =>
  server.send(clustersPath, {
    method: 'POST',
    token: tokens[user] ?? '',
    body: { apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name, ...metadata }, spec },
  })
const secrets = new Map<string, string>()
/** Reads the Secret of a cluster, which may be deleted meanwhile. */
async function secretOf(user: string, name: string): Promise<Reply> {
  const found = await server.send(`${clustersPath}/${name}`)
  if (found.status === 200)
    secrets.set(name, found.json<{ status: { kubeconfigSecret: { name: string } } }>().status.kubeconfigSecret.name)
  return server.send(`/api/v1/namespaces/edgeplane-clusters/secrets/${secrets.get(name)}`, { token: tokens[user] ?? '' })
}
const change = (user: string, name: string, body: object): Promise<Reply> =>
  server.send(`${clustersPath}/${name}`, {
    method: 'PATCH',
    token: tokens[user] ?? '',
    body,
    headers: { 'content-type': 'application/merge-patch+json' },
  })

interface Owned {
  readonly metadata: { readonly annotations: Record<string, string>; readonly labels: Record<string, string> }
  readonly spec: { readonly limits: Record<string, number>; readonly expiry: string }
}

describe('A user who may create clusters', () => {
  test('owns the own ones, and nobody else reads their kubeconfig [C15]', async () => {
    const forged = { annotations: { 'edgeplane.dev/owner': 'admin' }, labels: { 'edgeplane.dev/owner': 'x' } }
    const made = await create('ann', 'of-ann', {}, forged)
    expect(made.status, made.text).toBe(201)
    const { metadata, spec } = made.json<Owned>()
    expect(metadata.annotations['edgeplane.dev/owner']).toBe('oidc:ann@example.com')
    expect(metadata.labels['edgeplane.dev/owner']).toMatch(/^[0-9a-f]{40}$/)
    expect(spec.limits).toEqual({ objects: 500, watches: 10 })
    expect(Date.parse(spec.expiry) - Date.now()).toBeGreaterThan(86_000_000)
    const secret = await secretOf('ann', 'of-ann')
    expect(secret.status, secret.text).toBe(200)
    const token = Buffer.from(secret.json<{ data: { token: string } }>().data.token, 'base64').toString()
    expect((await server.inside('of-ann', '/api/v1/namespaces', { token })).status).toBe(200)
    // The sign-in of the deployment is unknown in the cluster.
    expect((await server.inside('of-ann', '/api/v1/namespaces', { token: tokens.ann ?? '' })).status).toBe(401)

    expect((await secretOf('ben', 'of-ann')).status).toBe(403)
    expect((await server.send(`${clustersPath}/of-ann`, { token: tokens.ben ?? '' })).status).toBe(403)
    expect((await change('ben', 'of-ann', { spec: { limits: { objects: 1 } } })).status).toBe(403)
    expect((await server.send(`${clustersPath}/of-ann`, { method: 'DELETE', token: tokens.ben ?? '' })).status).toBe(403)
    expect((await server.send('/api/v1/namespaces/edgeplane-clusters/secrets', { token: tokens.ann ?? '' })).status).toBe(403)
  })

  test('cannot exceed the limits of owners, nor pass a cluster on [C15]', async () => {
    const refused = await create('ben', 'large', { limits: { objects: 501 } })
    expect([refused.status, refused.json<{ message: string }>().message]).toEqual([
      403,
      'clusters.edgeplane.dev "large" is forbidden: exceeded quota: owner, requested: spec.limits.objects=501, limited: objects=500',
    ])
    expect((await create('ben', 'long', { expiry: '25h' })).text).toContain('requested: spec.expiry=25h, limited: expiry=24h')
    const early = { creationTimestamp: '1970-01-01T00:00:00Z' }
    expect((await create('ben', 'long', { expiry: '490000h' }, early)).text).toContain('requested: spec.expiry=490000h')
    expect((await create('ben', 'one', { limits: { objects: 400 }, expiry: '1h' })).status).toBe(201)
    expect((await change('ben', 'one', { spec: { limits: { objects: 1000 } } })).status).toBe(403)
    // Without a limit of its own the cluster has that of owners again.
    expect((await change('ben', 'one', { spec: { limits: null } })).json<Owned>().spec.limits).toEqual({
      objects: 500,
      watches: 10,
    })
    const passed = await change('ben', 'one', { metadata: { annotations: { 'edgeplane.dev/owner': 'oidc:ann@example.com' } } })
    expect(passed.json<Owned>().metadata.annotations['edgeplane.dev/owner']).toBe('oidc:ben')
    const others = await Promise.all(['two', 'too', 'to'].map((name) => create('ben', name)))
    expect(others.map(({ status }) => status).toSorted()).toEqual([201, 403, 403])
    expect((await create('ben', 'three')).text).toContain('requested: clusters=1, used: clusters=2, limited: clusters=2')
    expect((await server.send(`${clustersPath}/one`, { method: 'DELETE', token: tokens.ben ?? '' })).status).toBe(200)
    expect((await create('ben', 'three')).status).toBe(201)
    await expect.poll(async () => (await secretOf('ben', 'one')).status, { timeout: 20_000 }).toBe(403)
  })

  test('is only one whom a binding names', async () => {
    expect((await create('eve', 'of-eve')).status).toBe(403)
    expect((await server.send(clustersPath, { token: tokens.ann ?? '' })).status).toBe(403)
  })
})

test('administrators have no limits, and may make clusters for others [C15]', async () => {
  const metadata = { annotations: { 'edgeplane.dev/owner': 'oidc:ann@example.com' } }
  const body = {
    apiVersion: 'edgeplane.dev/v1',
    kind: 'Cluster',
    metadata: { name: 'given', ...metadata },
    spec: { expiry: '99h' },
  }
  expect((await server.send(clustersPath, { method: 'POST', body })).status).toBe(201)
  expect((await secretOf('ann', 'given')).status).toBe(200)
})

describe('The page at /', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const get = (path: string, accept: string, method = 'GET') => server.send(path, { method, token: false, headers: { accept } })

  test('tells browsers what this is, without scripts', async () => {
    const { status, headers, text } = await get('/', browser)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain(`https://127.0.0.1:${server.port}`)
    expect(text).not.toMatch(/<script|javascript:|\son\w+=|src=|href=/i)
    const style = /<style>(.*)<\/style>/.exec(text)?.[1] ?? ''
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(createHash('sha256').update(style).digest('base64'))
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test.each([
    ['/', 'application/json', 'GET', 403],
    ['/', '*/*', 'GET', 403],
    ['/', 'application/json, text/html;q=0', 'GET', 403],
    ['/', browser, 'POST', 403],
    ['/api', browser, 'GET', 403],
    ['/index.html', browser, 'GET', 403],
    ['/clusters/of-ann', browser, 'GET', 403],
  ])('is not at %s for %s (%s)', async (path, accept, method, expected) => {
    const { status, text } = await get(path, accept, method)
    expect(text).not.toContain('<!doctype')
    expect(status).toBe(expected)
  })
})
