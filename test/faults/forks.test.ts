/** Forks of a cluster under load, and through the loss of the server's memory. */
import { afterAll, expect, test } from 'vitest'
import { enableClusters, type Listed, makeCluster, openCluster, type TestCluster } from '../forks.ts'
import { startServer, type TestServer } from '../server.ts'

const writers = 16
const causes = '/api/v1/namespaces/default/configmaps'
const effects = '/api/v1/namespaces/default/secrets'

let server: TestServer | undefined

afterAll(() => server?.stop())

/** The acknowledged writes, by the name of the object. */
interface Oracle {
  readonly causes: Set<string>
  readonly effects: Set<string>
  /** Writes that were sent. */
  readonly begun: Set<string>
}

const copyOf = (oracle: Oracle): Oracle => ({
  causes: new Set(oracle.causes),
  effects: new Set(oracle.effects),
  begun: new Set(oracle.begun),
})

/** Creates pairs until the server ends or `stopped` is aborted: the Secret of a pair only after its ConfigMap is acknowledged. */
async function writePairs(cluster: TestCluster, writer: number, oracle: Oracle, stopped: AbortSignal): Promise<void> {
  const create = async (path: string, name: string): Promise<boolean> => {
    const body = { metadata: { name } }
    const reply = await cluster.send(path, { method: 'POST', body }).catch(() => undefined)
    return reply?.status === 201
  }
  for (let i = 0; !stopped.aborted; i++) {
    const name = `w${writer}-${i}`
    oracle.begun.add(name)
    if (!(await create(causes, name))) return
    oracle.causes.add(name)
    if (!(await create(effects, name))) return
    oracle.effects.add(name)
  }
}

const named = ({ items }: Listed): ReadonlyMap<string, string> =>
  new Map(
    items
      .filter(({ metadata }) => metadata.name.startsWith('w'))
      .map(({ metadata }) => [metadata.name, `${metadata.uid} ${metadata.resourceVersion}`]),
  )

/** Checks the objects of a fork against what was acknowledged before it was asked for, and begun before it was answered. */
async function check(fork: TestCluster, parent: TestCluster, before: Oracle, after: Oracle): Promise<void> {
  const [maps, secrets] = [named(await fork.list(causes)), named(await fork.list(effects))]
  expect([...before.causes].filter((name) => !maps.has(name))).toEqual([])
  expect([...before.effects].filter((name) => !secrets.has(name))).toEqual([])
  expect([...secrets.keys()].filter((name) => !maps.has(name))).toEqual([])
  expect([...maps.keys()].filter((name) => !after.begun.has(name))).toEqual([])
  const ofParent = named(await parent.list(causes))
  expect([...maps].filter(([name, version]) => ofParent.get(name) !== version)).toEqual([])
}

test.each(['collections', 'one-object'])(
  'a fork under %s writers has all that was acknowledged, and no effect without its cause [F7, F8]',
  async (placement) => {
    server ??= await startServer()
    const first = server
    if (placement === 'collections') await enableClusters(first)
    const parent = await makeCluster(first, `parent-${placement}`, { placement })
    const oracle: Oracle = { causes: new Set(), effects: new Set(), begun: new Set() }
    const stop = new AbortController()
    const writing = Promise.all(Array.from({ length: writers }, (_, writer) => writePairs(parent, writer, oracle, stop.signal)))
    const forks: { name: string; before: Oracle; after: Oracle }[] = []
    for (const name of [`one-${placement}`, `two-${placement}`, `three-${placement}`]) {
      const enough = oracle.effects.size + writers
      while (oracle.effects.size < enough) await new Promise((resolve) => setTimeout(resolve, 5))
      const before = copyOf(oracle)
      await makeCluster(first, name, { forkedFrom: { name: parent.name } })
      forks.push({ name, before, after: copyOf(oracle) })
    }
    // One fork is copied while the writers go on, one is being copied when the server is killed, one is touched only after that.
    const [one, two] = await Promise.all(forks.map(({ name }) => openCluster(first, name)))
    if (one === undefined || two === undefined || forks[0] === undefined) throw new Error('no forks')
    await check(one, parent, forks[0].before, forks[0].after)
    const interrupted = two.list(causes).catch(() => undefined)
    await first.kill()
    stop.abort()
    await Promise.all([writing, interrupted])
    const second = await startServer({ dataDirectory: first.dataDirectory })
    server = second
    const again = await openCluster(second, parent.name)
    for (const { name, before, after } of forks) await check(await openCluster(second, name), again, before, after)
  },
  120_000,
)
