/** Access control with kubectl: roles and bindings, can-i, whoami, impersonation, tokens. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'
import { callerOf, type Outcome, testedReleases } from './releases.ts'

const clients = testedReleases()
let server: TestServer

beforeAll(async () => {
  if (clients.length > 0) server = await startServer()
}, 30_000)
afterAll(async () => {
  await server?.stop()
})

describe.each(clients)(
  '%s',
  (name, path) => {
    const namespace = `access-${name.replace(/[^a-z0-9]/g, '-')}`
    const call = callerOf(path, () => server)
    const inside = (...args: string[]): Promise<Outcome> => call(['--namespace', namespace, ...args])
    const joe = `joe-${namespace}`
    const jane = ['--as=jane', '--as-group=developers']

    test('a new user may run whoami and nothing else', async () => {
      await call(['create', 'namespace', namespace])
      expect((await inside('auth', 'can-i', 'get', 'pods', ...jane)).stdout).toBe('no\n')
      expect(await inside('get', 'configmaps', ...jane)).toMatchObject({
        code: 1,
        stderr: `Error from server (Forbidden): configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "${namespace}"\n`,
      })
      const whoami = await inside('auth', 'whoami', '-o', 'json', ...jane)
      // If no other version exists, 1.27 requests a version of the review that is no longer served.
      if (whoami.code === 0) {
        expect(JSON.parse(whoami.stdout)).toMatchObject({
          status: { userInfo: { username: 'jane', groups: ['developers', 'system:authenticated'] } },
        })
      } else expect(name).toContain('1.27')
    })

    test('several groups may be impersonated, and a group with a comma', async () => {
      const groups = ['--as-group=a', '--as-group=b, c', '--as-group=d']
      const whoami = await inside('auth', 'whoami', '-o', 'json', '--as=jane', ...groups)
      if (whoami.code !== 0) expect(name).toContain('1.27')
      else expect(JSON.parse(whoami.stdout).status.userInfo.groups).toEqual(['a', 'b, c', 'd', 'system:authenticated'])
    })

    test('roles and bindings are effective at once', async () => {
      const rules = ['--verb=get,list,watch', '--resource=configmaps', '--resource=deployments.apps/scale']
      expect((await inside('create', 'role', 'reader', ...rules)).stdout).toBe('role.rbac.authorization.k8s.io/reader created\n')
      expect((await inside('create', 'rolebinding', 'readers', '--role=reader', '--group=developers')).stdout).toBe(
        'rolebinding.rbac.authorization.k8s.io/readers created\n',
      )
      expect((await inside('auth', 'can-i', 'list', 'configmaps', ...jane)).stdout).toBe('yes\n')
      expect((await inside('auth', 'can-i', 'get', 'deployments.apps', '--subresource=scale', ...jane)).stdout).toBe('yes\n')
      expect((await inside('auth', 'can-i', 'delete', 'configmaps', ...jane)).stdout).toBe('no\n')
      expect((await call(['auth', 'can-i', 'list', 'configmaps', '-n', 'default', ...jane])).stdout).toBe('no\n')
      expect((await inside('get', 'configmaps', '-o', 'name', ...jane)).code).toBe(0)
      const all = (await inside('auth', 'can-i', '--list', ...jane)).stdout
      expect(all).toMatch(/^configmaps +\[\] +\[\] +\[get list watch\]$/m)
      expect(all).toMatch(/^deployments\.apps\/scale +\[\] +\[\] +\[get list watch\]$/m)
      expect(all).toMatch(/^ +\[\/version\] +\[\] +\[get\]$/m)
      await inside('delete', 'rolebinding', 'readers')
      expect((await inside('get', 'configmaps', ...jane)).code).toBe(1)
    })

    test('privilege escalation is refused', async () => {
      const binder = ['--clusterrole=view', `--user=${joe}`]
      await inside('create', 'role', 'granter', '--verb=create,update,patch', '--resource=roles,rolebindings')
      await inside('create', 'rolebinding', 'granters', '--role=granter', `--user=${joe}`)
      const refused = await inside('create', 'role', 'more', '--verb=delete', '--resource=secrets', `--as=${joe}`)
      expect(refused.stderr).toContain('is attempting to grant RBAC permissions not currently held:')
      expect(refused.stderr).toContain('{APIGroups:[""], Resources:["secrets"], Verbs:["delete"]}')
      expect((await inside('create', 'rolebinding', 'more', ...binder, `--as=${joe}`)).code).toBe(1)
      await inside('create', 'clusterrolebinding', `${namespace}-view`, ...binder)
      expect((await inside('create', 'rolebinding', 'more', ...binder, `--as=${joe}`)).code).toBe(0)
    })

    test('kubectl auth reconcile', async () => {
      const manifest = JSON.stringify({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'reconciled', namespace },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      })
      const { stdout } = await call(['auth', 'reconcile', '-f', '-'], { input: manifest })
      expect(stdout).toContain('role.rbac.authorization.k8s.io/reconciled reconciled')
      expect((await inside('get', 'role', 'reconciled', '-o', 'jsonpath={.rules[0].resources}')).stdout).toBe('["pods"]')
    })
  },
  60_000,
)
