/** MutatingAdmissionPolicies beside the plugins of the server: changes of policies, reinvocation, dry runs, metrics. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { startServer, type TestServer } from '../server.ts'

const policies = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
const bindings = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings'
let server: TestServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

interface Mutated {
  metadata: { resourceVersion: string; annotations?: Record<string, string>; labels?: Record<string, string> }
  data: Record<string, string>
}

/** Creates a policy with its binding for the objects with the label `case: <name>`. */
async function create(name: string, resource: string, mutations: readonly object[], more: object = {}): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: [resource] }
  const matchConstraints = { resourceRules: [rule], objectSelector: { matchLabels: { case: name } } }
  const type = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name } }
  const spec = { matchConstraints, mutations, reinvocationPolicy: 'Never', ...more }
  const policy = await server.send(policies, { method: 'POST', body: { ...type, kind: 'MutatingAdmissionPolicy', spec } })
  expect(policy.status, policy.text).toBe(201)
  const body = { ...type, kind: 'MutatingAdmissionPolicyBinding', spec: { policyName: name } }
  expect((await server.send(bindings, { method: 'POST', body })).status).toBe(201)
}

const applying = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } })
const patching = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { case: name } },
  data,
})

test('a mutating policy takes effect with the next request, also after a change, and ends with its binding', async () => {
  await create('changes', 'configmaps', [applying('Object{data: {"by": "first"}}')])
  const post = async (): Promise<Mutated> =>
    (await server.send(`${configMaps}?dryRun=All`, { method: 'POST', body: configMap('changes') })).json<Mutated>()
  expect((await post()).data).toEqual({ by: 'first' })
  const body = [
    { op: 'replace', path: '/spec/mutations/0/applyConfiguration/expression', value: 'Object{data: {"by": "second"}}' },
  ]
  const headers = { 'content-type': 'application/json-patch+json' }
  await server.send(`${policies}/changes`, { method: 'PATCH', headers, body })
  expect((await post()).data).toEqual({ by: 'second' })
  await server.send(`${bindings}/changes`, { method: 'DELETE' })
  expect((await post()).data).toBeUndefined()
})

test('a mutation that undoes an update leaves the object and its resourceVersion unchanged', async () => {
  await create('undone', 'configmaps', [
    patching('oldObject == null ? [] : [JSONPatch{op: "replace", path: "/data", value: oldObject.data}]'),
  ])
  const created = await server.send(configMaps, { method: 'POST', body: configMap('undone', { a: '1' }) })
  const before = created.json<Mutated>()
  const headers = { 'content-type': 'application/merge-patch+json' }
  const patched = await server.send(`${configMaps}/undone`, { method: 'PATCH', headers, body: { data: { a: '2' } } })
  expect(patched.status, patched.text).toBe(200)
  expect(patched.json<Mutated>().data).toEqual({ a: '1' })
  const got = (await server.send(`${configMaps}/undone`)).json<Mutated>()
  expect(got.metadata.resourceVersion).toBe(before.metadata.resourceVersion)
})

test('reinvocation: the plugins of the server run again after a policy: a Pod gets back its tolerations and priority', async () => {
  const expression =
    '[JSONPatch{op: "replace", path: "/spec/tolerations", value: []}, JSONPatch{op: "remove", path: "/spec/priority"}]'
  await create('pod', 'pods', [patching(expression)])
  const metadata = { name: 'pod', labels: { case: 'pod' } }
  const spec = { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'a' }] }
  const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec }
  const pod = await server.send('/api/v1/namespaces/default/pods?dryRun=All', { method: 'POST', body })
  expect(pod.status, pod.text).toBe(201)
  const { tolerations, priority } = pod.json<{ spec: { tolerations: { key: string }[]; priority: number } }>().spec
  expect(tolerations.map(({ key }) => key)).toEqual(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])
  expect(priority).toBe(0)
})

test('metrics count the mutations of each policy by their errors', async () => {
  await create('counted', 'configmaps', [applying('Object{data: {"a": object.data.a}}')])
  await server.send(`${configMaps}?dryRun=All`, { method: 'POST', body: configMap('counted', { a: '1' }) })
  const rejected = await server.send(`${configMaps}?dryRun=All`, { method: 'POST', body: configMap('counted', { b: '1' }) })
  expect(rejected.status).toBe(403)
  const { text } = await server.send('/metrics')
  const counted = text.split('\n').filter((line) => line.startsWith('apiserver_mutating_admission_policy_check_total{'))
  const labels = (error: string): string => `{error_type="${error}",policy="counted",policy_binding="counted"}`
  for (const error of ['no_error', 'invalid_error'])
    expect(counted).toContain(`apiserver_mutating_admission_policy_check_total${labels(error)} 1`)
})
