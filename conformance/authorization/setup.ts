/** The objects that exist before the matrix is played: namespaces, custom kinds, objects, and users with their permissions. */
import { type Case, custom, customGroup, home, other, own } from './case.ts'
import { type Grant, users } from './users.ts'

type Creation = Pick<Case, 'method' | 'path' | 'body' | 'headers'>

const rbac = '/apis/rbac.authorization.k8s.io/v1'

const post = (path: string, body: object): Creation => ({ method: 'POST', path, body })
const named = (name: string, more: object = {}): object => ({ metadata: { name }, ...more })

function definition(kind: string, plural: string, scope: string): object {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  }
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {}, scale } }
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` }
  return named(`${plural}.${customGroup}`, { spec: { group: customGroup, scope, names, versions: [version] } })
}

const container = { name: 'c', image: 'i' }
const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [container] } }
const podSpec = { serviceAccountName: 'default', automountServiceAccountToken: false, containers: [container] }

function* objects(namespace: string): Iterable<Creation> {
  const core = `/api/v1/namespaces/${namespace}`
  for (const name of ['one', 'two']) {
    yield post(`${core}/configmaps`, named(name))
    yield post(`${custom}/namespaces/${namespace}/widgets`, {
      apiVersion: `${customGroup}/v1`,
      kind: 'Widget',
      ...named(name, { spec: { replicas: 1 } }),
    })
  }
  yield post(`${core}/pods`, named('one', { spec: podSpec }))
  yield post(
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
    named('one', { spec: { selector: { matchLabels: { app: 'x' } }, template } }),
  )
  yield post(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, named('one', { spec: {} }))
}

const apiGroup = 'rbac.authorization.k8s.io'
const secretsRules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]
const podsRules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]

function* roles(): Iterable<Creation> {
  const inOwn = `${rbac}/namespaces/${own}`
  yield post(`${inOwn}/roles`, named('one', { rules: podsRules }))
  yield post(`${inOwn}/roles`, named('secrets', { rules: secretsRules }))
  yield post(`${inOwn}/roles`, named('pods', { rules: podsRules }))
  yield post(`${rbac}/clusterroles`, named('one', { rules: podsRules }))
  yield post(`${rbac}/clusterroles`, named('matrix-secrets', { rules: secretsRules }))
  yield post(`${rbac}/clusterroles`, named('matrix-pods', { rules: podsRules }))
  const clusterRole = (name: string): object => ({ roleRef: { apiGroup, kind: 'ClusterRole', name } })
  yield post(`${inOwn}/rolebindings`, named('one', clusterRole('matrix-secrets')))
  yield post(`${inOwn}/rolebindings`, named('secrets', { roleRef: { apiGroup, kind: 'Role', name: 'secrets' } }))
  yield post(`${rbac}/clusterrolebindings`, named('one', clusterRole('matrix-secrets')))
  yield post(`${rbac}/clusterrolebindings`, named('matrix-secrets', clusterRole('matrix-secrets')))
}

/** A certificate signing request for `CN=matrix`, which is never issued. */
const certificateRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIS01ITUNBUUF3RVRFUE1BMEdBMVVFQXd3R2JXRjBjbWw0TUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowRApBUWNEUWdBRTY2d0V0cnlzZVpIS3VQalNlanFIUGZTZG1EUEY0TUdtOTVVczZ6cWxjSCtPRUJpT0dGaFF3VlQrCmk2d0FVdHdnVHNXbStlUDJ4QU9WdlBsd0FZRndZNkFBTUFvR0NDcUdTTTQ5QkFNQ0EwY0FNRVFDSUNXei95RXMKOTNKK0pDcy9pYW9uaTRzZEdvMHFRTDNJa1p1SmhYeFp1YlFoQWlCcXJjWUdoRVZLb3dZak5Ia1JhTVZQSTFKLwpjZnloZ09YK3lTQW1kWkx1V3c9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K'

function* certificateRequests(): Iterable<Creation> {
  for (const [name, signerName] of Object.entries({
    'matrix-one': 'example.com/one',
    'matrix-two': 'example.com/two',
    'matrix-three': 'else.example.com/one',
  })) {
    const spec = { request: certificateRequest, signerName, usages: ['client auth'] }
    yield post('/apis/certificates.k8s.io/v1/certificatesigningrequests', named(name, { spec }))
  }
}

function* granted(user: string, grant: Grant, index: number): Iterable<Creation> {
  const name = `matrix-${user}-${index}`
  const { namespace, rules } = grant
  const at = namespace === undefined ? rbac : `${rbac}/namespaces/${namespace}`
  const prefix = namespace === undefined ? 'Cluster' : ''
  const subjects = [{ kind: 'ServiceAccount', namespace: home, name: user }]
  const whole = rules.map(({ verbs, ...rest }) => ({ verbs, ...rest }))
  yield post(`${at}/${prefix.toLowerCase()}roles`, named(name, { rules: whole }))
  yield post(
    `${at}/${prefix.toLowerCase()}rolebindings`,
    named(name, { roleRef: { apiGroup, kind: `${prefix}Role`, name }, subjects }),
  )
}

/** Returns the objects that an administrator creates, in order. */
export function* creations(): Iterable<Creation> {
  yield post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition('Widget', 'widgets', 'Namespaced'))
  yield post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition('Gadget', 'gadgets', 'Cluster'))
  for (const namespace of [own, other, home]) yield post('/api/v1/namespaces', named(namespace))
  for (const user of Object.keys(users)) yield post(`/api/v1/namespaces/${home}/serviceaccounts`, named(user))
  for (const [user, grants] of Object.entries(users))
    for (const [index, grant] of grants.entries()) yield* granted(user, grant, index)
  yield* roles()
  yield* certificateRequests()
  yield post('/api/v1/nodes', named('one'))
}

/** Returns the objects that need the custom kinds and the namespaces' ServiceAccounts. */
export function* laterCreations(): Iterable<Creation> {
  for (const namespace of [own, other]) yield* objects(namespace)
  yield post(`${custom}/gadgets`, {
    apiVersion: `${customGroup}/v1`,
    kind: 'Gadget',
    metadata: { name: 'one' },
    spec: { replicas: 1 },
  })
}
