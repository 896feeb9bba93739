/** Headers of impersonation whose lines the runtime has joined, with a service that tells the lines and without. */
import { describe, expect, test } from 'vitest'
import { partsOfLines } from '../../launcher/proxy/header-lines.ts'
import type { User } from '../../meta/user.ts'
import { administrator, clientOf, jane, serverOf, servicesOf, withUser } from './filters.fixture.ts'
import type { HeaderLines } from './header-lines.ts'
import { withImpersonation } from './impersonation.ts'

/** Returns an authorizer for which jane may impersonate all users, and these groups. */
function authorizerFor(...resourceNames: readonly string[]) {
  const rules = [
    { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'], resourceNames },
  ]
  const roleRef = { kind: 'ClusterRole', name: 'impersonator' }
  const bindings = [{ namespace: '', name: 'impersonator', roleRef, subjects: [{ kind: 'User', name: 'jane' }] }]
  return servicesOf(clientOf({ rbac: { clusterRoles: { impersonator: rules }, roles: {}, bindings } })).authorizer
}

interface Outcome {
  readonly status: number
  readonly groups: readonly string[]
}

/** Returns the groups of the impersonated user alice. @param lines of the header Impersonate-Group */
async function impersonate(
  lines: readonly string[],
  { user = administrator as User, may = [] as readonly string[], service = undefined as HeaderLines | undefined },
): Promise<Outcome> {
  let groups: readonly string[] = []
  const server = serverOf(withUser(user), withImpersonation(authorizerFor(...may), service), (c, next) => {
    groups = c.get('user').groups.filter((group) => group !== 'system:authenticated')
    return next()
  })
  const headers = new Headers({ 'impersonate-user': 'alice' })
  for (const line of lines) headers.append('impersonate-group', line)
  return { status: (await server.request('/version', { headers })).status, groups }
}

/** Returns the service for a request with these lines. */
function serviceFor(lines: readonly string[]): HeaderLines {
  const raw = ['Host', 'a', 'Impersonate-User', 'alice', ...lines.flatMap((line) => ['Impersonate-Group', line])]
  return { fetch: async () => Response.json(partsOfLines(raw)) }
}

describe('with a service that tells the lines of a header, Impersonate-Group', () => {
  test.each([
    [['a', 'system:masters']],
    [['a, system:masters']],
    [['a', 'b, c', '', 'd']],
    [['a,', ',b']],
    [Array.from({ length: 20 }, (_, i) => `g${i}`)],
  ])('%j are exactly these groups', async (lines) => {
    expect(await impersonate(lines, { service: serviceFor(lines) })).toEqual({ status: 200, groups: lines })
  })

  test('of one line is one group, also if the user may impersonate its parts', async () => {
    const service = serviceFor(['a, b'])
    expect((await impersonate(['a, b'], { user: jane, may: ['a', 'b'], service })).status).toBe(403)
    expect((await impersonate(['a', 'b'], { user: jane, may: ['a', 'b'], service: serviceFor(['a', 'b']) })).groups).toEqual([
      'a',
      'b',
    ])
  })

  test.each([[['a', 'b', 'c']], [['a']], [[]]])('is not believed to have the lines %j if it has others: 500', async (told) => {
    expect((await impersonate(['a', 'b'], { service: serviceFor(told) })).status).toBe(500)
  })
})

describe('without it, Impersonate-Group', () => {
  test('is 400 for a user who may impersonate all of them', async () => {
    for (const lines of [['a, system:masters'], ['a', 'system:masters']]) expect((await impersonate(lines, {})).status).toBe(400)
  })

  test('is the single value for a user who may impersonate only that one', async () => {
    const { groups } = await impersonate(['a, system:masters'], { user: jane, may: ['a, system:masters'] })
    expect(groups).toEqual(['a, system:masters'])
  })

  test('is several values for a user who may impersonate only these', async () => {
    const { groups } = await impersonate(['a', 'b', 'c'], { user: jane, may: ['a', 'b', 'c'] })
    expect(groups).toEqual(['a', 'b', 'c'])
  })

  test('is 400 if a part of it may be a single value', async () => {
    expect((await impersonate(['a', 'b', 'c'], { user: jane, may: ['a', 'b', 'c', 'b, c'] })).status).toBe(400)
  })

  test('with too many parts is 400', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `g${index}`)
    expect((await impersonate(lines, {})).status).toBe(400)
  })
})
