import { describe, expect, test } from 'vitest'
import type { Attributes } from '../../auth/attributes.ts'
import type { User } from '../../meta/user.ts'
import { readAuditPolicy } from './read-policy.ts'

const user = (name: string, ...groups: string[]): User => ({ name, uid: '', groups, extra: {} })
const jane = user('jane', 'developers', 'system:authenticated')

/** Reads attributes from `get pods/log of a in default` or `get /path`. */
function attributes(text: string): Attributes {
  const [verb = '', what = '', name = '', namespace = ''] = text.split(/ (?:of |in )?/)
  if (what.startsWith('/')) return { isResource: false, verb, path: what }
  const [, resource = '', subresource = '', group = ''] = /^([^/.]*)(?:\/([^.]*))?(?:\.(.*))?$/.exec(what) ?? []
  return { isResource: true, verb, group, resource, subresource, name: name === '-' ? '' : name, namespace }
}

const policy = (rules: string): string => `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n${rules}`
const levelOf = (rules: string, what: string, who: User | undefined = jane): string =>
  readAuditPolicy(policy(rules)).evaluate(who, attributes(what)).level

describe('a rule of the audit policy', () => {
  test.each([
    ['- level: Metadata', 'get pods', 'Metadata'],
    ['- {level: Metadata, users: [bob]}', 'get pods', 'None'],
    ['- {level: Metadata, users: [bob, jane]}', 'get pods', 'Metadata'],
    ['- {level: Metadata, userGroups: [developers]}', 'get pods', 'Metadata'],
    ['- {level: Metadata, userGroups: [others]}', 'get pods', 'None'],
    ['- {level: Request, verbs: [create, patch]}', 'patch pods of a in b', 'Request'],
    ['- {level: Request, verbs: [create, patch]}', 'get pods of a in b', 'None'],
    ['- {level: Request, namespaces: [b]}', 'get pods of a in b', 'Request'],
    ['- {level: Request, namespaces: [b]}', 'get pods of a in c', 'None'],
    ['- {level: Request, namespaces: [""]}', 'get nodes of a', 'Request'],
    ['- {level: Request, namespaces: [b]}', 'get /healthz', 'None'],
    ['- {level: Request, resources: [{group: ""}]}', 'get pods of a in b', 'Request'],
    ['- {level: Request, resources: [{group: ""}]}', 'get deployments.apps of a in b', 'None'],
    ['- {level: Request, resources: [{group: "*"}]}', 'get deployments.apps of a in b', 'Request'],
    ['- {level: Request, resources: [{group: "", resources: [pods]}]}', 'get pods/log of a in b', 'None'],
    ['- {level: Request, resources: [{group: "", resources: [pods/log]}]}', 'get pods/log of a in b', 'Request'],
    ['- {level: Request, resources: [{group: "", resources: [pods/*]}]}', 'get pods/log of a in b', 'Request'],
    ['- {level: Request, resources: [{group: "", resources: [pods/*]}]}', 'get pods of a in b', 'Request'],
    ['- {level: Request, resources: [{group: "", resources: ["*/log"]}]}', 'get pods/log of a in b', 'Request'],
    ['- {level: Request, resources: [{group: "", resources: ["*"]}]}', 'get pods/log of a in b', 'Request'],
    ['- {level: Request, resources: [{group: "", resources: [pods], resourceNames: [x]}]}', 'get pods of a in b', 'None'],
    ['- {level: Request, resources: [{group: "", resources: [pods], resourceNames: [a]}]}', 'get pods of a in b', 'Request'],
    ['- {level: Request, nonResourceURLs: [/healthz*]}', 'get /healthz/etcd', 'Request'],
    ['- {level: Request, nonResourceURLs: [/healthz]}', 'get /healthz/etcd', 'None'],
    ['- {level: Request, nonResourceURLs: ["*"]}', 'get pods', 'None'],
  ])('rule %s, request %s: level %s', (rules, what, level) => {
    expect(levelOf(rules, what)).toBe(level)
  })

  test('applies only if no earlier rule matches', () => {
    const rules = '- {level: None, users: [jane]}\n- level: Metadata'
    expect(levelOf(rules, 'get pods')).toBe('None')
    expect(levelOf(rules, 'get pods', user('bob'))).toBe('Metadata')
  })

  test('with users or userGroups does not match an unauthenticated request', () => {
    const read = readAuditPolicy(
      policy('- {level: Request, users: [jane]}\n- {level: Request, userGroups: [a]}\n- level: Metadata'),
    )
    expect(read.evaluate(undefined, attributes('get pods')).level).toBe('Metadata')
  })

  test('inherits omitStages and omitManagedFields of the policy', () => {
    const rules = '- {users: [jane], level: Metadata, omitStages: [Panic], omitManagedFields: false}\n- level: Request'
    const read = readAuditPolicy(`${policy(rules)}\nomitStages: [RequestReceived]\nomitManagedFields: true\n`)
    expect(read.evaluate(jane, attributes('get pods'))).toMatchObject({
      omitStages: ['RequestReceived', 'Panic'],
      omitManagedFields: false,
    })
    expect(read.evaluate(user('bob'), attributes('get pods'))).toMatchObject({
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
    })
  })
})

describe('an audit policy', () => {
  test('may be JSON', () => {
    const text = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] })
    expect(readAuditPolicy(text).evaluate(jane, attributes('get pods')).level).toBe('Metadata')
  })

  test.each([
    ['{}', /apiVersion is required/],
    ['apiVersion: audit.k8s.io/v1beta1\nkind: Policy\nrules: [{level: None}]', /apiVersion must be "audit.k8s.io\/v1"/],
    ['[]', /must be an object/],
    [policy('  []'), /rules is required/],
    [policy('- level: All'), /rules\[0\]\.level/],
    [policy('- users: [a]'), /rules\[0\]\.level/],
    [policy('- {level: None, users: jane}'), /rules\[0\]\.users must be a list/],
    [policy('- {level: None, users: [1]}'), /rules\[0\]\.users\[0\]/],
    [policy('- {level: None, nonResourceURLs: [healthz]}'), /begin with a '\/'/],
    [policy('- {level: None, nonResourceURLs: [/a*/b]}'), /final character/],
    [policy('- {level: None, nonResourceURLs: [/a], namespaces: [b]}'), /both/],
    [policy('- {level: None, resources: [{group: "rbac.authorization.k8s.io/v1"}]}'), /without a version/],
    [policy('- {level: None, resources: [{group: "", resourceNames: [a]}]}'), /at least one resource/],
    [policy('- {level: None, omitStages: [Later]}'), /omitStages\[0\] must be "RequestReceived" or/],
  ])('is invalid: %j', (text, why) => {
    expect(() => readAuditPolicy(text)).toThrow(why)
  })
})
