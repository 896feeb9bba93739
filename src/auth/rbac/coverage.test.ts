import { describe, expect, test } from 'vitest'
import type { PolicyRule } from '../../clusters/rbac-objects.ts'
import { describeParts, uncovered } from './coverage.ts'

const on = (resources: string[], verbs: string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  apiGroups: [''],
  resources,
  verbs,
  ...more,
})

describe('rules cover', () => {
  test.each<[string, PolicyRule, PolicyRule, number]>([
    ['the same', on(['pods'], ['get']), on(['pods'], ['get']), 0],
    ['each verb and resource for itself', on(['pods'], ['get']), on(['pods', 'secrets'], ['get', 'list']), 3],
    ['everything with a star', on(['*'], ['*']), on(['pods', 'secrets/x'], ['get', 'list']), 0],
    ['a subresource of all', on(['*/scale'], ['get']), on(['deployments/scale'], ['get']), 0],
    ['not the resource by its subresource', on(['*/scale'], ['get']), on(['deployments'], ['get']), 1],
    ['names by no names', on(['pods'], ['get']), on(['pods'], ['get'], { resourceNames: ['a'] }), 0],
    ['not all names by one', on(['pods'], ['get'], { resourceNames: ['a'] }), on(['pods'], ['get']), 1],
    ['paths by their beginning', { verbs: ['get'], nonResourceURLs: ['/a/*'] }, { verbs: ['get'], nonResourceURLs: ['/a/b'] }, 0],
  ])('%s', (_about, owned, wanted, missing) => {
    expect(uncovered([owned], [wanted])).toHaveLength(missing)
  })
})

test('what is missing is told with the verbs of a resource together, sorted', () => {
  const missing = uncovered([], [on(['secrets'], ['get', 'list']), { verbs: ['get'], nonResourceURLs: ['/x'] }])
  expect(describeParts(missing)).toBe(
    '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}\n{NonResourceURLs:["/x"], Verbs:["get"]}',
  )
})
