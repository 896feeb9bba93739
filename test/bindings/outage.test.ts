/** A control object that does not answer: the rules that a Worker knows may be used for a bounded time. */
import { afterEach, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { type CountedServer, startCountedServer } from './counted-server.ts'

const jane = { token: 'jane' }
const settings = { STATIC_TOKENS: JSON.stringify([{ token: 'jane', user: 'jane', uid: '', groups: [] }]) }
const rules = '/apis/rbac.authorization.k8s.io/v1'

let server: CountedServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

/** Starts a server on which jane may read ConfigMaps, and makes its control object fail once the known rules are outdated. */
async function failingServer(more: Readonly<Record<string, string>>): Promise<CountedServer> {
  const started = await startCountedServer({ ...settings, ...more })
  server = started
  const make = async (path: string, body: object): Promise<void> =>
    expect((await started.send(path, { method: 'POST', body })).status).toBe(201)
  const reader = { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'create'] }
  await make(`${rules}/clusterroles`, { metadata: { name: 'reader' }, rules: [reader] })
  await make(`${rules}/clusterrolebindings`, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
  })
  expect((await started.send(configMaps, jane)).status).toBe(200)
  await started.failControl(true)
  await new Promise((resolve) => setTimeout(resolve, 1100))
  return started
}

// A cluster with one object has no collection that could answer in its place.
test.skipIf(process.env.PLACEMENT === 'one-object')(
  'with POLICY_STALE_SECONDS, known rules are used while the control object fails, and health reports it',
  async () => {
    const started = await failingServer({ POLICY_STALE_SECONDS: '60' })
    expect((await started.send(configMaps, jane)).status).toBe(200)
    expect((await started.send('/api/v1/namespaces/default/secrets', jane)).status).toBe(403)
    const health = await started.send('/readyz')
    expect([health.status, health.text]).toEqual([500, expect.stringContaining('[-]etcd failed')])
    await started.failControl(false)
    await expect.poll(async () => (await started.send('/readyz')).status, { timeout: 5000 }).toBe(200)
  },
  30_000,
)

test('with POLICY_STALE_SECONDS, rules that are older are not used', async () => {
  const started = await failingServer({ POLICY_STALE_SECONDS: '1' })
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect((await started.send(configMaps, jane)).status).toBe(500)
}, 30_000)

test('without POLICY_STALE_SECONDS, outdated rules allow nothing', async () => {
  const started = await failingServer({})
  expect((await started.send(configMaps, jane)).status).toBe(500)
  await started.failControl(false)
  expect((await started.send(configMaps, jane)).status).toBe(200)
}, 30_000)
