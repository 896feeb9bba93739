/** Replays a sample of the recorded scenarios in forks: they answer as kube-apiserver does, like any other cluster. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enableClusters, makeCluster } from '../test/forks.ts'
import { startServer, type TestServer } from '../test/server.ts'
import { differences, knownDifferences } from './ledger.ts'
import { readScenario, scenarioNames } from './scenario.ts'

const folder = join(import.meta.dirname, 'scenarios')

/** Every so many scenarios are replayed, in forks of both placements in turn. */
const each = 53
const sample = scenarioNames(folder)
  .filter((_, index) => index % each === 0)
  .map((name, index) => ({ name, placement: index % 2 === 0 ? 'one-object' : 'collections' }) as const)

let server: TestServer

beforeAll(async () => {
  server = await startServer()
  await enableClusters(server)
  for (const placement of ['one-object', 'collections']) {
    const parent = await makeCluster(server, `parent-${placement}`, { placement })
    await parent.send('/api/v1/namespaces/default/configmaps', { method: 'POST', body: { metadata: { name: 'inherited' } } })
  }
}, 60_000)
afterAll(() => server?.stop())

test.concurrent.each(sample)(
  '$name, in a fork with the placement $placement',
  async ({ name, placement }) => {
    // Scenarios list shared objects: each has a fork of its own.
    const fork = await makeCluster(server, name, { forkedFrom: { name: `parent-${placement}` } })
    const scenario = readScenario(folder, name)
    const access = { url: server.url + fork.path, token: fork.token }
    expect(await differences(scenario, access)).toEqual(knownDifferences(scenario, placement))
  },
  60_000,
)
