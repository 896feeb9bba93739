/** Type checking of ValidatingAdmissionPolicies into their status. The expected texts are those of kube-controller-manager. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
let server: TestServer

beforeAll(async () => {
  server = await startServer({ args: ['--controllers', '*,validatingadmissionpolicy-status-controller'] })
})
afterAll(() => server.stop())

interface Policy {
  metadata: { generation: number; managedFields: { manager: string; operation: string; subresource?: string }[] }
  spec: Record<string, unknown>
  status: { observedGeneration?: number; typeChecking?: { expressionWarnings?: { fieldRef: string; warning: string }[] } }
}

/** Waits until the controller has observed a generation, by a watch. */
async function observed(name: string, generation: number): Promise<Policy> {
  const watch = await server.open(`${path}?watch=1&fieldSelector=metadata.name%3D${name}&timeoutSeconds=20`)
  let text = ''
  for await (const chunk of watch) {
    text += String(chunk)
    const events = text.split('\n').slice(0, -1)
    text = text.slice(events.join('\n').length + (events.length > 0 ? 1 : 0))
    for (const event of events) {
      const { object } = JSON.parse(event) as { object: Policy }
      if (object.status.observedGeneration !== generation) continue
      watch.destroy()
      return object
    }
  }
  throw new Error(`generation ${generation} of ${name} was not observed`)
}

/** Creates a policy for resources (`group/version/resource`), and returns it with its warnings. */
async function create(
  name: string,
  resources: readonly string[],
  expressions: readonly string[],
  more: object = {},
): Promise<Policy> {
  const resourceRules = resources.map((text) => {
    const [group = '', version = '', ...resource] = text.split('/')
    return { apiGroups: [group], apiVersions: [version], resources: [resource.join('/')], operations: ['CREATE'] }
  })
  const validations = expressions.map((expression) => ({ expression }))
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: { matchConstraints: { resourceRules }, validations, ...more },
  }
  const answer = await server.send(path, { method: 'POST', body })
  expect(answer.status, answer.text).toBe(201)
  return observed(name, 1)
}

/** Returns the warnings without the lines that show the expression. */
const warningsOf = ({ status }: Policy): readonly string[] =>
  (status.typeChecking?.expressionWarnings ?? []).map(
    ({ fieldRef, warning }) =>
      `${fieldRef}: ${warning
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith(' |'))
        .join('; ')}`,
  )

test('type checking of a policy: undefined fields and wrong types of each matched kind, with kube-controller-manager’s texts', async () => {
  const policy = await create(
    'typed',
    ['apps/v1/deployments', 'apps/v1/replicasets'],
    ['object.spec.replicas <= 5', 'object.spec.strategy.type == "x"', 'object.spec.replicas == "5"'],
  )
  expect(policy.status.typeChecking?.expressionWarnings).toEqual([
    {
      fieldRef: 'spec.validations[1].expression',
      warning:
        "apps/v1, Kind=ReplicaSet: ERROR: <input>:1:12: undefined field 'strategy'\n" +
        ' | object.spec.strategy.type == "x"\n | ...........^\n',
    },
    {
      fieldRef: 'spec.validations[2].expression',
      warning: ['Deployment', 'ReplicaSet']
        .map(
          (kind) =>
            `apps/v1, Kind=${kind}: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(int, string)'\n` +
            ' | object.spec.replicas == "5"\n | .....................^\n',
        )
        .join('\n'),
    },
  ])
  expect(policy.metadata.managedFields.find(({ manager }) => manager === 'validatingadmissionpolicy-status')).toMatchObject({
    operation: 'Apply',
    subresource: 'status',
  })
})

test('type checking of a policy: parameters and variables have types, composed objects are dyn', async () => {
  const variables = [
    { name: 'replicas', expression: 'object.spec.replicas' },
    { name: 'wrong', expression: 'object.spec.nope' },
    { name: 'spec', expression: 'object.spec' },
  ]
  const policy = await create(
    'composed',
    ['apps/v1/deployments'],
    ['variables.replicas == "1"', 'variables.wrong == 1', 'variables.spec.nope == 1', 'params.data["a"] == 1'],
    { variables, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
  )
  expect(warningsOf(policy)).toEqual([
    "spec.validations[0].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:20: found no matching overload for '_==_' applied to '(int, string)'",
    "spec.validations[3].expression: apps/v1, Kind=Deployment: ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(string, int)'",
  ])
})

test('type checking of a policy: quantities are invisible, IntOrString is dyn, a recursive type ends', async () => {
  const policy = await create(
    'special',
    ['/v1/pods', 'apiextensions.k8s.io/v1/customresourcedefinitions'],
    [
      'object.spec.containers[0].resources.limits == {} || true',
      'object.spec.containers[0].livenessProbe.httpGet.port == "x" || true',
      'object.spec.versions[0].schema.openAPIV3Schema.not.not == {} || true',
    ],
  )
  const ofPod = (index: number): string | undefined => warningsOf(policy)[index]
  expect(ofPod(0)).toContain("/v1, Kind=Pod: ERROR: <input>:1:36: undefined field 'limits'")
  expect(ofPod(1)).not.toContain('Kind=Pod')
  expect(ofPod(2)).toContain("Kind=CustomResourceDefinition: ERROR: <input>:1:51: undefined field 'not'")
})

test('type checking of a policy: wildcards and subresources are skipped, the core group stands for every group', async () => {
  const wild = await create('wild', ['*/v1/deployments', 'apps/v1/deployments/scale'], ['object.nope == 1'])
  expect(wild.status).toEqual({ observedGeneration: 1, typeChecking: {} })
  const events = await create('events', ['/v1/events'], ['object.nope == 1'])
  expect(warningsOf(events)[0]).toMatch(/^spec.*: \/v1, Kind=Event: .*; events.k8s.io\/v1, Kind=Event: /)
})

test('type checking of a policy: custom resources have the types of their definition; a new generation is checked again', async () => {
  const spec = { type: 'object', properties: { size: { type: 'integer' }, when: { type: 'string', format: 'date-time' } } }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'bolts.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'bolts', kind: 'Bolt' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } },
      ],
    },
  }
  await server.send('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body: definition })
  const policy = await create(
    'bolts',
    ['example.com/v1/bolts'],
    ['object.spec.size == "1"', 'object.spec.when == 1', 'object.metadata.labels["a"] == "b"'],
  )
  expect(warningsOf(policy).map((text) => /applied to '.*'/.exec(text)?.[0])).toEqual([
    "applied to '(int, string)'",
    "applied to '(timestamp, int)'",
  ])
  const body = { ...policy, spec: { ...policy.spec, validations: [{ expression: 'object.spec.size == 1' }] } }
  await server.send(`${path}/bolts`, { method: 'PUT', body })
  expect((await observed('bolts', 2)).status).toEqual({ observedGeneration: 2 })
})
