/** RBAC, privilege escalation, impersonation and access reviews over HTTPS. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const pods = '/api/v1/namespaces/default/pods'

function as(user: string, path: string, body?: unknown, groups = ''): Promise<Reply> {
  const headers = {
    'impersonate-user': user,
    'content-type': 'application/json',
    ...(groups !== '' && { 'impersonate-group': groups }),
  }
  return server.send(path, { method: body === undefined ? 'GET' : 'POST', headers, body })
}

const make = (path: string, body: unknown): Promise<Reply> =>
  server.send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

const clusterRole = (name: string, rules: unknown[], labels = {}): Promise<Reply> =>
  make(`${rbac}/clusterroles`, { metadata: { name, labels }, rules })

const bindUser = (name: string, role: string, user: string): Promise<Reply> =>
  make(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  })

const on = (resources: string[], verbs: string[]) => ({ apiGroups: [''], resources, verbs })

describe('an RBAC role', () => {
  test('allows from the moment in which it is bound, and everything else stays 403 Forbidden', async () => {
    expect((await as('bob', pods)).status).toBe(403)
    await clusterRole('pod-reader', [on(['pods'], ['get', 'list'])])
    await bindUser('bob-reads', 'pod-reader', 'bob')
    expect((await as('bob', pods)).status).toBe(200)
    const refused = await as('bob', '/api/v1/namespaces/default/secrets')
    expect(refused.status).toBe(403)
    expect(refused.json<{ message: string }>().message).toBe(
      'secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" in the namespace "default"',
    )
  })

  test('cannot be granted by a user who does not hold its permissions (escalation)', async () => {
    await clusterRole('role-maker', [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'], verbs: ['create'] }])
    await bindUser('eve-makes-roles', 'role-maker', 'eve')
    const role = { metadata: { name: 'mine', namespace: 'default' }, rules: [on(['secrets'], ['get', 'list'])] }
    const refused = await as('eve', `${rbac}/namespaces/default/roles`, role)
    expect(refused.status).toBe(403)
    expect(refused.json<{ message: string }>().message).toBe(
      'roles.rbac.authorization.k8s.io "mine" is forbidden: user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
    )
    const admin = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
    const binding = { metadata: { name: 'all' }, roleRef: admin, subjects: [{ kind: 'User', name: 'eve' }] }
    expect((await as('eve', `${rbac}/clusterrolebindings`, binding)).status).toBe(403)
  })

  test('with an aggregate-to-* label extends the aggregated ClusterRole', async () => {
    await clusterRole('more-view', [on(['widgets'], ['get'])], { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' })
    interface Role {
      readonly rules: readonly { readonly resources?: readonly string[] }[]
    }
    // The next write of the same object is answered after the reconcile of aggregated roles.
    await clusterRole('after', [])
    for (const name of ['view', 'edit', 'admin']) {
      const role = (await server.send(`${rbac}/clusterroles/${name}`)).json<Role>()
      expect(role.rules.some((rule) => rule.resources?.includes('widgets'))).toBe(true)
    }
  })
})

describe('impersonation', () => {
  test('is 403 without the impersonate verb', async () => {
    await clusterRole('impersonator-of-carl', [
      { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['carl'] },
    ])
    await bindUser('dora-is-carl', 'impersonator-of-carl', 'dora')
    const review = (wanted: string) => ({
      spec: { resourceAttributes: { verb: 'impersonate', resource: 'users', name: wanted } },
    })
    const allowed = async (wanted: string): Promise<unknown> =>
      (await as('dora', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review(wanted))).json<{ status: unknown }>()
        .status
    expect(await allowed('carl')).toMatchObject({ allowed: true })
    expect(await allowed('root')).toEqual({ allowed: false })
  })

  test('by an anonymous request is 403', async () => {
    const reply = await server.send(pods, {
      token: false,
      headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
    })
    expect(reply.status).toBe(403)
  })
})

test('anonymous users may read /version only, by the bootstrap roles', async () => {
  expect((await server.send('/version', { token: false })).status).toBe(200)
  expect((await server.send('/api', { token: false })).status).toBe(403)
  expect((await server.send(pods, { token: false })).status).toBe(403)
})

test('SelfSubjectRulesReview lists the rules of the requesting user', async () => {
  const reply = await as('frida', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'default' } })
  expect(reply.status).toBe(201)
  const { status } = reply.json<{ status: { resourceRules: { resources: string[] }[] } }>()
  expect(status.resourceRules.flatMap((rule) => rule.resources)).toContain('selfsubjectaccessreviews')
})
