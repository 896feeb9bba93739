/** Policies and webhooks see what controllers create and delete, in both placements. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'
import { startWebhookServer, type WebhookServer } from './admission-webhooks/webhook-server.ts'

interface Item {
  readonly metadata: {
    readonly uid: string
    readonly annotations?: Readonly<Record<string, string>>
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
    server = await startServer({ args: ['--placement', placement] })
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
  async function guarded(operation: 'UPDATE' | 'DELETE', resource = 'configmaps'): Promise<{ at: string; name: string }> {
    const name = `${placement}-${++counter}`
    await create('/api/v1/namespaces', { metadata: { name } })
    const rule = { apiGroups: [''], apiVersions: ['*'], operations: [operation], resources: [resource] }
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

  test('a policy refuses the default objects of a namespace, until the policy is gone', async () => {
    const name = `${placement}-${++counter}`
    const rule = { apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources: ['serviceaccounts', 'configmaps'] }
    const here = { matchLabels: { 'kubernetes.io/metadata.name': name } }
    const kept = [
      'system:serviceaccount:kube-system:service-account-controller',
      'system:serviceaccount:kube-system:root-ca-cert-publisher',
    ]
    await create(`${group}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: {
        matchConstraints: { namespaceSelector: here, resourceRules: [rule] },
        validations: [{ expression: `!(request.userInfo.username in ${JSON.stringify(kept)})` }],
      },
    })
    const binding = { policyName: name, validationActions: ['Deny'] }
    await create(`${group}/validatingadmissionpolicybindings`, { metadata: { name }, spec: binding })
    await create('/api/v1/namespaces', { metadata: { name } })
    const at = `/api/v1/namespaces/${name}`
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const refused = await send(`${at}/pods`, 'POST', pod)
    expect(refused.json()).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: error looking up service account ${name}/default: serviceaccount "default" not found`,
    })
    // The creations of a client are admitted.
    await create(`${at}/configmaps`, { metadata: { name: 'other' } })
    expect((await send(`${at}/configmaps/kube-root-ca.crt`)).status).toBe(404)
    await unguard(name)
    await is(`${at}/serviceaccounts/default`, 200)
    await is(`${at}/configmaps/kube-root-ca.crt`, 200)
    await create(`${at}/pods`, pod)
  })

  test('a mutating policy changes the default objects of a namespace, also one that a request creates', async () => {
    const name = `${placement}-${++counter}`
    const rule = { apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources: ['serviceaccounts', 'configmaps'] }
    const by =
      "Object{metadata: Object.metadata{annotations: {'by': request.userInfo.username, 'options': string(request.options.kind)}}}"
    await create(`${group}/mutatingadmissionpolicies`, {
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        matchConstraints: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } }, resourceRules: [rule] },
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: by } }],
      },
    })
    await create(`${group}/mutatingadmissionpolicybindings`, { metadata: { name }, spec: { policyName: name } })
    await create('/api/v1/namespaces', { metadata: { name } })
    const at = `/api/v1/namespaces/${name}`
    await create(`${at}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
    await is(`${at}/configmaps/kube-root-ca.crt`, 200)
    const annotations = async (path: string) => (await send(`${at}/${path}`)).json<Item>().metadata.annotations
    expect(await annotations('serviceaccounts/default')).toEqual({
      by: 'system:serviceaccount:kube-system:service-account-controller',
      options: 'CreateOptions',
    })
    expect(await annotations('configmaps/kube-root-ca.crt')).toMatchObject({
      by: 'system:serviceaccount:kube-system:root-ca-cert-publisher',
    })
  })

  test('a policy keeps the token Secret of a deleted ServiceAccount', async () => {
    const { at, name } = await guarded('DELETE', 'secrets')
    await create(`${at}/serviceaccounts`, { metadata: { name: 'robot' } })
    const annotations = { 'kubernetes.io/service-account.name': 'robot' }
    const type = 'kubernetes.io/service-account-token'
    for (const secret of ['kept', 'other']) await create(`${at}/secrets`, { metadata: { name: secret, annotations }, type })
    await vi.waitFor(async () => expect((await send(`${at}/secrets/kept`)).text).toContain('"token"'))
    expect((await send(`${at}/serviceaccounts/robot`, 'DELETE')).status).toBe(200)
    await is(`${at}/secrets/other`, 404)
    expect((await send(`${at}/secrets/kept`)).status).toBe(200)
    await unguard(name)
    await is(`${at}/secrets/kept`, 404)
  })

  test('a policy keeps the token out of a Secret', async () => {
    const { at, name } = await guarded('UPDATE', 'secrets')
    const annotations = { 'kubernetes.io/service-account.name': 'default' }
    await is(`${at}/serviceaccounts/default`, 200)
    const type = 'kubernetes.io/service-account-token'
    for (const secret of ['kept', 'other']) await create(`${at}/secrets`, { metadata: { name: secret, annotations }, type })
    const hasToken = async (secret: string) => (await send(`${at}/secrets/${secret}`)).text.includes('"token"')
    await vi.waitFor(async () => expect(await hasToken('other')).toBe(true))
    expect(await hasToken('kept')).toBe(false)
    await unguard(name)
    await vi.waitFor(async () => expect(await hasToken('kept')).toBe(true), { timeout: 20_000, interval: 50 })
  })
})
