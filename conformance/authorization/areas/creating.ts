/** Creating by PUT or patch needs the verb create as well. */
import { applyPatch, type Case, custom, dryRun, jsonPatch, mergePatch, own, strategicPatch } from '../case.ts'

interface Resource {
  readonly root: string
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
  /** The rest of a valid object. */
  readonly good?: object
  /** The rest of an invalid object. */
  readonly bad?: object
  /** The rest of an object that grants permissions. */
  readonly withRule?: object
}

const core = '/api/v1'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }
const involved = { involvedObject: { namespace: own }, reason: 'x', type: 'Normal' }

const resources: readonly Resource[] = [
  {
    root: '/apis/coordination.k8s.io/v1',
    resource: 'leases',
    kind: 'Lease',
    namespaced: true,
    good: { spec: {} },
    bad: { spec: { leaseDurationSeconds: -1 } },
  },
  {
    root: rbac,
    resource: 'roles',
    kind: 'Role',
    namespaced: true,
    good: { rules: [] },
    bad: { rules: [{ verbs: [] }] },
    withRule: { rules: [rule] },
  },
  { root: rbac, resource: 'rolebindings', kind: 'RoleBinding', namespaced: true, good: { roleRef: role }, bad: { roleRef: {} } },
  {
    root: rbac,
    resource: 'clusterroles',
    kind: 'ClusterRole',
    namespaced: false,
    good: { rules: [] },
    bad: { rules: [{ verbs: [] }] },
  },
  { root: rbac, resource: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false, good: { roleRef: role } },
  {
    root: core,
    resource: 'services',
    kind: 'Service',
    namespaced: true,
    good: { spec: { ports: [{ port: 80 }] } },
    bad: { spec: { ports: [{ port: 0 }] } },
  },
  {
    root: core,
    resource: 'endpoints',
    kind: 'Endpoints',
    namespaced: true,
    good: {},
    bad: { subsets: [{ addresses: [{ ip: 'x' }] }] },
  },
  {
    root: core,
    resource: 'events',
    kind: 'Event',
    namespaced: true,
    good: involved,
    bad: { involvedObject: { namespace: 'x' } },
  },
  { root: core, resource: 'configmaps', kind: 'ConfigMap', namespaced: true, good: {}, bad: { data: { '/': 'x' } } },
  {
    root: '/apis/apps/v1',
    resource: 'controllerrevisions',
    kind: 'ControllerRevision',
    namespaced: true,
    good: { revision: 1, data: {} },
    bad: { revision: -1 },
  },
  { root: '/apis/node.k8s.io/v1', resource: 'runtimeclasses', kind: 'RuntimeClass', namespaced: false, good: { handler: 'h' } },
  {
    root: custom,
    resource: 'widgets',
    kind: 'Widget',
    namespaced: true,
    good: { spec: { size: 1 } },
    bad: { spec: { size: 'x' } },
  },
  { root: custom, resource: 'gadgets', kind: 'Gadget', namespaced: false, good: { spec: {} } },
]

const users = ['updater', 'patcher', 'creator', 'everything']

function* writesOf(user: string, resource: Resource, rest: object, note: string): Iterable<Case> {
  const where = `${resource.namespaced ? `${resource.root}/namespaces/${own}` : resource.root}/${resource.resource}`
  const plain = `${where}/absent`
  const apiVersion = resource.root.replace(/^\/apis?\//, '')
  const named = (name: string): object => ({ apiVersion, kind: resource.kind, metadata: { name }, ...rest })
  const body = named('absent')
  const keyed = { user, note }
  yield { ...keyed, method: 'PUT', path: dryRun(plain), body }
  yield { ...keyed, method: 'PATCH', path: dryRun(`${plain}?fieldManager=m`), headers: applyPatch, body }
  yield { ...keyed, method: 'PATCH', path: dryRun(plain), headers: mergePatch, body: rest }
  if (note !== 'good') return
  // These are stored too, each under a name of its own, because a dry run may be authorized in another way.
  const put = `${user}-put`
  const applied = `${user}-applied`
  yield { ...keyed, method: 'PUT', path: `${where}/${put}`, body: named(put), undo: `${where}/${put}` }
  const path = `${where}/${applied}?fieldManager=m`
  yield { ...keyed, method: 'PATCH', path, headers: applyPatch, body: named(applied), undo: `${where}/${applied}` }
}

/** Returns further mistakes, each alone, in the order in which they are checked. */
function* mistakes(user: string): Iterable<Case> {
  const leases = (namespace: string): string => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/absent`
  const body = (metadata: object, more: object = {}) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'absent', ...metadata },
    ...more,
  })
  for (const [note, sent] of Object.entries({
    'other name': body({ name: 'else' }),
    'no name': body({ name: '' }),
    'other namespace': body({ namespace: 'else' }),
    uid: body({ uid: 'd7f7ba5e-51f0-4b2f-86a0-0950a6259e3c' }),
    version: body({ resourceVersion: '7' }),
    'bad version': body({ resourceVersion: 'x' }),
    'unknown field': body({}, { nothing: 1 }),
    'bad label': body({ labels: { a: '/' } }),
    'wrong kind': { ...body({}), kind: 'ConfigMap', apiVersion: 'v1' },
    broken: '{',
  })) {
    yield { user, method: 'PUT', path: `${dryRun(leases(own))}&fieldValidation=Strict`, body: sent, note }
    yield { user, method: 'PATCH', path: `${dryRun(leases(own))}&fieldManager=m`, headers: applyPatch, body: sent, note }
  }
  for (const namespace of ['matrix-absent', 'default']) {
    yield { user, method: 'PUT', path: dryRun(leases(namespace)), body: body({}) }
    yield { user, method: 'PATCH', path: `${dryRun(leases(namespace))}&fieldManager=m`, headers: applyPatch, body: body({}) }
  }
  yield { user, method: 'PUT', path: `${leases(own)}?dryRun=Some`, body: body({}) }
  yield { user, method: 'PUT', path: `${leases(own)}/status?dryRun=All`, body: body({}) }
  yield {
    user,
    method: 'PATCH',
    path: dryRun(leases(own)),
    headers: jsonPatch,
    body: [{ op: 'add', path: '/metadata/labels', value: {} }],
  }
  yield { user, method: 'PATCH', path: dryRun(leases(own)), headers: strategicPatch, body: { spec: {} } }
}

export function* creating(): Iterable<Case> {
  for (const user of users) {
    for (const resource of resources) {
      const { good, bad, withRule } = resource
      if (good !== undefined) yield* writesOf(user, resource, good, 'good')
      if (bad !== undefined) yield* writesOf(user, resource, bad, 'bad')
      if (withRule !== undefined) yield* writesOf(user, resource, withRule, 'with a rule')
    }
    yield* mistakes(user)
  }
}
