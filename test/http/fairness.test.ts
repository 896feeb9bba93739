/** Long requests do not block others: a later small request is answered first. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
let account: string

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

beforeAll(async () => {
  server = await startServer()
  const send = async (path: string, body: unknown): Promise<string> => {
    const reply = await server.send(path, { method: 'POST', body })
    expect(reply.status).toBe(201)
    return reply.text
  }
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leader' }
  const subjects = [{ kind: 'ServiceAccount', name: 'leader', namespace: 'default' }]
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update'] }]
  await send('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'leader' } })
  await send(`${rbac}/roles`, { metadata: { name: 'leader' }, rules })
  await send(`${rbac}/rolebindings`, { metadata: { name: 'leader' }, roleRef, subjects })
  await send(leases, { metadata: { name: 'leader' }, spec: { holderIdentity: 'a', leaseDurationSeconds: 15 } })
  const made = await send('/api/v1/namespaces/default/serviceaccounts/leader/token', { spec: {} })
  account = (JSON.parse(made) as { status: { token: string } }).status.token
})

afterAll(async () => {
  await server.stop()
})

/** Makes a definition whose rules take long to compile, because each has its own type. */
function definition(group: string, rules: number): object {
  const ruled = (i: number): object => ({
    type: 'object',
    description: 'a'.repeat(300),
    properties: { name: { type: 'string', maxLength: 20 }, [`other${i}`]: { type: 'string', maxLength: 20 } },
    'x-kubernetes-validations': [{ rule: `self.name != self.other${i} || self.name.size() < ${i + 1}`, message: 'the same' }],
  })
  const properties = Object.fromEntries(Array.from({ length: rules }, (_, i) => [`field${i}`, ruled(i)]))
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
}

/** Renews the Lease repeatedly until the work is done. Returns the number of renewals and the result of the work. */
async function renewedWhile<T>(work: Promise<T>): Promise<{ readonly renewals: number; readonly result: T }> {
  let done = false
  void work.finally(() => {
    done = true
  })
  for (let renewals = 0; ; renewals++) {
    const found = await server.send(`${leases}/leader`, { token: account })
    const body = found.json<{ spec: Record<string, unknown> }>()
    body.spec.renewTime = `2026-01-01T00:00:00.${String(renewals).padStart(6, '0')}Z`
    const put = await server.send(`${leases}/leader`, { method: 'PUT', body, token: account })
    if (done) return { renewals, result: await work }
    expect(put.status).toBe(200)
  }
}

test('a Lease is renewed many times while one large CustomResourceDefinition is created', async () => {
  const body = definition('large.example.com', 800)
  const { renewals, result } = await renewedWhile(server.send(definitions, { method: 'POST', body }))
  expect(result.status).toBe(201)
  expect(renewals).toBeGreaterThanOrEqual(5)
})

test('a large invalid CustomResourceDefinition gets the same errors as a small one', async () => {
  const small = definition('wrong.example.com', 1)
  const large = definition('wrong.example.com', 800)
  const broken = (body: object): string => JSON.stringify(body).replace('self.name != self.other0', 'self.name != self.none')
  const [few, many] = [
    await server.send(definitions, { method: 'POST', body: broken(small) }),
    await server.send(definitions, { method: 'POST', body: broken(large) }),
  ]
  expect(few.status).toBe(422)
  expect(many.text).toBe(few.text)
})

test('a large CustomResourceDefinition is created, patched and deleted like a small one', async () => {
  const group = 'life.example.com'
  const path = `${definitions}/widgets.${group}`
  expect((await server.send(definitions, { method: 'POST', body: definition(group, 300) })).status).toBe(201)
  const made = (await server.send(path)).json<{ metadata: { uid: string; generation: number }; status: unknown }>()
  expect(made.status).toMatchObject({
    acceptedNames: { plural: 'widgets', kind: 'Widget' },
    conditions: [
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ],
    storedVersions: ['v1'],
  })
  const headers = { 'content-type': 'application/merge-patch+json' }
  const patch = { spec: { names: { shortNames: ['wd'] } } }
  const patched = await server.send(path, { method: 'PATCH', body: patch, headers })
  expect(patched.status).toBe(200)
  expect(patched.json<typeof made>().metadata).toMatchObject({ uid: made.metadata.uid, generation: 2 })
  const widgets = `/apis/${group}/v1/namespaces/default/widgets`
  const widget = {
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name: 'a' },
    spec: { field2: { name: 'a', other2: 'b' } },
  }
  expect((await server.send(widgets, { method: 'POST', body: widget })).status).toBe(201)
  expect((await server.send(path, { method: 'DELETE' })).status).toBe(200)
  await expect.poll(async () => (await server.send(path)).status, { timeout: 20_000 }).toBe(404)
  expect((await server.send(widgets)).status).toBe(404)
})
