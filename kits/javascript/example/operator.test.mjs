import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { withCluster } from 'edgeplane/testing'

// The program of an operator with webhooks, and the directory of its definition and their configurations: test/clients/operator.
const { OPERATOR, OPERATOR_CONFIG } = process.env
const lamps = (version) => `/apis/example.com/${version}/namespaces/default/lamps`

// Runs the operator, with its configuration installed, during a part of a test.
async function withOperator(cluster, use) {
  const operator = spawn(OPERATOR, ['lamps', cluster.kubeconfigFile], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const lines = createInterface(operator.stdout)[Symbol.asyncIterator]()
    // The values of the files: the URL of the webhooks, and their certificate authority.
    await cluster.install(OPERATOR_CONFIG, JSON.parse((await lines.next()).value))
    assert.equal((await lines.next()).value, 'ready')
    await use()
  } finally {
    operator.kill()
    await once(operator, 'exit')
  }
}

async function switchedOn(cluster, name) {
  for (;;) {
    const lamp = (await cluster.request(`${lamps('v1')}/${name}`)).json()
    if (lamp.status?.isOn) return lamp
    await new Promise((done) => setTimeout(done, 10))
  }
}

test(
  'an operator converts, defaults and validates lamps, and switches each on by one update',
  { skip: OPERATOR === undefined && 'OPERATOR is not set' },
  withCluster((cluster) =>
    withOperator(cluster, async () => {
      const create = (version, name, spec) =>
        cluster.request(lamps(version), {
          method: 'POST',
          body: { apiVersion: `example.com/${version}`, kind: 'Lamp', metadata: { name }, spec },
        })
      assert.equal((await create('v1beta1', 'desk', { power: '40W' })).status, 201)
      const refused = await create('v1', 'hall', { watts: -1 })
      assert.equal(refused.status, 403)
      assert.match(refused.json().message, /denied the request: watts must not be negative/)
      assert.deepEqual((await switchedOn(cluster, 'desk')).spec, { watts: 40, colour: 'white' })
      const updates = await cluster.requests({ verb: 'update', resource: 'lamps', subresource: 'status' })
      assert.deepEqual(
        updates.map(({ code }) => code),
        [200],
      )
    }),
  ),
)
