/** Every form of a path for kinds of either scope, built-in and custom: permissions in a namespace end at its border. */
import { type Case, custom, dryRun, mergePatch, other, own } from '../case.ts'

interface Resource {
  readonly root: string
  readonly resource: string
  readonly kind: string
}

const resources: readonly Resource[] = [
  { root: '/api/v1', resource: 'namespaces', kind: 'Namespace' },
  { root: '/api/v1', resource: 'nodes', kind: 'Node' },
  { root: '/api/v1', resource: 'configmaps', kind: 'ConfigMap' },
  { root: '/apis/authorization.k8s.io/v1', resource: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview' },
  { root: custom, resource: 'widgets', kind: 'Widget' },
  { root: custom, resource: 'gadgets', kind: 'Gadget' },
]

const among = (namespace: string): string => `namespaces/${namespace}/`

/** The parts of a path between version and resource. */
const fronts = ['', among(own), among(other), 'namespaces//', 'watch/', `watch/${among(own)}`, 'proxy/', `proxy/${among(own)}`]
const tails = ['', '/one', '/one/status', '/one/status/more', '/']

/** Returns every form of a path, for a user with permissions in one namespace and for a user with all permissions. */
function* casesAt(resource: Resource, front: string, tail: string): Iterable<Case> {
  const path = `${resource.root}/${front}${resource.resource}${tail}`
  const apiVersion = resource.root.replace(/^\/apis?\//, '')
  const body = { apiVersion, kind: resource.kind, metadata: { name: 'one' }, spec: {} }
  for (const user of ['own-admin', 'everything']) {
    yield { user, method: 'GET', path }
    if (tail === '') {
      yield { user, method: 'GET', path: `${path}?watch=1` }
      yield { user, method: 'POST', path: dryRun(path), body }
    }
    if (tail === '/one/status/more' || tail === '/') continue
    yield { user, method: 'PUT', path: dryRun(path), body }
    if (front === '' || front === among(own)) {
      yield { user, method: 'PATCH', path: dryRun(path), headers: mergePatch, body: {} }
    }
    // Whole collections are in another area.
    if (tail !== '' || front !== '') yield { user, method: 'DELETE', path: dryRun(path) }
  }
  if (front.startsWith('proxy') || front === 'namespaces//') return
  for (const user of ['reader', 'anonymous']) yield { user, method: 'GET', path }
}

export function* places(): Iterable<Case> {
  for (const resource of resources) {
    for (const front of fronts) {
      for (const tail of front.startsWith('proxy') ? ['', '/one'] : tails) yield* casesAt(resource, front, tail)
    }
  }
  for (const user of ['own-admin', 'everything']) {
    for (const path of [
      `/api/v1/namespaces/${own}/namespaces/${own}`,
      `/api/v1/namespaces/${own}/namespaces/${own}/status`,
      `/api/v1/namespaces/${own}/namespaces/${own}/finalize`,
      `/api/v1/namespaces/${own}/namespaces/${other}/configmaps`,
      `/api/v1/namespaces/${own}/namespaces/${other}/configmaps/one`,
      `/api/v1/namespaces/${own}/status/configmaps`,
      `/api/v1/namespaces/${own}/finalize/configmaps/one`,
      `/api/v1/namespaces/${own}/`,
      `/api/v1/namespaces/${own}//configmaps`,
      `/api/v1/namespaces/${own}/configmaps/one/`,
      `/api/v1/namespaces//${own}`,
      `/api/v1/namespaces/${own.toUpperCase()}/configmaps`,
      `/api/v1/namespaces/${own}/ConfigMaps`,
      `/api/v1/namespaces/${own}%2Fconfigmaps`,
      `/api/v1/namespaces%2F${own}/configmaps`,
      `/api/v1/namespaces/${own}%20/configmaps`,
      `/api/v1/namespaces/${own}/../${other}/configmaps`,
      `/api/v1/namespaces/${own}/%2e%2e/${other}/configmaps`,
      `/apis/apps/v1/namespaces/${own}`,
      `/apis/apps/v1/namespaces/${own}/configmaps`,
      `${custom}/namespaces/${own}`,
      `${custom}/namespaces/${own}/namespaces/${other}/widgets`,
      `/apis/nothing.example.com/v1/namespaces/${own}/widgets`,
    ]) {
      yield { user, method: 'GET', path }
    }
  }
}
