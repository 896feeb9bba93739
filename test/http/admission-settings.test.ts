/** A server with --admission-control-config-file, --disable-admission-plugins and an image policy's backend over HTTPS. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Reply } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'
import { makeAuthority } from './certificate-authority.ts'
import { type HttpsServer, type ReceivedRequest, startHttps } from './https-server.ts'

/** Names files relative to its own: kube-apiserver reads it in the same way. */
const configuration = (directory: string): string => `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  path: pod-security.yaml
- name: ImagePolicyWebhook
  configuration:
    imagePolicy: {kubeConfigFile: ${join(directory, 'backend.yaml')}, allowTTL: 60, denyTTL: -1, defaultAllow: true}
- name: EventRateLimit
  path: not-read-because-the-plugin-is-disabled.yaml
`

const podSecurity = `
apiVersion: pod-security.admission.config.k8s.io/v1
kind: PodSecurityConfiguration
defaults: {enforce: baseline}
exemptions: {namespaces: [kube-system]}
`

const backendAccess = (url: string): string => `
clusters: [{name: backend, cluster: {server: '${url}/review', certificate-authority: ca.crt}}]
users: [{name: api, user: {tokenFile: backend.token}}]
contexts: [{name: backend, context: {cluster: backend, user: api}}]
current-context: backend
`

const auditPolicy = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\nomitStages: [RequestReceived]\n'

let server: TestServer
let backend: HttpsServer
let directory: string

const imageOf = ({ body }: ReceivedRequest): string =>
  (JSON.parse(body) as { spec: { containers: { image: string }[] } }).spec.containers[0]?.image ?? ''

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgeplane-admission-'))
  const authority = await makeAuthority('backend')
  backend = await startHttps(authority, (request) => {
    if (imageOf(request) === 'broken') return { status: 404, body: {} }
    const auditAnnotations = { reviewed: 'yes' }
    return { body: { status: { allowed: imageOf(request) !== 'denied', auditAnnotations } } }
  })
  const files = {
    'ca.crt': authority.certificate,
    'backend.token': 'secret\n',
    'backend.yaml': backendAccess(backend.url),
    'pod-security.yaml': podSecurity,
    'admission.yaml': configuration(directory),
    'policy.yaml': auditPolicy,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  server = await startServer({
    args: [
      `--admission-control-config-file=${join(directory, 'admission.yaml')}`,
      '--enable-admission-plugins=ImagePolicyWebhook',
      '--disable-admission-plugins=ServiceAccount',
      '--disable-admission-plugins=DefaultTolerationSeconds',
      `--audit-policy-file=${join(directory, 'policy.yaml')}`,
      `--audit-log-path=${join(directory, 'audit.log')}`,
    ],
  })
}, 60_000)
afterAll(async () => {
  await server.stop()
  backend.close()
  rmSync(directory, { recursive: true, force: true })
})

const pod = (name: string, image: string, spec: object = {}): Promise<Reply> =>
  server.send('/api/v1/namespaces/default/pods', {
    method: 'POST',
    body: { metadata: { name }, spec: { containers: [{ name: 'a', image }], ...spec } },
  })

/** Returns the audit annotations of a request of the image policy, after it has been recorded. */
const annotationsOf = (reply: Reply): Promise<Record<string, string>> =>
  vi.waitFor(
    () => {
      const id = String(reply.headers['audit-id'])
      const line = readFileSync(join(directory, 'audit.log'), 'utf8')
        .split('\n')
        .find((text) => text.includes(id))
      if (line === undefined) throw new Error('not recorded yet')
      return (JSON.parse(line) as { annotations?: Record<string, string> }).annotations ?? {}
    },
    { timeout: 10_000 },
  )

test('--disable-admission-plugins may be given several times', async () => {
  const { spec } = (await pod('plain', 'allowed')).json<{ spec: Record<string, unknown> }>()
  expect(spec.serviceAccountName).toBeUndefined()
  expect(spec.tolerations).toBeUndefined()
})

test('PodSecurityConfiguration in a file of its own: the default level and exempt namespaces', async () => {
  const rejected = await pod('privileged', 'allowed', { hostNetwork: true })
  expect(rejected.status).toBe(403)
  expect(rejected.text).toContain('violates PodSecurity \\"baseline:latest\\": host namespaces (hostNetwork=true)')
  const body = { metadata: { name: 'exempt' }, spec: { hostNetwork: true, containers: [{ name: 'a', image: 'allowed' }] } }
  const exempt = await server.send('/api/v1/namespaces/kube-system/pods', { method: 'POST', body })
  expect(exempt.status).toBe(201)
})

test('ImagePolicyWebhook: the backend gets an ImageReview with credentials, and its decisions are cached for allowTTL and denyTTL', async () => {
  backend.requests.length = 0
  expect((await pod('one', 'cached')).status).toBe(201)
  expect((await pod('two', 'cached')).status).toBe(201)
  expect(backend.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([['/review', 'Bearer secret']])
  expect(JSON.parse(backend.requests[0]?.body ?? '')).toMatchObject({
    apiVersion: 'imagepolicy.k8s.io/v1alpha1',
    kind: 'ImageReview',
    spec: { containers: [{ image: 'cached' }], namespace: 'default' },
  })
  const denied = [await pod('three', 'denied'), await pod('three', 'denied')]
  expect(denied.map((reply) => reply.json().message)).toEqual(
    Array(2).fill('pods "three" is forbidden: one or more images rejected by webhook backend'),
  )
  expect(backend.requests.length).toBe(3)
})

test('ImagePolicyWebhook: audit annotations of the backend are recorded, also of rejected Pods', async () => {
  const annotation = { 'imagepolicywebhook.image-policy.k8s.io/reviewed': 'yes' }
  expect(await annotationsOf(await pod('recorded', 'recorded'))).toMatchObject(annotation)
  expect(await annotationsOf(await pod('rejected', 'denied'))).toMatchObject(annotation)
})

test('ImagePolicyWebhook with defaultAllow: Pods are annotated and recorded if the backend fails', async () => {
  const reply = await pod('open', 'broken')
  expect(reply.status).toBe(201)
  const { metadata } = reply.json<{ metadata: { annotations?: Record<string, string> } }>()
  expect(metadata.annotations).toEqual({ 'alpha.image-policy.k8s.io/failed-open': 'true' })
  const stored = await server.send('/api/v1/namespaces/default/pods/open')
  expect(stored.json<{ metadata: object }>().metadata).toMatchObject({ annotations: metadata.annotations })
  expect(await annotationsOf(reply)).toMatchObject({ 'imagepolicywebhook.image-policy.k8s.io/failed-open': 'true' })
})
