import { describe, expect, test } from 'vitest'
import type { PolicyRule } from '../../clusters/rbac-objects.ts'
import { describeParts, uncovered } from './coverage.ts'

const on = (resources: string[], verbs: string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  apiGroups: [''],
  resources,
  verbs,
  ...more,
})

describe('RBAC rules cover (escalation check)', () => {
  test.each<[string, PolicyRule, PolicyRule, number]>([
    ['the same rule', on(['pods'], ['get']), on(['pods'], ['get']), 0],
    ['only part of several verbs and resources', on(['pods'], ['get']), on(['pods', 'secrets'], ['get', 'list']), 3],
    ['everything with *', on(['*'], ['*']), on(['pods', 'secrets/x'], ['get', 'list']), 0],
    ['a subresource with */scale', on(['*/scale'], ['get']), on(['deployments/scale'], ['get']), 0],
    ['no resource with */scale', on(['*/scale'], ['get']), on(['deployments'], ['get']), 1],
    ['resourceNames with a rule for all names', on(['pods'], ['get']), on(['pods'], ['get'], { resourceNames: ['a'] }), 0],
    ['not all names with a rule for one name', on(['pods'], ['get'], { resourceNames: ['a'] }), on(['pods'], ['get']), 1],
    [
      'nonResourceURLs by a prefix',
      { verbs: ['get'], nonResourceURLs: ['/a/*'] },
      { verbs: ['get'], nonResourceURLs: ['/a/b'] },
      0,
    ],
  ])('%s', (_about, owned, wanted, missing) => {
    expect(uncovered([owned], [wanted])).toHaveLength(missing)
  })
})

test('missing rules are listed per resource, with sorted verbs', () => {
  const missing = uncovered([], [on(['secrets'], ['get', 'list']), { verbs: ['get'], nonResourceURLs: ['/x'] }])
  expect(describeParts(missing)).toBe(
    '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n{NonResourceURLs:["/x"], Verbs:["get"]}',
  )
})
