/** The requests to Durable Objects that clients without credentials cause, whatever they send. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CountedServer, startCountedServer } from './counted-server.ts'

let server: CountedServer

beforeAll(async () => {
  server = await startCountedServer()
}, 60_000)

afterAll(() => server.stop())

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a token of the cluster's issuer whose key does not exist. */
const forged = (number: number): string =>
  [
    encoded({ alg: 'ES256', kid: `key-${number}` }),
    encoded({ iss: 'https://kubernetes.default.svc.cluster.local', sub: 'system:serviceaccount:default:default' }),
    Buffer.alloc(64, number).toString('base64url'),
  ].join('.')

const bootstrapLike = (number: number): string => `${String(number).padStart(6, '0')}.${'0123456789abcdef'}`

interface Kind {
  readonly path: (n: number) => string
  readonly token: (n: number) => string
  readonly headers?: Readonly<Record<string, string>>
  readonly code: number
}

/** The requests of strangers, by their number. */
const kinds: Readonly<Record<string, Kind>> = {
  'random tokens': { path: () => '/api/v1/pods', token: (n) => `random-${n}`, code: 401 },
  'forged tokens of ServiceAccounts': { path: () => '/api/v1/pods', token: forged, code: 401 },
  'tokens that look like bootstrap tokens': { path: () => '/api/v1/pods', token: bootstrapLike, code: 401 },
  'probes of /livez': { path: () => '/livez', token: () => '', code: 200 },
  'probes of /readyz': { path: () => '/readyz?verbose', token: () => '', code: 200 },
  'the version': { path: () => '/version', token: () => '', code: 200 },
  'anonymous lists of Pods': { path: () => '/api/v1/pods', token: () => '', code: 403 },
  'unknown paths': { path: (n) => `/wp-login-${n}.php`, token: () => '', code: 403 },
  'impersonation without credentials': {
    path: () => '/api/v1/pods',
    token: () => '',
    headers: { 'impersonate-user': 'admin' },
    code: 403,
  },
  'invented names of clusters': { path: (n) => `/clusters/invented-${n}/api/v1/pods`, token: () => '', code: 404 },
  'unknown resources': { path: (n) => `/apis/g${n}.example.com/v1/things`, token: () => '', code: 403 },
}

/** Sends requests of each kind at once, and returns the codes of each kind. */
async function attack(of: readonly string[], first: number, count: number): Promise<Record<string, number[]>> {
  const answered = of.map(async (name): Promise<[string, number[]]> => {
    const { path, token, headers = {} }: Omit<Kind, 'code'> = kinds[name] ?? { path: () => '', token: () => '' }
    const numbers = Array.from({ length: count }, (_, i) => first + i)
    const answers = await Promise.all(numbers.map((n) => server.send(path(n), { token: token(n), headers })))
    return [name, [...new Set(answers.map(({ status }) => status))]]
  })
  return Object.fromEntries(await Promise.all(answered))
}

const names = Object.keys(kinds)
/** The kinds that concern the default cluster, which share its budget. */
const ofDefault = names.filter((name) => name !== 'invented names of clusters')
const expected = Object.fromEntries(ofDefault.map((name) => [name, [kinds[name]?.code]]))

describe('clients without credentials', () => {
  test('do not wake the cluster with a random token', async () => {
    expect((await server.send('/wp-login.php', { token: 'wrong' })).status).toBe(401)
    expect(await server.innerRequests()).toEqual([])
  })

  test('cause one request to a Durable Object a second, in sum', async () => {
    // The first start of a cluster makes its ServiceAccounts.
    const accounts = async (): Promise<number> =>
      (JSON.parse((await server.send('/api/v1/serviceaccounts')).text) as { items: object[] }).items.length
    await expect.poll(accounts, { timeout: 10_000 }).toBe(4)
    await server.innerRequests()
    const begun = Date.now()
    for (let round = 0; round < 2; round++) expect(await attack(ofDefault, round * 20, 10)).toEqual(expected)
    const seconds = (Date.now() - begun) / 1000
    // The clock of the runtime and that of the test may differ by less than a second.
    const made = await server.innerRequests()
    expect(made.length).toBeGreaterThan(0)
    expect(made.length, made.join('\n')).toBeLessThanOrEqual(Math.ceil(seconds) + 1)
  })

  test.each(names)('%s: at most one request to a Durable Object a second [C5]', async (name) => {
    await server.innerRequests()
    const begun = Date.now()
    expect(await attack([name], 1000, 40)).toEqual({ [name]: [kinds[name]?.code] })
    const allowed = Math.ceil((Date.now() - begun) / 1000) + 1
    const made = await server.innerRequests()
    expect(made.length, made.join('\n')).toBeLessThanOrEqual(allowed)
  })

  test('do not keep a bootstrap token that has just been made from being used', async () => {
    const secrets = '/api/v1/namespaces/kube-system/secrets'
    await attack(['tokens that look like bootstrap tokens'], 2000, 5)
    const flood = attack(['tokens that look like bootstrap tokens', 'anonymous lists of Pods'], 3000, 40)
    const stringData = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' }
    const type = 'bootstrap.kubernetes.io/token'
    const body = { metadata: { name: 'bootstrap-token-abcdef' }, type, stringData }
    expect((await server.send(secrets, { method: 'POST', body })).status).toBe(201)
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const whoami = (): Promise<number> =>
      server
        .send('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
          method: 'POST',
          body: review,
          token: 'abcdef.0123456789abcdef',
        })
        .then(({ status }) => status)
    await expect.poll(whoami, { timeout: 5000 }).toBe(201)
    await flood
  })
})
