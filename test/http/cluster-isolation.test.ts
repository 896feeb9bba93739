/**
 * Attacks of one cluster's users on others: each holder of a credential asks for each other cluster, in each form of the address,
 * with each header that might lead there. No response may contain a needle that was put into another cluster.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Reply, RequestOptions } from '../client.ts'
import { type ClusterServer, startClusterServer } from './cluster-server.ts'

const domain = 'clusters.test'
const names = ['blue', 'red', 'green'] as const
type Name = (typeof names)[number]

const folder = mkdtempSync(join(tmpdir(), 'edgeplane-isolation-'))
const auditLog = join(folder, 'audit.log')
const needle = (name: Name): string => `needle-of-${name}`
let server: ClusterServer

/** A credential, and the cluster to which it belongs. */
interface Holder {
  readonly title: string
  readonly home: Name | 'default'
  readonly token: string | false
}

const holders: Holder[] = []
/** Further credentials, which are only sent to the plain addresses. */
const others: Holder[] = []
const admins = new Map<Name, string>()
const continues = new Map<Name, string>()

/** Sends the requests of a cluster's administrator. */
const asAdmin = (name: Name, path: string, options: RequestOptions = {}): Promise<Reply> =>
  server.inside(name, path, { ...options, token: admins.get(name) ?? '' })

async function post(name: Name, path: string, body: object): Promise<Reply> {
  const reply = await asAdmin(name, path, { method: 'POST', body })
  expect(reply.status, reply.text).toBe(201)
  return reply
}

/** Puts the needle of a cluster into objects, names, a definition, and an account that may do everything. */
async function furnish(name: Name): Promise<void> {
  const value = needle(name)
  const group = `${value}.example.com`
  for (const suffix of ['', '-2', '-3']) {
    await post(name, '/api/v1/namespaces/default/configmaps', { metadata: { name: value + suffix }, data: { value } })
  }
  await post(name, '/api/v1/namespaces/default/secrets', {
    metadata: { name: 'shared', labels: { value } },
  })
  await post(name, '/api/v1/namespaces', { metadata: { name: value } })
  await post(name, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `lamps.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'lamps', kind: 'Lamp' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', description: value } } },
      ],
    },
  })
  await post(name, `/apis/${group}/v1/namespaces/default/lamps`, {
    apiVersion: `${group}/v1`,
    kind: 'Lamp',
    metadata: { name: value },
  })
  await post(name, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
  // The accounts have the same name in all clusters, and may do everything in their own.
  await post(name, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'robot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
  })
}

beforeAll(async () => {
  const policy = join(folder, 'policy.yaml')
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n')
  server = await startClusterServer(['--cluster-domain', domain, '--audit-policy-file', policy, '--audit-log-path', auditLog])
  for (const name of names) {
    admins.set(name, await server.make(name, { placement: name === 'green' ? 'collections' : 'one-object' }))
    await furnish(name)
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const made = await post(name, '/api/v1/namespaces/default/serviceaccounts/robot/token', request)
    const { token } = made.json<{ status: { token: string } }>().status
    holders.push({ title: `the administrator of ${name}`, home: name, token: admins.get(name) ?? '' })
    holders.push({ title: `an account of ${name}`, home: name, token })
    others.push({ title: `a token in a Secret of ${name}`, home: name, token: await tokenInSecret(name) })
    others.push({ title: `a bootstrap token of ${name}`, home: name, token: await bootstrapToken(name) })
    const page = await asAdmin(name, '/api/v1/namespaces/default/configmaps?limit=1')
    continues.set(name, page.json<{ metadata: { continue: string } }>().metadata.continue)
  }
  holders.push({ title: 'the administrator of the deployment', home: 'default', token: server.token })
  holders.push({ title: 'a stranger', home: 'default', token: false })
  await addOthers()
}, 60_000)

async function tokenInSecret(name: Name): Promise<string> {
  const annotations = { 'kubernetes.io/service-account.name': 'robot' }
  const secrets = '/api/v1/namespaces/default/secrets'
  await post(name, secrets, { metadata: { name: 'robot', annotations }, type: 'kubernetes.io/service-account-token' })
  return vi.waitFor(async () => {
    const { data } = (await asAdmin(name, `${secrets}/robot`)).json<{ data?: { token?: string } }>()
    expect(data?.token).toBeDefined()
    return Buffer.from(data?.token ?? '', 'base64').toString()
  })
}

async function bootstrapToken(name: Name): Promise<string> {
  const [id, secret] = ['abcdef', name.padEnd(16, '0')]
  await post(name, '/api/v1/namespaces/kube-system/secrets', {
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true' },
  })
  return `${id}.${secret}`
}

/** Adds the holders of credentials of a fork, of a cluster whose name another one has now, and of the deployment, and a forger. */
async function addOthers(): Promise<void> {
  const fork = await server.make('fork', { forkedFrom: { name: 'blue' } })
  others.push({ title: 'the administrator of a fork of blue', home: 'blue', token: fork })
  const earlier = await server.make('green-again')
  await server.remove('green-again')
  await server.make('green-again')
  others.push({ title: 'the administrator of a former cluster', home: 'default', token: earlier })
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const account = await server.send('/api/v1/namespaces/kube-system/serviceaccounts/default/token', {
    method: 'POST',
    body: request,
  })
  others.push({
    title: 'an account of the deployment',
    home: 'default',
    token: account.json<{ status: { token: string } }>().status.token,
  })
  const forged = `${Buffer.from('["blue","x"]').toString('base64url')}.AAAA`
  others.push({ title: 'a forger', home: 'default', token: `edgeplane.${forged}` })
}

afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The paths below a cluster that would show its needle. */
const resources = (target: Name): readonly string[] => [
  '/api/v1/configmaps',
  '/api/v1/namespaces/default/secrets/shared',
  `/api/v1/namespaces/default/configmaps?limit=2&continue=${encodeURIComponent(continues.get(target) ?? '')}`,
  '/api/v1/configmaps?watch=true&resourceVersion=0&timeoutSeconds=1',
  `/apis/${needle(target)}.example.com/v1/lamps`,
  `/apis/${needle(target)}.example.com/v1/namespaces/default/lamps/x`,
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/openapi/v3',
  '/apis',
  '/metrics',
  '/edgeplane/v1/backup',
  '/edgeplane/v1/objects',
]

/** The paths that are asked for in every form of the address. */
const some = (target: Name): readonly string[] => [
  '/api/v1/namespaces/default/secrets/shared',
  `/apis/${needle(target)}.example.com/v1/lamps`,
  '/edgeplane/v1/objects',
]

/** The prefixes that might lead from one cluster to another. */
const prefixes = (home: string, target: string): readonly string[] => [
  `/clusters/${target}`,
  `/clusters/${target}/`,
  `//clusters/${target}`,
  `/./clusters/${target}`,
  `/CLUSTERS/${target}`,
  `/%63lusters/${target}`,
  `/clusters%2f${target}`,
  `/clusters/${target}%20`,
  `/clusters/${target}%00`,
  `/clusters/${target}%2f..%2f${home}`,
  `/clusters/%${target.charCodeAt(0).toString(16)}${target.slice(1)}`,
  `/clusters/${target.toUpperCase()}`,
  `/clusters/${home}/../${target}`,
  `/clusters/${home}/..%2f${target}`,
  `/clusters/${home}/%2e%2e/${target}`,
  `/clusters/${home}%2f..%2f${target}`,
  `/clusters/${home}/clusters/${target}`,
  `/clusters/${home}\\..\\${target}`,
  `/clusters/${home};/../${target}`,
  `/clusters/default/clusters/${target}`,
  `/clusters/${target}@-0s`,
  `/clusters/${target}%40-0s`,
  `/clusters/${home}@-0s@${target}`,
  `/clusters/@${target}`,
  `/clusters/${target};x`,
  `\\clusters\\${target}`,
  `https://${target}.${domain}`,
  `http://${target}.${domain}`,
  `https://h/clusters/${target}`,
]

/** The hosts that might lead to a cluster, for a path of resources. */
const hosts = (target: string): readonly string[] => [
  `${target}.${domain}`,
  `${target}.${domain}:443`,
  `${target}.${domain}`.toUpperCase(),
  `${target}.${domain}.`,
  `${target}@-0s.${domain}`,
  `x@${target}.${domain}`,
  `h/clusters/${target}`,
  `h?x=/clusters/${target}`,
]

/** The headers that might lead to another cluster, for a request within the own one. */
const headers = (target: string): readonly Record<string, string>[] => [
  { 'x-forwarded-host': `${target}.${domain}` },
  { 'x-forwarded-prefix': `/clusters/${target}` },
  { 'x-forwarded-uri': `/clusters/${target}/api` },
  { 'x-original-url': `/clusters/${target}/api/v1/configmaps` },
  { 'x-rewrite-url': `/clusters/${target}/api/v1/configmaps` },
  { forwarded: `host=${target}.${domain}` },
  { 'edgeplane-cluster': target },
  { 'edgeplane-operation': JSON.stringify({ verb: 'list', target: { group: '', version: 'v1', resource: 'configmaps' } }) },
  { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
  { 'cf-access-jwt-assertion': 'e30.e30.' },
]

/** Sends requests, a few at a time. Returns the titles of those whose responses contain a needle. */
async function leaks(attacks: readonly (readonly [path: string, options: RequestOptions])[], target: Name): Promise<string[]> {
  const found: string[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let attack = attacks[next++]; attack !== undefined; attack = attacks[next++]) {
      const [path, options] = attack
      const { status, text } = await server.send(path, options)
      // The request itself names the group: that is no secret.
      const answer = text.replaceAll(`${needle(target)}.example.com`, '')
      if (answer.includes(needle(target)) || (status === 200 && text.includes(needle(target)))) {
        found.push(`${status} ${JSON.stringify(options.headers ?? {})} ${path}`)
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return found
}

test('every attack would show a needle to the administrator of its target', async () => {
  const shown = names.flatMap((name) =>
    resources(name)
      .filter((path) => !path.includes('/lamps/x') && path !== '/edgeplane/v1/objects')
      .flatMap((path) => [
        { name, path: `/clusters/${name}${path}`, headers: {} },
        { name, path, headers: { host: `${name}.${domain}` } },
      ]),
  )
  const check = async ({ name, path, headers: given }: (typeof shown)[number]): Promise<void> => {
    const { text } = await server.send(path, { token: admins.get(name) ?? '', headers: given })
    expect(text, path).toContain(needle(name))
  }
  await Promise.all(shown.map(check))
})

test('every other credential is valid in its own cluster [C6]', async () => {
  for (const { title, home, token } of others.filter((one) => one.home !== 'default' && !one.title.includes('fork'))) {
    const { status } = await server.send(`/clusters/${home}/api/v1/configmaps`, { token })
    expect(status, title).toBe(title.includes('bootstrap') ? 403 : 200)
  }
})

describe.each(names)('No credential of another cluster shows anything of %s', (target) => {
  test('in any form of the request', async () => {
    for (const holder of holders.filter(({ home }) => home !== target)) await attack(holder, target)
  })

  test('whatever kind of credential it is', async () => {
    const plain = resources(target).flatMap((path) => [
      [`/clusters/${target}${path}`, {}] as const,
      [path, { headers: { host: `${target}.${domain}` } }] as const,
    ])
    const send = async ({ title, token }: Holder): Promise<void> => {
      const attacks = plain.map(([path, options]) => [path, { ...options, token }] as const)
      expect(await leaks(attacks, target), title).toEqual([])
    }
    await Promise.all(others.filter(({ home }) => home !== target).map(send))
  })
})

async function attack({ title, home, token }: Holder, target: Name): Promise<void> {
  const base = home === 'default' ? '' : `/clusters/${home}`
  const attacks = [
    ...resources(target).map((path) => [`/clusters/${target}${path}`, { token }] as const),
    ...prefixes(home, target).flatMap((prefix) => some(target).map((path) => [prefix + path, { token }] as const)),
    ...resources(target).flatMap((path) => [
      [path, { token, headers: { host: `${target}.${domain}` } }] as const,
      [`${base}${path}`, { token, headers: { host: `${target}.${domain}` } }] as const,
      [`/clusters/${target}${path}`, { token, headers: { host: `${home}.${domain}` } }] as const,
    ]),
    ...some(target).flatMap((path) => hosts(target).map((host) => [path, { token, headers: { host } }] as const)),
    ...some(target).flatMap((path) => headers(target).map((given) => [base + path, { token, headers: given }] as const)),
    ...(token === false
      ? []
      : ['system:admin', `system:serviceaccount:default:robot`].map(
          (user) => [`/clusters/${target}/api/v1/configmaps`, { token, headers: { 'impersonate-user': user } }] as const,
        )),
  ]
  expect(await leaks(attacks, target), title).toEqual([])
}

test.each(names)('the administration of %s names no objects of others', async (home) => {
  for (const target of names.filter((name) => name !== home)) {
    for (const object of [`${target}/control`, `${home}/../${target}/control`, `${target}//configmaps`, `/control`]) {
      const path = `/edgeplane/v1/state?object=${encodeURIComponent(object)}`
      const { status, text } = await asAdmin(home, path, { method: 'POST', body: {} })
      expect([status, text]).toEqual([400, expect.stringContaining('is no object of this cluster')])
    }
  }
})

test('users with the same name have the rights of their own cluster, however their requests alternate', async () => {
  await asAdmin('red', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/robot', { method: 'DELETE' })
  const [blue, red] = ['an account of blue', 'an account of red'].map((title) => holders.find((one) => one.title === title))
  const path = '/api/v1/namespaces/default/configmaps'
  const rights = async (name: Name, token: string | false = ''): Promise<number> =>
    (await server.inside(name, path, { token })).status
  await expect.poll(() => rights('red', red?.token)).toBe(403)
  const rounds = Array.from({ length: 40 }, (_, round) =>
    round % 2 === 0 ? rights('blue', blue?.token) : rights('red', red?.token),
  )
  expect(new Set((await Promise.all(rounds)).map((status, round) => `${round % 2} ${status}`))).toEqual(
    new Set(['0 200', '1 403']),
  )
  const impersonating = { headers: { 'impersonate-user': 'system:serviceaccount:default:robot' } }
  const codes = [(await asAdmin('blue', path, impersonating)).status, (await asAdmin('red', path, impersonating)).status]
  expect(codes).toEqual([200, 403])
})

test('lines of the audit log name the cluster, and contain nothing of others', async () => {
  const lines = (): string[] => readFileSync(auditLog, 'utf8').trim().split('\n')
  await server.send('/version', { token: admins.get('blue') ?? '', headers: { host: `blue.${domain}` } })
  await expect.poll(() => lines().some((line) => line.includes('"requestURI":"/clusters/blue/version"'))).toBe(true)
  for (const line of lines()) {
    const event = JSON.parse(line) as { requestURI: string; responseObject?: object; responseStatus?: { code?: number } }
    const content = JSON.stringify(event.responseObject ?? {}).replaceAll('.example.com', '')
    for (const name of names) {
      if (!content.includes(needle(name)) || (event.responseStatus?.code ?? 0) >= 400) continue
      expect(event.requestURI).toMatch(new RegExp(`^/clusters/${name}/`))
    }
  }
})
