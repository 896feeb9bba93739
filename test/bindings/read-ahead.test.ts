/** A cluster with one object: the renewal of the policy brings the object of a GET along. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CountedServer, startCountedServer, token } from './counted-server.ts'

const rules = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
const core = '/api/v1/namespaces/default'
const leader = '/apis/coordination.k8s.io/v1/namespaces/default/leases/leader'

let server: CountedServer
let robot: string

async function make<T>(path: string, body: object): Promise<T> {
  const { status, text } = await server.send(path, { method: 'POST', body })
  expect(status, text).toBe(201)
  return JSON.parse(text) as T
}

beforeAll(async () => {
  server = await startCountedServer({ PLACEMENT: 'one-object' })
  await make(`${core}/serviceaccounts`, { metadata: { name: 'robot' } })
  await make(`${rules}/roles`, {
    metadata: { name: 'leader' },
    rules: [{ apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'], verbs: ['*'] }],
  })
  await make(`${rules}/rolebindings`, {
    metadata: { name: 'robot' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leader' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
  })
  const made = await make<{ status: { token: string } }>(`${core}/serviceaccounts/robot/token`, { spec: {} })
  robot = made.status.token
  await make(leader.replace('/leader', ''), { metadata: { name: 'leader' }, spec: { holderIdentity: 'a' } })
  await make(`${core}/configmaps`, { metadata: { name: 'read' }, data: { a: '1' } })
  await server.send(leader, { token: robot })
}, 60_000)
afterAll(() => server.stop())

/** Waits until the policy has to be renewed, and forgets the inner requests. */
async function untilOutdated(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await server.innerRequests()
}

const renewalWith = (object: string): string => `default/control: get default ${object}`

test('a step of a leader election takes two requests to Durable Objects', async () => {
  for (let step = 0; step < 3; step++) {
    await untilOutdated()
    const lease = JSON.parse((await server.send(leader, { token: robot })).text) as object
    const body = { ...lease, spec: { holderIdentity: 'a', leaseTransitions: step } }
    const { status, text } = await server.send(leader, { method: 'PUT', body, token: robot })
    expect(status, text).toBe(200)
    expect(await server.innerRequests()).toEqual([renewalWith('leader'), 'default/control: update default leader'])
  }
})

describe('a GET after a pause', () => {
  test.each([
    ['a ServiceAccount', () => robot],
    ['the administrator', () => token],
  ])('of %s takes one request, and its response is the one of a later GET', async (_who, by) => {
    const path = `${core}/configmaps/read`
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
    for (const headers of [{}, table, { accept: 'application/yaml' }]) {
      await untilOutdated()
      const first = await server.send(path, { token: by(), headers })
      expect(await server.innerRequests()).toEqual([renewalWith('read')])
      const later = await server.send(path, { token: by(), headers })
      expect(first.status).toBe(200)
      expect(first.text).toBe(later.text)
      expect(Object.keys(first.headers)).toEqual(Object.keys(later.headers))
    }
  })

  test('of an object that does not exist is 404', async () => {
    await untilOutdated()
    const { status, text } = await server.send(`${core}/configmaps/missing`, { token: robot })
    expect(status).toBe(404)
    expect(JSON.parse(text).message).toBe('configmaps "missing" not found')
    expect(await server.innerRequests()).toEqual([renewalWith('missing')])
  })

  test('that is not allowed is 403', async () => {
    await untilOutdated()
    expect((await server.send(`${core}/secrets/any`, { token: robot })).status).toBe(403)
  })

  test('after a change of the rules follows the new rules', async () => {
    await make(`${rules}/roles`, {
      metadata: { name: 'accounts' },
      rules: [{ apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] }],
    })
    expect((await server.send(`${core}/serviceaccounts/robot`, { token: robot })).status).toBe(403)
    await make(`${rules}/rolebindings`, {
      metadata: { name: 'accounts' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'accounts' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
    })
    await untilOutdated()
    expect((await server.send(`${core}/serviceaccounts/robot`, { token: robot })).status).toBe(200)
    await server.send(`${rules}/rolebindings/accounts`, { method: 'DELETE' })
    await untilOutdated()
    expect((await server.send(`${core}/serviceaccounts/robot`, { token: robot })).status).toBe(403)
  })

  test('of the account of a deleted ServiceAccount is 401', async () => {
    await make(`${core}/serviceaccounts`, { metadata: { name: 'brief' } })
    const { status } = await make<{ status: { token: string } }>(`${core}/serviceaccounts/brief/token`, { spec: {} })
    expect((await server.send(`${core}/configmaps/read`, { token: status.token })).status).toBe(403)
    await server.send(`${core}/serviceaccounts/brief`, { method: 'DELETE' })
    await untilOutdated()
    expect((await server.send(`${core}/configmaps/read`, { token: status.token })).status).toBe(401)
  })
})
