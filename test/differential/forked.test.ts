/** Replays a sample of the recorded scenarios in forks: they answer as kube-apiserver does, like any other cluster. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enableClusters, makeCluster } from '../forks.ts'
import { startServer, type TestServer } from '../server.ts'
import { differingSteps } from './replayed.ts'

interface Ledger {
  readonly replayed: readonly string[]
  readonly differences: Readonly<Record<string, string>>
  readonly differencesOfCollections: Readonly<Record<string, string>>
}

const folder = import.meta.dirname
const { replayed, differences, differencesOfCollections } = JSON.parse(
  readFileSync(join(folder, 'ledger.json'), 'utf8'),
) as Ledger

/** Every so many scenarios are replayed, in forks of both placements in turn. */
const each = 53
const sample = replayed.filter((_, index) => index % each === 0)

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

test.concurrent.each(sample.map((name, index) => [name, index % 2 === 0 ? 'one-object' : 'collections'] as const))(
  '%s, in a fork with the placement %s',
  async (name, placement) => {
    // Scenarios list shared objects: each has a fork of its own.
    const fork = await makeCluster(server, name.slice(0, 60), { forkedFrom: { name: `parent-${placement}` } })
    const known = { ...differences, ...(placement === 'collections' && differencesOfCollections) }
    const expected = Object.keys(known).filter((entry) => entry.startsWith(`${name} #`))
    const differing = await differingSteps({ ...server, url: server.url + fork.path, token: fork.token }, folder, name)
    expect(differing.sort()).toEqual(expected.sort())
  },
  60_000,
)
