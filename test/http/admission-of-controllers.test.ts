/** Policies and webhooks see what the garbage collector and the deletion of a namespace do, in both placements. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Reply, startServer, type TestServer } from '../server.ts'
import { startWebhookServer, type WebhookServer } from './admission-webhooks/webhook-server.ts'

interface Item {
  readonly metadata: {
    readonly uid: string
    readonly finalizers?: readonly string[]
    readonly ownerReferences?: readonly object[]
  }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message: string }[] }
}

const group = '/apis/admissionregistration.k8s.io/v1'

describe.each(['collections', 'one-object'])('with the placement %s', (placement) => {
  let server: TestServer
  let webhook: WebhookServer
  let counter = 0

  beforeAll(async () => {
    webhook = await startWebhookServer()
    server = await startServer(undefined, undefined, ['--placement', placement])
  }, 30_000)
  afterAll(async () => {
    await server.stop()
    webhook.stop()
  })

  const send = (path: string, method = 'GET', body?: unknown, headers = {}): Promise<Reply> =>
    server.send(path, { method, headers, ...(body !== undefined && { body }) })

  async function create(path: string, body: unknown): Promise<Item> {
    const reply = await send(path, 'POST', body)
    expect([reply.status, reply.text]).toEqual([201, expect.anything()])
    return reply.json<Item>()
  }

  /** Makes a namespace in which a policy refuses operations on the object `kept`. Returns their path and the policy's name. */
  async function guarded(operation: 'UPDATE' | 'DELETE'): Promise<{ at: string; name: string }> {
    const name = `${placement}-${++counter}`
    await create('/api/v1/namespaces', { metadata: { name } })
    const rule = { apiGroups: [''], apiVersions: ['*'], operations: [operation], resources: ['configmaps'] }
    const refusal = {
      expression: "oldObject.metadata.name != 'kept'",
      messageExpression: "'not by ' + request.userInfo.username",
    }
    const here = { matchLabels: { 'kubernetes.io/metadata.name': name } }
    await create(`${group}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: { matchConstraints: { namespaceSelector: here, resourceRules: [rule] }, validations: [refusal] },
    })
    await create(`${group}/validatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    })
    return { at: `/api/v1/namespaces/${name}`, name }
  }
  const unguard = (name: string): Promise<Reply> => send(`${group}/validatingadmissionpolicybindings/${name}`, 'DELETE')

  /** Makes an owner, and objects that it owns. */
  async function family(at: string, dependents: readonly string[]): Promise<void> {
    const { metadata } = await create(`${at}/secrets`, { metadata: { name: 'owner' } })
    const owner = { apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: metadata.uid, blockOwnerDeletion: true }
    for (const name of dependents) await create(`${at}/configmaps`, { metadata: { name, ownerReferences: [owner] } })
  }

  const is = (path: string, status: number): Promise<void> =>
    vi.waitFor(async () => expect((await send(path)).status).toBe(status), { timeout: 20_000, interval: 50 })

  test('a policy keeps an object that the garbage collector would delete, until the policy is gone', async () => {
    const { at, name } = await guarded('DELETE')
    await family(at, ['kept', 'other'])
    expect((await send(`${at}/secrets/owner?propagationPolicy=Foreground`, 'DELETE')).status).toBe(200)
    await is(`${at}/configmaps/other`, 404)
    expect((await send(`${at}/configmaps/kept`)).status).toBe(200)
    const owner = (await send(`${at}/secrets/owner`)).json<Item>()
    expect(owner.metadata.finalizers).toEqual(['foregroundDeletion'])
    await unguard(name)
    await is(`${at}/configmaps/kept`, 404)
    await is(`${at}/secrets/owner`, 404)
  })

  test('a policy that refuses updates keeps the references of orphans', async () => {
    const { at, name } = await guarded('UPDATE')
    await family(at, ['kept', 'other'])
    expect((await send(`${at}/secrets/owner?propagationPolicy=Orphan`, 'DELETE')).status).toBe(200)
    await vi.waitFor(async () => {
      expect((await send(`${at}/configmaps/other`)).json<Item>().metadata.ownerReferences).toBeUndefined()
    })
    expect((await send(`${at}/configmaps/kept`)).json<Item>().metadata.ownerReferences).toHaveLength(1)
    expect((await send(`${at}/secrets/owner`)).status).toBe(200)
    await unguard(name)
    await is(`${at}/secrets/owner`, 404)
    expect((await send(`${at}/configmaps/kept`)).json<Item>().metadata.ownerReferences).toBeUndefined()
  })

  test('a webhook that denies deletions is asked on behalf of the garbage collector', async () => {
    const { at } = await guarded('UPDATE')
    const name = at.slice('/api/v1/namespaces/'.length)
    const hook = {
      name: 'deletions.example.com',
      clientConfig: { url: `https://127.0.0.1:${webhook.port}/deny`, caBundle: webhook.caBundle },
      rules: [{ operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    }
    await create(`${group}/validatingwebhookconfigurations`, { metadata: { name }, webhooks: [hook] })
    await family(at, ['dependent'])
    webhook.received.splice(0)
    expect((await send(`${at}/secrets/owner`, 'DELETE')).status).toBe(200)
    await vi.waitFor(() => expect(webhook.received.length).toBeGreaterThan(0), { timeout: 20_000, interval: 50 })
    expect(webhook.received[0]?.review.request).toMatchObject({
      operation: 'DELETE',
      name: 'dependent',
      userInfo: { username: 'system:serviceaccount:kube-system:generic-garbage-collector' },
      oldObject: { metadata: { name: 'dependent' } },
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
    })
    expect((await send(`${at}/configmaps/dependent`)).status).toBe(200)
    await send(`${group}/validatingwebhookconfigurations/${name}`, 'DELETE')
    await is(`${at}/configmaps/dependent`, 404)
  })

  test('a policy keeps the content of a namespace, and the condition says why', async () => {
    const { at, name } = await guarded('DELETE')
    await create(`${at}/configmaps`, { metadata: { name: 'kept' } })
    expect((await send(at, 'DELETE')).status).toBe(200)
    await vi.waitFor(
      async () => {
        const { status } = (await send(at)).json<Item>()
        const failure = status?.conditions?.find(({ type }) => type === 'NamespaceDeletionContentFailure')
        const refusal = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request`
        const by = 'not by system:serviceaccount:kube-system:namespace-controller'
        expect(failure?.message).toBe(
          `Failed to delete all resource types, 1 remaining: configmaps "Unknown" is forbidden: ${refusal}: ${by}`,
        )
      },
      { timeout: 20_000, interval: 50 },
    )
    expect((await send(`${at}/configmaps/kept`)).status).toBe(200)
    await unguard(name)
    await is(at, 404)
  })
})
