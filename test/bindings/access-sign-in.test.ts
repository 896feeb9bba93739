/** People who have signed in at Cloudflare Access make clusters: with a team of which only the published keys are real. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessSettings, administratorBinding, assertionOf, publishedKeys, team } from './access-team.ts'
import { type Answer, type CountedServer, host, startCountedServer } from './counted-server.ts'

const clusters = '/apis/edgeplane.dev/v1/clusters'
const rbac = '/apis/rbac.authorization.k8s.io/v1'

let server: CountedServer
/** The addresses outside that the server has asked for. */
const asked: string[] = []

beforeAll(async () => {
  server = await startCountedServer(accessSettings, (url) => {
    asked.push(url)
    return publishedKeys
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
  await server.send(`${rbac}/clusterrolebindings`, {
    method: 'POST',
    body: administratorBinding('root', 'access:root@example.com'),
  })
}, 60_000)

afterAll(() => server?.stop())

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

describe('A page cannot use the sign-in of an administrator, whose browser adds it', () => {
  const inDefault = '/api/v1/namespaces/default'
  const configMap = { metadata: { name: 'by-page' } }
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  const sites = [undefined, 'same-origin', 'same-site', 'cross-site', 'none', 'same-origin, cross-site']
  const origins = [
    undefined,
    host,
    'https://evil.example',
    'null',
    host.replace('https', 'http'),
    `${host}:8443`,
    `${host}.evil.example`,
  ]

  interface Action {
    readonly path: string
    readonly method?: string
    readonly body?: object
    readonly headers?: Readonly<Record<string, string>>
  }

  const reads: readonly Action[] = [
    { path: `${inDefault}/configmaps` },
    { path: `${inDefault}/configmaps`, method: 'HEAD' },
    { path: `${inDefault}/pods/a/log` },
    { path: '/openapi/v2', method: 'HEAD' },
    { path: '/version' },
  ]
  const acts: readonly Action[] = [
    { path: `${inDefault}/configmaps?dryRun=All`, method: 'POST', body: configMap },
    { path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', method: 'POST', body: { spec: {} } },
    { path: `${inDefault}/configmaps/by-page?dryRun=All`, method: 'PUT', body: configMap },
    { path: `${inDefault}/configmaps/by-page?dryRun=All`, method: 'PATCH', body: configMap },
    { path: `${inDefault}/configmaps/by-page?dryRun=All`, method: 'DELETE' },
    { path: `${inDefault}/configmaps?dryRun=All`, method: 'DELETE' },
    { path: `${inDefault}/configmaps`, method: 'OPTIONS' },
    { path: `${inDefault}/pods/a/exec?command=true&stdout=true` },
    { path: `${inDefault}/pods/a/attach` },
    { path: `${inDefault}/pods/a/portforward` },
    { path: `${inDefault}/pods/a/proxy/deeper` },
    { path: `${inDefault}/services/a/proxy` },
    { path: '/api/v1/nodes/a/proxy/' },
    { path: '/api/v1/proxy/namespaces/default/pods/a/' },
    { path: `${inDefault}/configmaps?watch=1`, headers: upgrade },
    { path: `${inDefault}/pods/a/exec?command=true`, headers: upgrade },
    { path: '/edgeplane/v1/restore', method: 'POST', body: {} },
  ]
  let assertion: string

  beforeAll(async () => {
    assertion = await assertionOf('root@example.com')
  })

  /** Sends a request as a browser does through Access. Returns the reason of the refusal; undefined if it was not refused. */
  async function refusalOf(
    { path, method = 'GET', body, headers }: Action,
    site: string | undefined,
    origin: string | undefined,
    type?: 'untyped',
  ): Promise<string | undefined> {
    const sent = { 'cf-access-jwt-assertion': assertion, 'sec-fetch-site': site, origin }
    const typed = { 'content-type': type === 'untyped' || body === undefined ? undefined : 'application/json' }
    const { status, text } = await server.send(path, { method, token: '', headers: { ...headers, ...sent, ...typed }, body })
    const message = /added by a browser, and (.*?): it may only read/.exec(text)?.[1]
    expect(message === undefined || (status === 403 && text.includes('"reason":"Forbidden"')), text).toBe(true)
    return message
  }

  test.each(acts.map((action) => ({ method: 'GET', ...action })))(
    '$method $path: only from a page of the server, or without a browser',
    async (action) => {
      for (const site of sites) {
        for (const origin of origins) {
          const isAllowed = [undefined, 'same-origin'].includes(site) && [undefined, host].includes(origin)
          const refusal = await refusalOf(action, site, origin)
          expect(refusal === undefined, `${site} ${origin}: ${refusal}`).toBe(isAllowed)
        }
      }
    },
  )

  test.each(reads.map((action) => ({ method: 'GET', ...action })))('$method $path: from everywhere', async (action) => {
    for (const site of sites) {
      for (const origin of origins) expect(await refusalOf(action, site, origin)).toBeUndefined()
    }
  })

  test('a body without a Content-Type, which every page may send, is refused even from a page of the server', async () => {
    const [create] = acts.filter(({ method }) => method === 'POST')
    for (const [site, origin] of [
      ['same-origin', host],
      [undefined, host],
      [undefined, undefined],
    ] as const) {
      expect(await refusalOf(create ?? expect.fail(), site, origin, 'untyped')).toBe('its body has no Content-Type')
    }
  })

  test('a blob without a type makes nobody an administrator', async () => {
    const headers = {
      'cf-access-jwt-assertion': assertion,
      'content-type': undefined,
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    }
    const body = administratorBinding('forged', 'system:anonymous')
    const { status, text } = await server.send(`${rbac}/clusterrolebindings`, { method: 'POST', token: '', headers, body })
    expect([status, JSON.parse(text).message]).toEqual([
      403,
      'forbidden: the credentials of this request are added by a browser, and it was made by a page of another origin (Sec-Fetch-Site: cross-site): it may only read',
    ])
    expect((await server.send('/api/v1/secrets', { token: '' })).status).toBe(403)
  })

  test('a token in the Authorization header is sent by no page but its own, and writes from everywhere', async () => {
    const headers = { origin: 'https://dashboard.example', 'sec-fetch-site': 'cross-site' }
    const path = `${inDefault}/configmaps?dryRun=All`
    expect((await server.send(path, { method: 'POST', headers, body: configMap })).status).toBe(201)
  })

  test('no response to such a user is shown as a page with scripts', async () => {
    const { headers } = await server.send('/version', { token: '', headers: { 'cf-access-jwt-assertion': assertion } })
    expect(headers['content-security-policy']).toBe('sandbox')
    expect((await server.send('/version')).headers['content-security-policy']).toBeUndefined()
  })
})
