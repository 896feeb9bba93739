/** People who have signed in at Cloudflare Access make clusters: with a team of which only the published keys are real. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type CountedServer, startCountedServer } from './counted-server.ts'

const team = 'https://team.cloudflareaccess.com'
const audience = 'tag-of-the-application'
const clusters = '/apis/edgeplane.dev/v1/clusters'
const rbac = '/apis/rbac.authorization.k8s.io/v1'

const { privateKey, publicKey } = await generateKeyPair('RS256')
let server: CountedServer
/** The addresses outside that the server has asked for. */
const asked: string[] = []

beforeAll(async () => {
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key', alg: 'RS256', use: 'sig' }
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: team, audiences: [audience] },
        claimMappings: { username: { claim: 'email', prefix: 'access:' } },
      },
    ],
  }
  server = await startCountedServer({ AUTHENTICATION_CONFIGURATION: JSON.stringify(configuration) }, (url) => {
    asked.push(url)
    return { keys: [jwk], public_certs: [] }
  })
  const manifest = readFileSync(resolve(import.meta.dirname, '../../manifests/clusters.json'))
  const headers = { 'content-type': 'application/json' }
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const defined = await server.send(definitions, { method: 'POST', headers, text: manifest.toString() })
  expect(defined.status, defined.text).toBe(201)
  const rules = [{ apiGroups: ['edgeplane.dev'], resources: ['clusters'], verbs: ['create'] }]
  const name = 'makes-clusters'
  await server.send(`${rbac}/clusterroles`, { method: 'POST', body: { metadata: { name }, rules } })
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'access:jane@example.com' }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name }
  await server.send(`${rbac}/clusterrolebindings`, { method: 'POST', body: { metadata: { name }, roleRef, subjects } })
}, 60_000)

afterAll(() => server?.stop())

/** Returns the token that Access adds to the requests of a person. */
const assertionOf = (email: string, to = audience): Promise<string> =>
  new SignJWT({ email, type: 'app' })
    .setProtectedHeader({ alg: 'RS256', kid: 'key' })
    .setIssuer(team)
    .setAudience([to])
    .setSubject(`subject-${email}`)
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey)

/** Sends a request as it comes from Access: with its header and without an Authorization header. */
const asPerson = async (path: string, assertion: string, body?: object): Promise<Answer> =>
  server.send(path, {
    method: body === undefined ? 'GET' : 'POST',
    token: '',
    headers: { 'cf-access-jwt-assertion': assertion },
    ...(body !== undefined && { body }),
  })

const cluster = (name: string): object => ({ apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name } })

describe('A person who has signed in at Cloudflare Access', () => {
  test('makes a cluster if a binding says so, and owns it', async () => {
    const assertion = await assertionOf('jane@example.com')
    const made = await asPerson(clusters, assertion, cluster('blue'))
    expect(made.status, made.text).toBe(201)
    const { metadata } = JSON.parse(made.text) as { metadata: { annotations: Record<string, string> } }
    expect(metadata.annotations['edgeplane.dev/owner']).toBe('access:jane@example.com')
    await expect.poll(async () => (await asPerson(`${clusters}/blue`, assertion)).status, { timeout: 20_000 }).toBe(200)
    expect(asked).toEqual([`${team}/cdn-cgi/access/certs`])
  })

  test('makes none without a binding', async () => {
    const { status, text } = await asPerson(clusters, await assertionOf('joe@example.com'), cluster('red'))
    expect([status, JSON.parse(text).message]).toEqual([
      403,
      expect.stringContaining('User "access:joe@example.com" cannot create resource "clusters"'),
    ])
  })

  test('is unknown with a token for another application', async () => {
    const assertion = await assertionOf('jane@example.com', 'another-application')
    expect((await asPerson(clusters, assertion, cluster('green'))).status).toBe(401)
  })

  test('is unknown in named clusters, which have users of their own', async () => {
    const { status, text } = await asPerson('/clusters/blue/api/v1/namespaces', await assertionOf('jane@example.com'))
    expect([status, JSON.parse(text).message]).toEqual([403, expect.stringContaining('User "system:anonymous"')])
  })
})
