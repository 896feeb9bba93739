/** Creates that were admitted before the deletion of their namespace began, and arrive after it: a webhook holds them back. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'
import { makeAuthority } from './certificate-authority.ts'
import { type HttpsServer, startHttps } from './https-server.ts'

let server: TestServer
let webhook: HttpsServer
/** Lets the request of a name go on. The webhook holds each until then. */
const release = new Map<string, () => void>()

const mergePatch = { 'content-type': 'application/merge-patch+json' }

beforeAll(async () => {
  const authority = await makeAuthority('late')
  webhook = await startHttps(authority, async ({ body }) => {
    const { request } = JSON.parse(body) as { request: { uid: string; namespace: string; operation: string } }
    await new Promise<void>((resolve) => release.set(`${request.operation} ${request.namespace}`, resolve))
    const response = { uid: request.uid, allowed: true }
    return { body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response } }
  })
  server = await startServer()
  const hook = {
    name: 'late.example.com',
    clientConfig: { url: webhook.url, caBundle: Buffer.from(authority.certificate).toString('base64') },
    rules: [{ operations: ['CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['secrets', 'leases', 'roles'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  await posted('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'late' },
    webhooks: [hook],
  })
})

afterAll(async () => {
  await server.stop()
  webhook.close()
})

async function posted(path: string, body: object): Promise<void> {
  expect((await server.send(path, { method: 'POST', body })).status).toBe(201)
}

const namespacePath = (name: string): string => `/api/v1/namespaces/${name}`
const makeNamespace = (name: string): Promise<void> => posted('/api/v1/namespaces', { metadata: { name } })
const gone = (path: string): Promise<void> =>
  vi.waitFor(async () => expect((await server.send(path)).status).toBe(404), { timeout: 20_000, interval: 50 })

/** Begins a create. Resolves to its reply when the returned function lets it go on. */
async function held(namespace: string, send: () => Promise<Reply>): Promise<() => Promise<Reply>> {
  const reply = send()
  const key = `CREATE ${namespace}`
  await vi.waitFor(() => expect(release.has(key)).toBe(true), { timeout: 20_000 })
  return () => {
    release.get(key)?.()
    release.delete(key)
    return reply
  }
}

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const coordination = '/apis/coordination.k8s.io/v1'

/** The ways in which an object may be created; the collection of roles is in the control object. */
const creates: readonly [string, string, (namespace: string) => Promise<Reply>][] = [
  ['a POST', 'secrets', (namespace) => server.send(`${namespacePath(namespace)}/secrets`, { method: 'POST', body: late })],
  [
    'a POST of a role',
    'roles',
    (namespace) => server.send(`${rbac}/namespaces/${namespace}/roles`, { method: 'POST', body: late }),
  ],
  [
    'an apply',
    'secrets',
    (namespace) =>
      server.send(`${namespacePath(namespace)}/secrets/late?fieldManager=test`, {
        method: 'PATCH',
        body: { apiVersion: 'v1', kind: 'Secret', ...late },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      }),
  ],
  [
    'a PUT',
    'leases',
    (namespace) => server.send(`${coordination}/namespaces/${namespace}/leases/late`, { method: 'PUT', body: late }),
  ],
]
const late = { metadata: { name: 'late' } }
const listOf = (resource: string, namespace: string): string => {
  const group = { secrets: '/api/v1', roles: rbac, leases: coordination }[resource] ?? ''
  return `${group}/namespaces/${namespace}/${resource}`
}

test.each(creates)(
  '%s in a namespace that is gone meanwhile is 404, and leaves nothing in the next one of that name',
  async (...one) => {
    const [how, resource, send] = one
    const name = how.replaceAll(' ', '-').toLowerCase()
    await makeNamespace(name)
    const goOn = await held(name, () => send(name))
    await server.send(namespacePath(name), { method: 'DELETE' })
    await gone(namespacePath(name))
    const reply = await goOn()
    expect([reply.status, reply.json()]).toMatchObject([404, { message: `namespaces "${name}" not found`, reason: 'NotFound' }])
    await makeNamespace(name)
    expect((await server.send(listOf(resource, name))).json<{ items: unknown[] }>().items).toEqual([])
    // The new namespace takes objects, and they go with it.
    const again = await held(name, () => send(name))
    expect((await again()).status).toBe(201)
    await server.send(namespacePath(name), { method: 'DELETE' })
    await gone(`${listOf(resource, name)}/late`)
  },
)

test('a create in a namespace that is terminating meanwhile is 403, and finalizers can still be removed', async () => {
  await makeNamespace('going')
  const kept = `${namespacePath('going')}/configmaps`
  await posted(kept, { metadata: { name: 'kept', finalizers: ['example.com/hold'] } })
  const goOn = await held('going', () => server.send(`${namespacePath('going')}/secrets`, { method: 'POST', body: late }))
  await server.send(namespacePath('going'), { method: 'DELETE' })
  await vi.waitFor(async () => {
    const { status } = (await server.send(namespacePath('going'))).json<{ status: { conditions?: unknown[] } }>()
    expect(status.conditions).toBeDefined()
  })
  const reply = await goOn()
  expect([reply.status, reply.json()]).toMatchObject([
    403,
    {
      message: 'secrets "late" is forbidden: unable to create new content in namespace going because it is being terminated',
      details: { name: 'late', causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    },
  ])
  const removed = { method: 'PATCH', body: { metadata: { finalizers: null } }, headers: mergePatch } as const
  expect((await server.send(`${kept}/kept`, removed)).status).toBe(200)
  await gone(namespacePath('going'))
})
