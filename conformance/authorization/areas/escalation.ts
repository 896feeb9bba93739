/**
 * Privilege escalation: roles with more permissions than their writer has, and bindings to such roles, by every kind of write.
 */
import { applyPatch, type Case, dryRun, jsonPatch, mergePatch, own, strategicPatch } from '../case.ts'

const root = '/apis/rbac.authorization.k8s.io/v1'
const apiVersion = 'rbac.authorization.k8s.io/v1'
const inOwn = `${root}/namespaces/${own}`

type Rules = readonly object[]

/** Rules by description. The writers have `get` and `list` on Pods. */
const rulesOf: Readonly<Record<string, Rules>> = {
  none: [],
  covered: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
  more: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
  'one verb more': [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'watch'] }],
  wildcards: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  both: [
    { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
    { apiGroups: ['', 'apps'], resources: ['secrets', 'deployments'], verbs: ['get', 'list'] },
  ],
}
const clusterRulesOf: Readonly<Record<string, Rules>> = {
  path: [{ nonResourceURLs: ['/matrix/one'], verbs: ['get'] }],
  'wide path': [{ nonResourceURLs: ['/*'], verbs: ['get'] }],
}

const writers = ['rbac-own', 'rbac-everywhere', 'escalator', 'binder']

/** Returns all ways to write `fields` to the object `name` of a collection; `one` exists, `absent` does not. */
function* ways(
  user: string,
  collection: string,
  kind: string,
  fields: Readonly<Record<string, unknown>>,
  note: string,
): Iterable<Case> {
  const object = (name: string): object => ({ apiVersion, kind, metadata: { name }, ...fields })
  const there = `${collection}/one`
  const absent = `${collection}/absent`
  const keyed = { user, note }
  const replaced = Object.entries(fields).map(([field, value]) => ({ op: 'add', path: `/${field}`, value }))
  yield { ...keyed, method: 'POST', path: dryRun(collection), body: object('absent') }
  yield { ...keyed, method: 'PUT', path: dryRun(there), body: object('one') }
  yield { ...keyed, method: 'PUT', path: dryRun(absent), body: object('absent') }
  yield { ...keyed, method: 'PATCH', path: dryRun(there), headers: mergePatch, body: fields }
  yield { ...keyed, method: 'PATCH', path: dryRun(there), headers: strategicPatch, body: fields }
  yield { ...keyed, method: 'PATCH', path: dryRun(there), headers: jsonPatch, body: replaced }
  yield {
    ...keyed,
    method: 'PATCH',
    path: dryRun(`${there}?fieldManager=m&force=true`),
    headers: applyPatch,
    body: object('one'),
  }
  yield { ...keyed, method: 'PATCH', path: dryRun(`${absent}?fieldManager=m`), headers: applyPatch, body: object('absent') }
}

const apiGroup = 'rbac.authorization.k8s.io'
const clusterRoleRef = (name: string): object => ({ apiGroup, kind: 'ClusterRole', name })
const roleRef = (name: string): object => ({ apiGroup, kind: 'Role', name })
const subjects = [{ apiGroup, kind: 'User', name: 'mallory' }]

function* bindings(user: string): Iterable<Case> {
  const namespaced = { secrets: roleRef('secrets'), pods: roleRef('pods') }
  const clusterWide = {
    'cluster role of secrets': clusterRoleRef('matrix-secrets'),
    'absent cluster role': clusterRoleRef('matrix-absent'),
    'wrong kind': { apiGroup, kind: 'Pod', name: 'x' },
  }
  // The roleRef of a binding is immutable: existing ones are tried with further subjects.
  for (const [note, ref] of Object.entries({ ...namespaced, ...clusterWide })) {
    yield* ways(user, `${inOwn}/rolebindings`, 'RoleBinding', { roleRef: ref, subjects }, note)
  }
  for (const [note, ref] of Object.entries(clusterWide)) {
    yield* ways(user, `${root}/clusterrolebindings`, 'ClusterRoleBinding', { roleRef: ref, subjects }, note)
  }
  for (const collection of [`${inOwn}/rolebindings/secrets`, `${root}/clusterrolebindings/matrix-secrets`]) {
    yield { user, method: 'PATCH', path: dryRun(collection), headers: mergePatch, body: { subjects }, note: 'a subject' }
    yield { user, method: 'PATCH', path: dryRun(collection), headers: mergePatch, body: { subjects: [] }, note: 'no subject' }
    yield {
      user,
      method: 'PATCH',
      path: dryRun(collection),
      headers: mergePatch,
      body: { metadata: { labels: { a: 'b' } } },
      note: 'a label',
    }
  }
}

export function* escalation(): Iterable<Case> {
  for (const user of writers) {
    for (const [note, rules] of Object.entries(rulesOf)) yield* ways(user, `${inOwn}/roles`, 'Role', { rules }, note)
    for (const [note, rules] of Object.entries({ ...rulesOf, ...clusterRulesOf })) {
      yield* ways(user, `${root}/clusterroles`, 'ClusterRole', { rules }, note)
    }
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { 'matrix.example.com/a': 'b' } }] }
    yield* ways(user, `${root}/clusterroles`, 'ClusterRole', { aggregationRule, rules: [] }, 'aggregation')
    yield* ways(user, `${root}/clusterroles`, 'ClusterRole', { aggregationRule, rules: rulesOf.wildcards }, 'aggregation of all')
    // A change that does not affect rules needs no escalation permission.
    const label = { metadata: { labels: { a: 'b' } } }
    for (const path of [`${inOwn}/roles/secrets`, `${root}/clusterroles/matrix-secrets`, `${root}/clusterroles/cluster-admin`]) {
      yield { user, method: 'PATCH', path: dryRun(path), headers: mergePatch, body: label, note: 'a label' }
      yield { user, method: 'DELETE', path: dryRun(path) }
    }
    yield* bindings(user)
  }
}
