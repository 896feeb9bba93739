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
    [
      'no rule for all names with a rule for one name',
      on(['pods'], ['get'], { resourceNames: ['a'] }),
      on(['pods'], ['get'], { resourceNames: [] }),
      1,
    ],
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

describe('a role of many verbs, groups, resources and names', () => {
  const many = (count: number, prefix: string): string[] => Array.from({ length: count }, (_none, i) => `${prefix}${i}`)
  const wide = on(many(1000, 'r'), many(1000, 'v'), { apiGroups: many(100, 'g'), resourceNames: many(100, 'n') })

  test('504 Timeout if its parts are too many to be checked', () => {
    expect(() => uncovered([on(['pods'], ['get'])], [wide])).toThrow(expect.objectContaining({ code: 504, reason: 'Timeout' }))
  })

  test('is covered by one rule, however many parts it has', () => {
    expect(uncovered([on(['pods'], ['get']), { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [wide])).toEqual([])
  })
})
