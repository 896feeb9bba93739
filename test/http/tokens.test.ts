/** ServiceAccount tokens: TokenRequest, authentication, verification by published keys, and expiry. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 30_000)
afterAll(() => server.stop())

const core = '/api/v1/namespaces/default'
const issuer = 'https://kubernetes.default.svc.cluster.local'
/** Effects of a deletion are at most a second late; the machine may be busy. */
const soon = { timeout: 8000, interval: 50 }

const make = (path: string, body: unknown): Promise<Reply> => server.send(path, { method: 'POST', body })
const remove = (path: string): Promise<Reply> => server.send(path, { method: 'DELETE' })
const account = (name: string): Promise<Reply> => make(`${core}/serviceaccounts`, { metadata: { name } })

async function tokenOf(name: string, spec: object = {}): Promise<string> {
  const reply = await make(`${core}/serviceaccounts/${name}/token`, { spec })
  expect(reply.status, reply.text).toBe(201)
  return reply.json<{ status: { token: string } }>().status.token
}

interface UserInfo {
  readonly username: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Returns the user of a token by SelfSubjectReview; undefined for 401. */
async function whoami(token: string): Promise<UserInfo | undefined> {
  const reply = await server.send('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body: {}, token })
  if (reply.status === 401) return undefined
  expect(reply.status, reply.text).toBe(201)
  return reply.json<{ status: { userInfo: UserInfo } }>().status.userInfo
}

const ends = (token: string): Promise<void> => expect.poll(() => whoami(token), soon).toBeUndefined()

const pod = (name: string, serviceAccountName: string) => ({
  metadata: { name },
  spec: { serviceAccountName, containers: [{ name: 'c', image: 'i' }] },
})

const publishedKeys = () => server.send('/openid/v1/jwks', { headers: { accept: 'application/jwk-set+json' } })

describe('a ServiceAccount token', () => {
  test('authenticates, and is verified by others with the published keys (JWKS)', async () => {
    await account('robot')
    const token = await tokenOf('robot', { audiences: [issuer, 'vault'] })
    expect(await whoami(token)).toMatchObject({
      username: 'system:serviceaccount:default:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    })
    const discovery = (await server.send('/.well-known/openid-configuration')).json<{ issuer: string; jwks_uri: string }>()
    expect(discovery).toMatchObject({ issuer, jwks_uri: `https://127.0.0.1:${server.port}/openid/v1/jwks` })
    const keys = (await publishedKeys()).json<JSONWebKeySet>()
    for (const key of keys.keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer, audience: 'vault', algorithms: ['ES256'] })
    expect(payload.sub).toBe('system:serviceaccount:default:robot')
  })

  test('gives access to the OpenID discovery document and JWKS, which are 403 for anonymous requests', async () => {
    await account('reader')
    const token = await tokenOf('reader')
    for (const path of ['/.well-known/openid-configuration', '/openid/v1/jwks']) {
      expect((await server.send(path, { token, headers: { accept: '*/*' } })).status).toBe(200)
      expect((await server.send(path, { token: false })).status).toBe(403)
    }
  })

  test('for another audience is 401 here, and a TokenReview shows its audiences', async () => {
    await account('guest')
    const token = await tokenOf('guest', { audiences: ['vault'] })
    expect(await whoami(token)).toBeUndefined()
    const reviewed = async (audiences: string[]): Promise<unknown> =>
      (await make('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } })).json<{ status: unknown }>()
        .status
    expect(await reviewed(['vault', 'third'])).toMatchObject({ authenticated: true, audiences: ['vault'] })
    expect(await reviewed([])).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${issuer}"]]`,
    })
  })

  test('ends with its ServiceAccount, even if one with the same name is created', async () => {
    await account('brief')
    const token = await tokenOf('brief')
    expect(await whoami(token)).toBeDefined()
    await remove(`${core}/serviceaccounts/brief`)
    await account('brief')
    await ends(token)
    expect(await whoami(await tokenOf('brief'))).toBeDefined()
  })

  test('ends with the Pod or Secret that it is bound to', async () => {
    await account('bound')
    await make(`${core}/pods`, pod('host', 'bound'))
    await make(`${core}/secrets`, { metadata: { name: 'key' } })
    const ofPod = await tokenOf('bound', { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'host' } })
    const ofSecret = await tokenOf('bound', { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'key' } })
    expect((await whoami(ofPod))?.extra?.['authentication.kubernetes.io/pod-name']).toEqual(['host'])
    expect(await whoami(ofSecret)).toBeDefined()
    await remove(`${core}/pods/host?gracePeriodSeconds=0`)
    await make(`${core}/pods`, pod('host', 'bound'))
    await ends(ofPod)
    await remove(`${core}/secrets/key`)
    await ends(ofSecret)
  })

  test('cannot be created for another account: 403', async () => {
    await account('asker')
    const token = await tokenOf('asker')
    const reply = await server.send(`${core}/serviceaccounts/robot/token`, { method: 'POST', body: { spec: {} }, token })
    expect(reply.status).toBe(403)
    expect(reply.json<{ message: string }>().message).toContain('cannot create resource "serviceaccounts/token"')
  })
})

describe('a Secret of type service-account-token', () => {
  const secret = (name: string, accountName: string) => ({
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': accountName } },
    type: 'kubernetes.io/service-account-token',
  })

  interface TokenSecret {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>> }
    readonly data?: Readonly<Record<string, string>>
  }
  const read = async (name: string): Promise<TokenSecret> => (await server.send(`${core}/secrets/${name}`)).json<TokenSecret>()
  const text = (base64 = ''): string => Buffer.from(base64, 'base64').toString()

  async function filled(name: string, accountName: string): Promise<string> {
    await make(`${core}/secrets`, secret(name, accountName))
    await expect.poll(async () => (await read(name)).data?.token, soon).toBeDefined()
    return text((await read(name)).data?.token)
  }

  test('gets token, namespace and ca.crt, and the token ends with it', async () => {
    await account('legacy')
    const token = await filled('legacy-token', 'legacy')
    const { data } = await read('legacy-token')
    expect(text(data?.namespace)).toBe('default')
    expect(text(data?.['ca.crt'])).toBe(readFileSync(join(server.dataDirectory, 'tls/ca.crt'), 'utf8'))
    expect((await whoami(token))?.username).toBe('system:serviceaccount:default:legacy')
    const { labels } = (await read('legacy-token')).metadata
    expect(labels?.['kubernetes.io/legacy-token-last-used']).toMatch(/^\d{4}-\d\d-\d\d$/)
    await remove(`${core}/secrets/legacy-token`)
    await ends(token)
  })

  test('is deleted with its ServiceAccount, and if the ServiceAccount does not exist', async () => {
    await account('gone')
    const token = await filled('gone-token', 'gone')
    await remove(`${core}/serviceaccounts/gone`)
    await expect.poll(async () => (await server.send(`${core}/secrets/gone-token`)).status, soon).toBe(404)
    await ends(token)
    await make(`${core}/secrets`, secret('nobodys', 'nobody'))
    await expect.poll(async () => (await server.send(`${core}/secrets/nobodys`)).status, soon).toBe(404)
  })

  test('is deleted if many ServiceAccounts are deleted together', async () => {
    const names = ['one', 'two', 'three']
    await account('stays')
    const stays = await filled('stays-token', 'stays')
    for (const name of names) {
      await make(`${core}/serviceaccounts`, { metadata: { name, labels: { together: 'yes' } } })
      await filled(`${name}-token`, name)
    }
    await remove(`${core}/serviceaccounts?labelSelector=together%3Dyes`)
    for (const name of names) {
      await expect.poll(async () => (await server.send(`${core}/secrets/${name}-token`)).status, soon).toBe(404)
    }
    expect(await whoami(stays)).toMatchObject({ username: 'system:serviceaccount:default:stays' })
  })

  test('with the label legacy-token-invalid-since is 401', async () => {
    await account('marked')
    const token = await filled('marked-token', 'marked')
    const labels = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' }
    await server.send(`${core}/secrets/marked-token`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { labels } },
    })
    expect(await whoami(token)).toBeUndefined()
  })
})

test('a bootstrap token authenticates until its Secret is deleted', async () => {
  const path = '/api/v1/namespaces/kube-system/secrets'
  await make(path, {
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' },
  })
  expect(await whoami('abcdef.0123456789abcdef')).toEqual({
    username: 'system:bootstrap:abcdef',
    groups: ['system:bootstrappers', 'system:authenticated'],
  })
  expect(await whoami('abcdef.0123456789abcdee')).toBeUndefined()
  await remove(`${path}/bootstrap-token-abcdef`)
  await ends('abcdef.0123456789abcdef')
})

test('the bootstrap namespaces have a ServiceAccount and a kube-root-ca.crt without any write', async () => {
  const namespacesOf = async (path: string): Promise<string[]> => {
    const { items } = (await server.send(path)).json<{ items: { metadata: { namespace: string } }[] }>()
    return items.map(({ metadata }) => metadata.namespace).filter((name) => name !== 'shop')
  }
  const initial = ['default', 'kube-node-lease', 'kube-public', 'kube-system']
  const accounts = '/api/v1/serviceaccounts?fieldSelector=metadata.name%3Ddefault'
  await expect.poll(() => namespacesOf(accounts), soon).toEqual(initial)
  const certificates = '/api/v1/configmaps?fieldSelector=metadata.name%3Dkube-root-ca.crt'
  await expect.poll(() => namespacesOf(certificates), soon).toEqual(initial)
})

describe('a namespace', () => {
  const kept = '/api/v1/namespaces/shop'
  const certificate = `${kept}/configmaps/kube-root-ca.crt`
  const authority = (): string => readFileSync(join(server.dataDirectory, 'tls/ca.crt'), 'utf8')
  const published = async (): Promise<unknown> => (await server.send(certificate)).json<{ data?: unknown }>().data

  test('has the ServiceAccount default from the first moment, and again after a deletion', async () => {
    await make('/api/v1/namespaces', { metadata: { name: 'shop' } })
    expect(
      (await make(`${kept}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })).status,
    ).toBe(201)
    await remove(`${kept}/serviceaccounts/default`)
    await expect.poll(async () => (await server.send(`${kept}/serviceaccounts/default`)).status, soon).toBe(200)
  })

  test('has the ConfigMap kube-root-ca.crt, which is restored after changes', async () => {
    await expect.poll(published, soon).toEqual({ 'ca.crt': authority() })
    await remove(certificate)
    await expect.poll(published, soon).toEqual({ 'ca.crt': authority() })
    const headers = { 'content-type': 'application/merge-patch+json' }
    await server.send(certificate, { method: 'PATCH', headers, body: { data: { 'ca.crt': 'evil', more: 'x' } } })
    await expect.poll(published, soon).toEqual({ 'ca.crt': authority() })
  })

  test('that is deleted is not kept alive by recreated objects', async () => {
    await remove(kept)
    await expect.poll(async () => (await server.send(kept)).status, { timeout: 15_000, interval: 100 }).toBe(404)
    expect((await server.send(certificate)).status).toBe(404)
    expect((await server.send(`${kept}/serviceaccounts/default`)).status).toBe(404)
  })
})

test('tokens and keys survive a restart', async () => {
  await account('lasting')
  const token = await tokenOf('lasting')
  const keys = (await publishedKeys()).text
  await server.kill()
  server = await startServer({ dataDirectory: server.dataDirectory })
  expect((await publishedKeys()).text).toBe(keys)
  expect((await whoami(token))?.username).toBe('system:serviceaccount:default:lasting')
}, 30_000)
