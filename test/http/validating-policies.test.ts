/** ValidatingAdmissionPolicies over HTTP: how fast they decide, and what they leave behind. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const apiVersion = 'admissionregistration.k8s.io/v1'

let server: TestServer
let files: string

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'edgeplane-policies-'))
  const policy = join(files, 'policy.json')
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }))
  const flags = ['--audit-policy-file', policy, '--audit-log-path', join(files, 'audit.log')]
  server = await startServer({ args: flags })
})
afterAll(async () => {
  await server.stop()
  rmSync(files, { recursive: true, force: true })
})

async function create(path: string, body: object): Promise<void> {
  const { status, text } = await server.send(path, { method: 'POST', body })
  expect(status, text).toBe(201)
}

const labelled = (name: string) => ({ matchLabels: { policy: name } })

/** Creates a policy for ConfigMaps with the label `policy`, and its binding. */
async function createPolicy(name: string, spec: object, binding: object = {}): Promise<void> {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }]
  await create(`${group}/validatingadmissionpolicies`, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules, objectSelector: labelled(name) }, ...spec },
  })
  await create(`${group}/validatingadmissionpolicybindings`, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...binding },
  })
}

const settings = (policy: string, data: Readonly<Record<string, string>> = {}, name = 'settings'): object => ({
  metadata: { name, labels: { policy } },
  data,
})

/** Tries to create a ConfigMap. Returns the message of the denial, or '' if it is admitted. */
async function denial(policy: string, data?: Readonly<Record<string, string>>): Promise<string> {
  const { text } = await server.send(`${configMaps}?dryRun=All`, { method: 'POST', body: settings(policy, data) })
  return (JSON.parse(text) as { readonly message?: string }).message ?? ''
}

test('a new policy decides about the next request, and a deleted one no longer', async () => {
  await createPolicy('at-once', { validations: [{ expression: 'false', message: 'no' }] })
  expect(await denial('at-once')).toBe(
    `configmaps "settings" is forbidden: ValidatingAdmissionPolicy 'at-once' with binding 'at-once' denied request: no`,
  )
  await server.send(`${group}/validatingadmissionpolicybindings/at-once`, { method: 'DELETE' })
  expect(await denial('at-once')).toBe('')
})

test('a changed policy decides about the next request', async () => {
  await createPolicy('changed', { validations: [{ expression: 'false', message: 'before' }] })
  expect(await denial('changed')).toMatch(/before$/)
  await server.send(`${group}/validatingadmissionpolicies/changed`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { spec: { validations: [{ expression: 'false', message: 'after' }] } },
  })
  expect(await denial('changed')).toMatch(/after$/)
})

test('a changed ConfigMap as a parameter decides about the next request', async () => {
  await create(configMaps, { metadata: { name: 'limit' }, data: { most: '1' } })
  await createPolicy(
    'by-parameter',
    {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        { expression: 'size(object.data) <= int(params.data.most)', messageExpression: "'most: ' + string(params.data.most)" },
      ],
    },
    { paramRef: { name: 'limit', parameterNotFoundAction: 'Deny' } },
  )
  expect(await denial('by-parameter', { a: '', b: '' })).toMatch(/most: 1$/)
  await server.send(`${configMaps}/limit`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { data: { most: '2' } },
  })
  expect(await denial('by-parameter', { a: '', b: '' })).toBe('')
  await server.send(`${configMaps}/limit`, { method: 'DELETE' })
  expect(await denial('by-parameter')).toMatch(/no params found for policy binding with `Deny` parameterNotFoundAction$/)
})

test('namespaceObject has the changed labels of the Namespace in the next request', async () => {
  await createPolicy('by-namespace', {
    validations: [{ expression: "'color' in namespaceObject.metadata.labels", message: 'no color' }],
  })
  expect(await denial('by-namespace')).toMatch(/no color$/)
  await server.send('/api/v1/namespaces/default', {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { labels: { color: 'teal' } } },
  })
  expect(await denial('by-namespace')).toBe('')
})

test('a policy protects stored objects from updates and from deletions of the collection', async () => {
  await create(configMaps, settings('protected', { a: 'b' }, 'kept'))
  await createPolicy('protected', {
    validations: [{ expression: "request.operation != 'DELETE' && oldObject.data == object.data" }],
  })
  const patch = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } }
  expect((await server.send(`${configMaps}/kept`, { ...patch, body: { data: { a: 'c' } } })).status).toBe(422)
  expect((await server.send(`${configMaps}/kept`, { ...patch, body: { metadata: { labels: { more: '' } } } })).status).toBe(200)
  const selected = `${configMaps}?labelSelector=policy%3Dprotected`
  const deleted = await server.send(selected, { method: 'DELETE' })
  expect(deleted.status).toBe(422)
  expect(deleted.json().message).toMatch(/^configmaps "Unknown" is forbidden: ValidatingAdmissionPolicy 'protected'/)
  expect((await server.send(selected)).json<{ items: unknown[] }>().items).toHaveLength(1)
})

test('the metrics of policies count denials', async () => {
  await createPolicy('counted', { validations: [{ expression: 'false' }] })
  await denial('counted')
  const { text } = await server.send('/metrics')
  expect(text).toContain(
    'apiserver_validating_admission_policy_check_total{enforcement_action="deny",error_type="invalid_error",policy="counted",policy_binding="counted"} 1',
  )
})

test('the audit log has the annotations of policies, also of denied requests', async () => {
  const auditAnnotations = [{ key: 'size', valueExpression: 'string(size(object.data))' }]
  const validations = [{ expression: 'false', message: 'noted' }]
  await createPolicy('audited', { validations, auditAnnotations }, { validationActions: ['Audit', 'Deny'] })
  const { status, headers } = await server.send(configMaps, { method: 'POST', body: settings('audited', { a: 'b' }) })
  expect(status).toBe(422)
  const annotations = await vi.waitFor(() => {
    const lines = readFileSync(join(files, 'audit.log'), 'utf8').trim().split('\n')
    const events = lines.map((line) => JSON.parse(line) as { auditID: string; stage: string; annotations?: object })
    const event = events.find(({ auditID, stage }) => auditID === headers['audit-id'] && stage === 'ResponseComplete')
    if (event === undefined) throw new Error('the request is not in the log yet')
    return event.annotations
  })
  const failure = {
    message: 'noted',
    policy: 'audited',
    binding: 'audited',
    expressionIndex: 0,
    validationActions: ['Audit', 'Deny'],
  }
  expect(annotations).toMatchObject({
    'audited/size': '1',
    'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([failure]),
  })
})
