import { describe, expect, test } from 'vitest'
import { bootstrapObjects } from '../../src/auth/rbac/bootstrap/objects.ts'
import recorded from '../../src/auth/rbac/bootstrap/recorded.json' with { type: 'json' }
import { bootstrapFacts, type RbacList } from './bootstrap-facts.ts'
import { priorityFacts } from './priority-facts.ts'

const listOf = (resource: string): RbacList => ({
  items: [...bootstrapObjects()].flatMap((each) => (each.resource === resource ? [each.object as never] : [])),
})
const lists = {
  clusterRoles: listOf('clusterroles'),
  clusterRoleBindings: listOf('clusterrolebindings'),
  roles: listOf('roles'),
  roleBindings: listOf('rolebindings'),
}

describe('bootstrap roles', () => {
  test('recording the bootstrap roles and bindings of a server reproduces the recorded file', () => {
    expect(bootstrapFacts(lists)).toEqual(recorded)
    expect(lists.clusterRoles.items).toHaveLength(69)
    expect(lists.clusterRoleBindings.items).toHaveLength(50)
  })

  test('every bootstrap rule has resources or nonResourceURLs, and every bootstrap binding refers to an existing role', () => {
    const roles = [...lists.clusterRoles.items, ...lists.roles.items]
    for (const { verbs, resources, apiGroups, nonResourceURLs } of roles.flatMap(({ rules }) => rules ?? [])) {
      expect(verbs.length).toBeGreaterThan(0)
      expect(resources === undefined).toBe(apiGroups === undefined)
      expect(resources === undefined).toBe(nonResourceURLs !== undefined)
    }
    const names = new Set(roles.map(({ metadata }) => metadata.name))
    for (const { roleRef } of [...lists.clusterRoleBindings.items, ...lists.roleBindings.items]) {
      expect(names).toContain(roleRef?.name)
    }
  })

  test('roles that are not bootstrap roles are not recorded', () => {
    const own = { metadata: { name: 'own' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }
    expect(bootstrapFacts({ ...lists, clusterRoles: { items: [...lists.clusterRoles.items, own] } })).toEqual(recorded)
  })
})

test('the priorities of groups and versions are recorded from APIServices without a service, the highest first', () => {
  const spec = { groupPriorityMinimum: 17800, versionPriority: 15 }
  const items = [
    { spec: { ...spec, group: 'metrics.k8s.io', version: 'v1', service: {} } },
    { spec: { ...spec, group: 'apps', version: 'v1' } },
    { spec: { groupPriorityMinimum: 18000, versionPriority: 1, version: 'v1' } },
  ]
  expect(priorityFacts({ items })).toEqual([
    { group: '', version: 'v1', groupPriority: 18000, versionPriority: 1 },
    { group: 'apps', version: 'v1', groupPriority: 17800, versionPriority: 15 },
  ])
})
