/** Sends requests that give most metrics of an API server a value. */
import type { Client, Reply } from '../../../test/client.ts'
import { customDefinition } from '../../custom-definition.ts'

interface Sent {
  readonly token?: string
  readonly type?: string
}

/** The time for which a watch is open, in milliseconds. */
const watchTime = 2_000

/** Sends a request. @param target `METHOD path` */
function send(server: Client, target: string, body?: object, { token, type }: Sent = {}): Promise<Reply> {
  const [method = '', path = ''] = target.split(' ')
  const headers = type === undefined ? {} : { 'content-type': type }
  return server.send(path, { method, headers, body, ...(token !== undefined && { token }) })
}

/** Opens a watch, and closes it some time later. */
async function watch(server: Client, path: string): Promise<void> {
  const response = await server.open(path)
  response.on('error', () => undefined).resume()
  await new Promise((done) => setTimeout(done, watchTime))
  response.destroy()
}

const namespaced = '/api/v1/namespaces/metrics'
const map = (name: string, data: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })

const webhook = (kind: string, name: string, failurePolicy: string) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name },
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig: { url: 'https://127.0.0.1:9/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      matchConditions: [{ name: 'named', expression: 'request.name.startsWith("hook")' }],
      failurePolicy,
      sideEffects: 'None',
      timeoutSeconds: 1,
      admissionReviewVersions: ['v1'],
    },
  ],
})

const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'metrics' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }],
    },
    validations: [{ expression: 'object.metadata.name != "refused"' }],
  },
}
const binding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'metrics' },
  spec: { policyName: 'metrics', validationActions: ['Deny'] },
}
const definition = customDefinition('metrics.example.com', 'Gauge', 'size', {
  'x-kubernetes-validations': [{ rule: 'has(self.spec)' }],
})
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { type: 'NodePort', ports: [{ port: 80 }] },
}
const otherServer = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.away.example.com' },
  spec: {
    group: 'away.example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { namespace: 'metrics', name: 'web' },
  },
}
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bad' }, spec: { containers: [{ name: 'a', image: 'a' }] } }

async function writes(server: Client): Promise<void> {
  const maps = `${namespaced}/configmaps`
  await send(server, 'POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', policy)
  await send(server, 'POST /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', binding)
  for (const [kind, name, failurePolicy] of [
    ['ValidatingWebhookConfiguration', 'strict', 'Fail'],
    ['MutatingWebhookConfiguration', 'lenient', 'Ignore'],
  ] as const) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`
    await send(server, `POST ${path}`, webhook(kind, name, failurePolicy))
  }
  await send(server, 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  await new Promise((done) => setTimeout(done, 3_000))
  for (const name of ['one', 'refused', 'hooked']) await send(server, `POST ${maps}?fieldValidation=Strict`, map(name))
  await send(server, `PUT ${maps}/one?dryRun=All`, map('one', { a: 'b' }))
  await send(server, `PATCH ${maps}/one`, { data: { c: 'd' } }, { type: 'application/merge-patch+json' })
  const apply = { type: 'application/apply-patch+yaml' }
  await send(server, `PATCH ${maps}/two?fieldManager=metrics`, map('two', { a: 'b' }), apply)
  const gauge = { apiVersion: 'metrics.example.com/v1', kind: 'Gauge', metadata: { name: 'g' }, spec: { size: 1 } }
  await send(server, 'POST /apis/metrics.example.com/v1/namespaces/metrics/gauges', gauge)
  await send(server, `POST ${namespaced}/services`, service)
  await send(server, `POST ${namespaced}/pods`, pod)
  await send(server, 'POST /apis/apiregistration.k8s.io/v1/apiservices', otherServer)
}

async function reads(server: Client): Promise<void> {
  const maps = `${namespaced}/configmaps`
  for (const path of [
    `${maps}/one`,
    maps,
    '/api/v1/configmaps?limit=1',
    '/api/v1/componentstatuses',
    '/api/v1/endpoints',
    '/version',
  ]) {
    await send(server, `GET ${path}`)
  }
  await send(server, `GET ${maps}?resourceVersion=0`)
  await send(server, `GET ${maps}?timeout=1ns`)
  await send(server, `GET ${maps}`, undefined, { token: 'unknown' })
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } }
  const issued = await send(server, `POST ${namespaced}/serviceaccounts/default/token`, review)
  const { status } = JSON.parse(issued.text) as { status?: { token?: string } }
  for (let time = 0; time < 2; time++) await send(server, `GET ${maps}`, undefined, { token: status?.token ?? 'unknown' })
  const events = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const watching = watch(server, `${maps}?${events}`)
  await send(server, `POST ${maps}`, map('three'))
  await watching
  await send(server, `DELETE ${maps}/three`)
  await send(server, `DELETE ${maps}`)
}

/** Exercises a server that has nothing of this yet. @returns its metrics, in the text format */
export async function exercise(server: Client): Promise<string> {
  await send(server, 'POST /api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'metrics' } })
  await new Promise((done) => setTimeout(done, 500))
  await writes(server)
  await reads(server)
  await send(server, 'DELETE /api/v1/namespaces/metrics')
  await new Promise((done) => setTimeout(done, 2_000))
  return (await send(server, 'GET /metrics')).text
}
