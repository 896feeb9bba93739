import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { withCluster } from 'edgeplane/testing'

const definitions = fileURLToPath(new URL('crds', import.meta.url))
const lamps = '/apis/example.com/v1/namespaces/default/lamps'
const lamp = { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'desk' }, spec: { watts: 40 } }

// Sets the status, and repeats after a conflict: the controller under test.
async function switchOn(cluster, name) {
  for (;;) {
    const current = (await cluster.request(`${lamps}/${name}`)).json()
    const body = { ...current, status: { isOn: true } }
    const { status } = await cluster.request(`${lamps}/${name}/status`, { method: 'PUT', body })
    if (status !== 409) return
  }
}

test(
  'a conflict is repeated, and the status is updated exactly twice',
  withCluster(async (cluster) => {
    await cluster.install(definitions)
    assert.equal((await cluster.request(lamps, { method: 'POST', body: lamp })).status, 201)
    await cluster.fail({ verb: 'update', resource: 'lamps', subresource: 'status', code: 409 })
    await switchOn(cluster, 'desk')
    const updates = await cluster.requests({ verb: 'update', resource: 'lamps', subresource: 'status' })
    assert.deepEqual(
      updates.map(({ code }) => code),
      [409, 200],
    )
  }),
)

test(
  'a lamp is as old as the clock says',
  withCluster(
    async (cluster) => {
      await cluster.install(definitions)
      await cluster.clock.advance('24h')
      const made = (await cluster.request(lamps, { method: 'POST', body: lamp })).json()
      assert.equal(made.metadata.creationTimestamp, '2030-01-02T00:00:00Z')
    },
    { now: '2030-01-01T00:00:00Z', frozen: true, seed: 1 },
  ),
)
