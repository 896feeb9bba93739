import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Binding, PolicyRule, RbacObjects, Subject } from '../../clusters/rbac-objects.ts'
import type { User } from '../../meta/user.ts'
import type { Attributes, ResourceAttributes } from '../attributes.ts'
import { RbacPolicy } from './policy.ts'

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} })

const get = (resource: string, namespace = '', name = ''): Attributes => ({
  isResource: true,
  verb: 'get',
  group: '',
  resource,
  subresource: '',
  namespace,
  name,
})

const reader: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }

function policy(bindings: readonly Binding[]): RbacPolicy {
  return new RbacPolicy({ clusterRoles: { reader: [reader] }, roles: { 'a/reader': [reader] }, bindings })
}

const bind = (namespace: string, kind: 'Role' | 'ClusterRole', subject: Subject, role = 'reader'): Binding => ({
  namespace,
  name: 'x',
  roleRef: { kind, name: role },
  subjects: [subject],
})

describe('the RBAC authorizer', () => {
  test('names the binding, role and subject in the reason', () => {
    const { allowed, reason } = policy([bind('', 'ClusterRole', { kind: 'Group', name: 'devs' })]).authorize(
      user('bob', 'devs'),
      get('pods', 'b'),
    )
    expect(allowed).toBe(true)
    expect(reason).toBe('RBAC: allowed by ClusterRoleBinding "x" of ClusterRole "reader" to Group "devs"')
  })

  test('names the first subject of the binding that matches, and applies the binding once', () => {
    const subjects: Subject[] = [
      { kind: 'Group', name: 'devs' },
      { kind: 'User', name: 'bob' },
      { kind: 'User', name: 'bob' },
    ]
    const bound = policy([{ ...bind('', 'ClusterRole', { kind: 'User', name: 'bob' }), subjects }])
    expect(bound.authorize(user('bob', 'devs'), get('pods')).reason).toContain('to Group "devs"')
    expect(bound.authorize(user('bob'), get('pods')).reason).toContain('to User "bob"')
    expect(bound.rulesFor(user('bob', 'devs', 'devs'), '').rules).toEqual([reader])
    expect(bound.rulesFor(user('bob'), '').rules).toEqual([reader])
  })

  test('applies a RoleBinding in its own namespace only', () => {
    const bound = policy([bind('a', 'Role', { kind: 'User', name: 'bob' })])
    expect(bound.authorize(user('bob'), get('pods', 'a')).allowed).toBe(true)
    expect(bound.authorize(user('bob'), get('pods', 'b')).allowed).toBe(false)
    expect(bound.authorize(user('bob'), get('pods')).allowed).toBe(false)
  })

  test('takes a ServiceAccount subject without a namespace from the namespace of the RoleBinding', () => {
    const bound = policy([bind('a', 'Role', { kind: 'ServiceAccount', name: 'robot' })])
    expect(bound.authorize(user('system:serviceaccount:a:robot'), get('pods', 'a')).allowed).toBe(true)
    expect(bound.authorize(user('system:serviceaccount:b:robot'), get('pods', 'a')).allowed).toBe(false)
  })

  test('compares user and group names exactly, with any characters in them', () => {
    const bound = policy([bind('', 'ClusterRole', { kind: 'User', name: 'bob' })])
    expect(bound.authorize(user('bob'), get('pods')).allowed).toBe(true)
    for (const other of [user('bob\u0000'), user('bob","'), user('', 'bob'), user('b', 'ob'), user('bo', 'b')]) {
      expect(bound.authorize(other, get('pods')).allowed).toBe(false)
    }
  })

  test('checks resourceNames for each request', () => {
    const named = { ...reader, resourceNames: ['a'] }
    const bound = new RbacPolicy({
      clusterRoles: { reader: [named] },
      roles: {},
      bindings: [bind('', 'ClusterRole', { kind: 'User', name: 'bob' })],
    })
    const allowed = ['a', 'b', '', 'a'].map((name) => bound.authorize(user('bob'), get('pods', '', name)).allowed)
    expect(allowed).toEqual([true, false, false, true])
  })

  test('reports a bound role that does not exist', () => {
    const bound = policy([bind('', 'ClusterRole', { kind: 'User', name: 'bob' }, 'gone')])
    expect(bound.authorize(user('bob'), get('pods'))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    })
  })

  test('does not confuse a user with a group of the same name, nor inherited properties with roles', () => {
    const bound = policy([
      bind('', 'ClusterRole', { kind: 'Group', name: 'bob' }),
      bind('', 'ClusterRole', { kind: 'User', name: 'eve' }, '__proto__'),
    ])
    expect(bound.authorize(user('bob'), get('pods')).allowed).toBe(false)
    expect(bound.authorize(user('eve'), get('pods')).allowed).toBe(false)
  })
})

/** Evaluates the rules without an index: the model for the property test. */
function allowedByModel(objects: RbacObjects, user: User, request: Attributes): boolean {
  const name = !request.isResource || request.subresource === '' ? '' : `/${request.subresource}`
  const grantsResource = (rule: PolicyRule, request: ResourceAttributes): boolean =>
    rule.verbs.some((v) => v === '*' || v === request.verb) &&
    (rule.apiGroups ?? []).some((g) => g === '*' || g === request.group) &&
    (rule.resources ?? []).some((r) => r === '*' || r === `${request.resource}${name}` || (name !== '' && r === `*${name}`)) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(request.name))
  const grantsPath = (rule: PolicyRule, path: string): boolean =>
    rule.verbs.some((v) => v === '*' || v === request.verb) &&
    (rule.nonResourceURLs ?? []).some((u) => (u.endsWith('*') ? path.startsWith(u.slice(0, -1)) : u === path))
  const grants = (rule: PolicyRule): boolean =>
    request.isResource ? grantsResource(rule, request) : grantsPath(rule, request.path)
  return objects.bindings
    .filter((binding) => binding.namespace === '' || (request.isResource && binding.namespace === request.namespace))
    .filter((binding) =>
      binding.subjects.some(({ kind, name: subject, namespace = binding.namespace }) => {
        if (kind === 'User') return subject === user.name
        if (kind === 'Group') return user.groups.includes(subject)
        return namespace !== '' && user.name === `system:serviceaccount:${namespace}:${subject}`
      }),
    )
    .flatMap(({ namespace, roleRef }) =>
      roleRef.kind === 'ClusterRole' ? objects.clusterRoles[roleRef.name] : objects.roles[`${namespace}/${roleRef.name}`],
    )
    .some((rule) => rule !== undefined && grants(rule))
}

test('12,000 random decisions agree with a model without an index', () => {
  const one = (...values: string[]) => fc.constantFrom(...values)
  const some = (...values: string[]) => fc.uniqueArray(one(...values), { minLength: 1, maxLength: 2 })
  const rule: fc.Arbitrary<PolicyRule> = fc.record({
    verbs: some('get', 'list', 'delete', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', '*/status', '*', 'deployments'),
    resourceNames: fc.uniqueArray(one('a', 'b'), { maxLength: 1 }),
    nonResourceURLs: fc.uniqueArray(one('/a', '/a/*', '/a*', '*'), { maxLength: 1 }),
  })
  const rules = fc.array(rule, { maxLength: 2 })
  const subject = fc.record({ kind: one('User', 'Group', 'ServiceAccount'), name: one('x', 'y') })
  const binding: fc.Arbitrary<Binding> = fc.record({
    namespace: one('', 'n', 'm'),
    name: fc.constant('b'),
    roleRef: fc.record({ kind: one('Role', 'ClusterRole'), name: one('r', 's', 'gone') }),
    subjects: fc.array(subject, { maxLength: 2 }),
  })
  const objects = fc.record({
    clusterRoles: fc.record({ r: rules, s: rules }),
    roles: fc.record({ 'n/r': rules, 'm/s': rules }),
    bindings: fc.array(binding, { maxLength: 4 }),
  })
  const users = fc.record({
    name: one('x', 'y', 'system:serviceaccount:n:x'),
    uid: fc.constant(''),
    groups: fc.uniqueArray(one('x', 'y'), { maxLength: 2 }),
    extra: fc.constant({}),
  })
  const path = fc.record({
    isResource: fc.constant(false as const),
    verb: one('get', 'list'),
    path: one('/a', '/a/b', '/ab', '/b', '/'),
  })
  const resource = fc.record({
    isResource: fc.constant(true as const),
    verb: one('get', 'list', 'delete'),
    group: one('', 'apps'),
    resource: one('pods', 'deployments'),
    subresource: one('', 'log', 'status'),
    namespace: one('', 'n', 'm'),
    name: one('', 'a', 'b'),
  })
  const requests = fc.oneof({ weight: 3, arbitrary: resource }, path)
  fc.assert(
    fc.property(objects, fc.array(fc.tuple(users, requests), { minLength: 60, maxLength: 60 }), (state, questions) => {
      const decided = new RbacPolicy(state)
      for (const [user_, attributes] of questions) {
        expect(decided.authorize(user_, attributes).allowed).toBe(allowedByModel(state, user_, attributes))
      }
    }),
    { numRuns: 200 },
  )
})
