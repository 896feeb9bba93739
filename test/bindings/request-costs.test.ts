/** The requests to Durable Objects that a request to the API costs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CountedServer, startCountedServer } from './counted-server.ts'

const rules = '/apis/rbac.authorization.k8s.io/v1'
const leases = '/apis/coordination.k8s.io/v1/namespaces/shop/leases'

let server: CountedServer
let robot: string

async function make(path: string, body: object): Promise<string> {
  const { status, text } = await server.send(path, { method: 'POST', body })
  expect(status, text).toBe(201)
  return text
}

/** Returns a token of a ServiceAccount of the namespace shop. */
async function tokenOf(account: string): Promise<string> {
  const made = await make(`/api/v1/namespaces/shop/serviceaccounts/${account}/token`, { spec: { expirationSeconds: 3600 } })
  return (JSON.parse(made) as { status: { token: string } }).status.token
}

/** Makes a namespace with a ServiceAccount, its token, and a Lease that it may write. */
async function fillShop(): Promise<void> {
  await make('/api/v1/namespaces', { metadata: { name: 'shop' } })
  await make('/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'robot' } })
  const resources = ['configmaps', 'leases']
  await make(`${rules}/clusterroles`, {
    metadata: { name: 'leader' },
    rules: [{ apiGroups: ['', 'coordination.k8s.io'], resources, verbs: ['*'] }],
  })
  await make(`${rules}/namespaces/shop/rolebindings`, {
    metadata: { name: 'robot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'leader' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'shop' }],
  })
  robot = await tokenOf('robot')
  await make(leases, { metadata: { name: 'leader' }, spec: { holderIdentity: 'a' } })
}

beforeAll(async () => {
  server = await startCountedServer({ PLACEMENT: 'collections' })
  await fillShop()
}, 60_000)

afterAll(() => server.stop())

/** Waits until no answer of earlier requests may be used any more, and forgets their inner requests. */
async function untilOutdated(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await server.innerRequests()
}

const isRenewal = (request: string): boolean => request === 'default/control: /policy'

/** One step of a leader election: a GET and a PUT. */
async function elect(by: string, transitions: number): Promise<void> {
  const lease = JSON.parse((await server.send(`${leases}/leader`, { token: by })).text) as { spec: object }
  const body = { ...lease, spec: { holderIdentity: 'a', leaseTransitions: transitions } }
  expect((await server.send(`${leases}/leader`, { method: 'PUT', body, token: by })).status).toBe(200)
}

describe('the requests to Durable Objects', () => {
  test('of a leader election: two for a GET after a pause, one for the PUT after it', async () => {
    await server.send(`${leases}/leader`, { token: robot })
    for (let step = 0; step < 3; step++) {
      await untilOutdated()
      const lease = JSON.parse((await server.send(`${leases}/leader`, { token: robot })).text) as { spec: object }
      expect(await server.innerRequests()).toEqual([
        'default/control: /policy',
        'default/coordination.k8s.io/leases: get shop leader',
      ])
      const body = { ...lease, spec: { holderIdentity: 'a', leaseTransitions: step } }
      expect((await server.send(`${leases}/leader`, { method: 'PUT', body, token: robot })).status).toBe(200)
      expect(await server.innerRequests()).toEqual(['default/coordination.k8s.io/leases: update shop leader'])
    }
  })

  test.each<[string, string, number]>([
    ['an allowed request', '/api/v1/namespaces/shop/configmaps', 200],
    ['a forbidden request', '/api/v1/nodes', 403],
    ['a request for an unknown resource', '/apis/example.com/v1/namespaces/shop/bolts', 403],
    ['discovery', '/apis', 200],
  ])('of %s of a ServiceAccount contain one policy renewal', async (_what, path, code) => {
    await untilOutdated()
    expect((await server.send(path, { token: robot })).status).toBe(code)
    expect((await server.innerRequests()).filter(isRenewal)).toHaveLength(1)
  })

  test.each<[string, string, number]>([
    ['a create', '/api/v1/namespaces/shop/configmaps', 201],
    ['a create in a namespace that does not exist', '/api/v1/namespaces/missing/configmaps', 404],
    ['a create of an unknown resource', '/apis/example.com/v1/bolts', 404],
  ])('of %s of the administrator contain one policy renewal', async (_what, path, code) => {
    await untilOutdated()
    expect((await server.send(path, { method: 'POST', body: { metadata: { generateName: 'a-' } } })).status).toBe(code)
    expect((await server.innerRequests()).filter(isRenewal)).toHaveLength(1)
  })

  test('of parallel creates after a pause contain one policy renewal', async () => {
    await untilOutdated()
    const create = () =>
      server.send('/api/v1/namespaces/shop/configmaps', { method: 'POST', body: { metadata: { generateName: 'a-' } } })
    const created = await Promise.all(Array.from({ length: 10 }, create))
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]))
    expect((await server.innerRequests()).filter(isRenewal)).toHaveLength(1)
  })

  test('of a second token of the same account do not reach the collection of ServiceAccounts', async () => {
    const second = await tokenOf('robot')
    await server.innerRequests()
    expect((await server.send(`${leases}/leader`, { token: second })).status).toBe(200)
    expect(await server.innerRequests()).not.toContainEqual(expect.stringContaining('serviceaccounts'))
  })
})

test('a token of a deleted ServiceAccount is refused, and one of its successor is not', async () => {
  const accounts = '/api/v1/namespaces/shop/serviceaccounts'
  await make(accounts, { metadata: { name: 'brief' } })
  const first = await tokenOf('brief')
  const whoami = async (token: string): Promise<number> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    return (await server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body, token })).status
  }
  expect(await whoami(first)).toBe(201)
  await server.send(`${accounts}/brief`, { method: 'DELETE' })
  await expect.poll(() => whoami(first), { timeout: 5000 }).toBe(401)
  await make(accounts, { metadata: { name: 'brief' } })
  expect(await whoami(await tokenOf('brief'))).toBe(201)
  expect(await whoami(first)).toBe(401)
})

test('the deletion of a namespace asks only the collections that hold something in it', async () => {
  const namespaces = '/api/v1/namespaces'
  const fill = async (namespace: string, resources: readonly string[]): Promise<void> => {
    await make(namespaces, { metadata: { name: namespace } })
    for (const resource of resources) await make(`${namespaces}/${namespace}/${resource}`, { metadata: { name: 'a' } })
  }
  const goneAfter = async (namespace: string): Promise<string[]> => {
    await server.send(`${namespaces}/${namespace}`, { method: 'DELETE' })
    const status = async (): Promise<number> => (await server.send(`${namespaces}/${namespace}`)).status
    await expect.poll(status, { timeout: 20_000 }).toBe(404)
    const asked = (await server.innerRequests()).filter((request) => request.includes(`: deletecollection ${namespace}`))
    return [...new Set(asked.map((request) => request.split(':')[0] ?? ''))].sort()
  }
  await fill('full', ['configmaps', 'secrets', 'endpoints'])
  await fill('small', ['secrets'])
  // Each namespace has a ServiceAccount and, if there is a certificate, a ConfigMap.
  expect(await goneAfter('small')).toEqual(['default//secrets', 'default//serviceaccounts'])
  expect(await goneAfter('full')).toEqual([
    'default//configmaps',
    'default//endpoints',
    'default//secrets',
    'default//serviceaccounts',
  ])
  // A namespace of the same name begins without anything, and what is made in it is found again.
  await fill('small', ['configmaps'])
  expect((await server.send(`${namespaces}/small/configmaps/a`)).status).toBe(200)
  expect(await goneAfter('small')).toEqual(['default//configmaps', 'default//serviceaccounts'])
  await fill('small', [])
  expect((await server.send(`${namespaces}/small/configmaps/a`)).status).toBe(404)
})

describe('with POLICY_SECONDS', () => {
  let patient: CountedServer

  afterAll(() => patient.stop())

  test('a leader election needs no renewal of the rules for as long, and a withdrawn permission ends after it', async () => {
    patient = await startCountedServer({ PLACEMENT: 'collections', POLICY_SECONDS: '5' })
    const former = server
    server = patient
    try {
      await fillShop()
      await elect(robot, 0)
      await untilOutdated()
      await elect(robot, 1)
      expect(await patient.innerRequests()).toEqual([
        'default/coordination.k8s.io/leases: get shop leader',
        'default/coordination.k8s.io/leases: update shop leader',
      ])
      const get = async (): Promise<number> => (await patient.send(`${leases}/leader`, { token: robot })).status
      expect((await patient.send(`${rules}/namespaces/shop/rolebindings/robot`, { method: 'DELETE' })).status).toBe(200)
      await expect.poll(get, { timeout: 10_000 }).toBe(403)
      // Facts that are no permissions stay as recent as ever.
      expect((await patient.send('/api/v1/namespaces/shop', { method: 'DELETE' })).status).toBe(200)
      const create = { method: 'POST', body: { metadata: { generateName: 'a-' } } }
      await untilOutdated()
      expect([403, 404]).toContain((await patient.send('/api/v1/namespaces/shop/configmaps', create)).status)
    } finally {
      server = former
    }
  }, 60_000)
})
