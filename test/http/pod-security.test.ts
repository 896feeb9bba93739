/** Pod Security over HTTPS: its configuration, exemptions, audit annotations, metrics, and the existing Pods of a namespace. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Reply, RequestOptions } from '../client.ts'
import { startServer, type TestServer } from '../server.ts'

const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

const admissionConfiguration = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {audit: baseline, warn: baseline, warn-version: v1.30}
    exemptions: {usernames: [operator], namespaces: [exempt], runtimeClasses: [sandboxed]}
`

let server: TestServer
let files: string

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'edgeplane-pod-security-'))
  writeFileSync(join(files, 'audit.yaml'), auditPolicy)
  writeFileSync(join(files, 'admission.yaml'), admissionConfiguration)
  server = await startServer({
    args: [
      `--audit-policy-file=${join(files, 'audit.yaml')}`,
      `--audit-log-path=${join(files, 'audit.log')}`,
      `--admission-control-config-file=${join(files, 'admission.yaml')}`,
    ],
  })
  const handler = { metadata: { name: 'sandboxed' }, handler: 'h' }
  await send('/apis/node.k8s.io/v1/runtimeclasses', { method: 'POST', body: handler })
}, 30_000)
afterAll(async () => {
  await server.stop()
  rmSync(files, { recursive: true, force: true })
})

const label = (mode: string): string => `pod-security.kubernetes.io/${mode}`

/** Returns labels of a namespace, for modes such as `enforce-version`. */
const labelsFor = (modes: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(modes).map(([mode, value]) => [label(mode), value]))

async function send(path: string, options: RequestOptions): Promise<Reply> {
  const reply = await server.send(path, options)
  expect(Object.keys(reply.headers).filter((name) => name.startsWith('edgeplane'))).toEqual([])
  return reply
}

const post = (path: string, body: unknown): Promise<Reply> => send(path, { method: 'POST', body })
const merge = (path: string, body: unknown): Promise<Reply> =>
  send(path, { method: 'PATCH', body, headers: { 'content-type': 'application/merge-patch+json' } })

async function namespace(name: string, modes: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const reply = await post('/api/v1/namespaces', { metadata: { name, labels: labelsFor(modes) } })
  expect(reply.status).toBe(201)
  return reply
}

const pod = (name: string, spec: Readonly<Record<string, unknown>> = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

/** Returns the annotations of Pod Security in the audit event of a request, by their keys without the prefix. */
async function annotationsOf({ headers }: Reply): Promise<Record<string, string>> {
  const id = String(headers['audit-id'])
  const line = await vi.waitFor(
    () => {
      const found = readFileSync(join(files, 'audit.log'), 'utf8')
        .split('\n')
        .find((text) => text.includes(id))
      if (found === undefined) throw new Error(`no event of ${id}`)
      return found
    },
    { timeout: 5000, interval: 20 },
  )
  const { annotations = {} } = JSON.parse(line) as { annotations?: Record<string, string> }
  const own = Object.entries(annotations).filter(([key]) => key.startsWith(label('')))
  return Object.fromEntries(own.map(([key, value]) => [key.slice(label('').length), value]))
}

const hostNetwork = 'host namespaces (hostNetwork=true)'

test('the audit log has the enforced policy and the violations of a Pod', async () => {
  await namespace('audited', { enforce: 'privileged', audit: 'baseline', 'audit-version': 'v1.25', warn: 'privileged' })
  const violating = await post('/api/v1/namespaces/audited/pods', pod('a', { hostNetwork: true }))
  expect(violating.status).toBe(201)
  expect(violating.headers.warning).toBeUndefined()
  expect(await annotationsOf(violating)).toEqual({
    'enforce-policy': 'privileged:latest',
    'audit-violations': `would violate PodSecurity "baseline:v1.25": ${hostNetwork}`,
  })
})

test('a rejected Pod is in the audit log with the enforced policy, and gets no warning besides', async () => {
  await namespace('rejecting', { enforce: 'baseline' })
  const rejected = await post('/api/v1/namespaces/rejecting/pods', pod('a', { hostNetwork: true }))
  expect(rejected.json()).toMatchObject({
    code: 403,
    message: `pods "a" is forbidden: violates PodSecurity "baseline:latest": ${hostNetwork}`,
  })
  expect(rejected.headers.warning).toBeUndefined()
  expect(await annotationsOf(rejected)).toMatchObject({ 'enforce-policy': 'baseline:latest' })
})

test('the message about a rejected Pod contains its generated name', async () => {
  await namespace('generating', { enforce: 'baseline' })
  const { metadata: _, ...rest } = pod('', { hostPID: true })
  const rejected = await post('/api/v1/namespaces/generating/pods', { ...rest, metadata: { generateName: 'worker-' } })
  const { message, details } = rejected.json<{ message: string; details: { name: string } }>()
  expect(details.name).toMatch(/^worker-[a-z0-9]{5}$/)
  expect(message).toMatch(`pods "${details.name}" is forbidden: violates PodSecurity`)
})

test('configured defaults apply to namespaces without labels', async () => {
  await namespace('unlabelled')
  const warned = await post('/api/v1/namespaces/unlabelled/pods', pod('a', { hostNetwork: true }))
  expect(warned.status).toBe(201)
  expect(warned.headers.warning).toContain('would violate PodSecurity \\"baseline:v1.30\\": host namespaces')
  expect(await annotationsOf(warned)).toEqual({
    'enforce-policy': 'privileged:latest',
    'audit-violations': `would violate PodSecurity "baseline:latest": ${hostNetwork}`,
  })
})

test('Pods of exempt namespaces, users and RuntimeClasses are not evaluated, and the audit log names the reason', async () => {
  const created = await namespace('exempt', { enforce: 'restricted', warn: 'baseline' })
  expect(created.headers.warning).toContain(
    'namespace \\"exempt\\" is exempt from Pod Security, and the policy (enforce=restricted:latest, warn=baseline:v1.30) will be ignored',
  )
  await namespace('strict', { enforce: 'restricted' })
  const host = { hostNetwork: true }
  const ofNamespace = await post('/api/v1/namespaces/exempt/pods', pod('a', host))
  const ofClass = await post('/api/v1/namespaces/strict/pods', pod('a', { ...host, runtimeClassName: 'sandboxed' }))
  const headers = { 'impersonate-user': 'operator', 'impersonate-group': 'system:masters' }
  const ofUser = await send('/api/v1/namespaces/strict/pods', { method: 'POST', headers, body: pod('b', host) })
  expect([ofNamespace.status, ofClass.status, ofUser.status]).toEqual([201, 201, 201])
  expect(await annotationsOf(ofNamespace)).toEqual({ exempt: 'namespace' })
  expect(await annotationsOf(ofClass)).toEqual({ exempt: 'runtimeClass' })
  expect(await annotationsOf(ofUser)).toEqual({ exempt: 'user' })
})

test('an exempt namespace is warned that its new labels have no effect, and its existing Pods are not evaluated', async () => {
  const reply = await merge('/api/v1/namespaces/exempt', { metadata: { labels: labelsFor({ 'enforce-version': 'v1.30' }) } })
  expect(reply.status).toBe(200)
  expect(reply.headers.warning).toContain('enforce=restricted:v1.30')
  expect(reply.headers.warning).not.toContain('existing pods')
})

test('existing Pods are read in pages, and only those of the namespace', async () => {
  await namespace('many')
  await namespace('many-more')
  const names = Array.from({ length: 230 }, (_, index) => `p${String(index).padStart(3, '0')}`)
  await Promise.all(names.map((name) => post('/api/v1/namespaces/many/pods', pod(name, { hostNetwork: true }))))
  await post('/api/v1/namespaces/many-more/pods', pod('other', { hostPID: true }))
  const sandboxed = pod('exempt', { hostIPC: true, hostPID: true, runtimeClassName: 'sandboxed' })
  await post('/api/v1/namespaces/many/pods', sandboxed)
  const reply = await merge('/api/v1/namespaces/many', { metadata: { labels: labelsFor({ enforce: 'baseline' }) } })
  const warnings = String(reply.headers.warning).split(/, (?=299 )/)
  expect(warnings).toEqual([
    '299 - "existing pods in namespace \\"many\\" violate the new PodSecurity enforce level \\"baseline:latest\\""',
    '299 - "p000 (and 229 other pods): host namespaces"',
  ])
})

test('a new namespace with invalid labels is 422 Invalid with all errors', async () => {
  const labels = labelsFor({ enforce: 'strict', 'warn-version': '1.30' })
  const reply = await post('/api/v1/namespaces', { metadata: { name: 'invalid', labels } })
  expect(reply.json()).toMatchObject({
    code: 422,
    reason: 'Invalid',
    details: {
      name: 'invalid',
      kind: 'Namespace',
      causes: [
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "strict": must be one of privileged, baseline, restricted',
          field: `metadata.labels[${label('enforce')}]`,
        },
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "1.30": must be "latest" or "v1.x"',
          field: `metadata.labels[${label('warn-version')}]`,
        },
      ],
    },
  })
})

test('/metrics counts evaluations, exemptions and their reasons', async () => {
  const { text } = await server.send('/metrics')
  const of = (decision: string, mode: string, level: string, version: string, resource: string): string =>
    `pod_security_evaluations_total{decision="${decision}",mode="${mode}",policy_level="${level}",policy_version="${version}",request_operation="create",resource="${resource}",subresource=""} `
  expect(text).toContain(of('deny', 'enforce', 'baseline', 'latest', 'pod'))
  expect(text).toContain(of('deny', 'audit', 'baseline', 'v1.25', 'pod'))
  expect(text).toContain(of('allow', 'enforce', 'privileged', 'latest', 'pod'))
  expect(text).toContain('pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 4')
})
