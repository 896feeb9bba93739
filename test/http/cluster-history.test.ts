/** The history that each cluster keeps. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configMaps } from '../paths.ts'
import { type ClusterServer, startClusterServer } from './cluster-server.ts'

const merge = { 'content-type': 'application/merge-patch+json' }
/** More changes than are kept in any case. */
const changes = 1200

let server: ClusterServer

beforeAll(async () => {
  server = await startClusterServer()
}, 60_000)

afterAll(() => server?.stop())

/** A cluster after many changes of one object. */
interface Changed {
  readonly name: string
  readonly token: string
  /** The version of its first change. */
  readonly first: string
}

async function change(name: string, spec: object): Promise<Changed> {
  const token = await server.make(name, spec)
  const made = await server.inside(name, configMaps, { method: 'POST', token, body: { metadata: { name: 'busy' } } })
  const { resourceVersion: first } = made.json<{ metadata: { resourceVersion: string } }>().metadata
  let left = changes
  const patch = async (): Promise<void> => {
    for (let number = left--; number > 0; number = left--) {
      const body = { data: { number: String(number) } }
      const { status, text } = await server.inside(name, `${configMaps}/busy`, { method: 'PATCH', token, headers: merge, body })
      expect(status, text).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: 16 }, patch))
  return { name, token, first }
}

/** Lists the objects as of the first change. Returns the status of the response. */
const readFirst = async ({ name, token, first }: Changed): Promise<number> =>
  (await server.inside(name, `${configMaps}?resourceVersion=${first}&resourceVersionMatch=Exact`, { token })).status

const compacted = (cluster: Changed): Promise<void> =>
  expect.poll(() => readFirst(cluster), { timeout: 60_000, interval: 100 }).toBe(410)

test('history is as long as the spec says, and a change of the spec takes effect without a restart [H5]', async () => {
  // The one that keeps its history is older: it would have been compacted before the other one.
  const long = await change('long', { placement: 'one-object', historySeconds: 2_592_000 })
  const short = await change('short', { placement: 'collections', historySeconds: 1 })
  await compacted(short)
  expect(await readFirst(long)).toBe(200)
  expect((await server.patch(long.name, { historySeconds: 1 })).status).toBe(200)
  await compacted(long)
}, 120_000)

test.each([0, 2_592_001, '1h'])('a history of %s is invalid [H5]', async (historySeconds) => {
  expect((await server.create('wrong', { historySeconds })).status).toBe(422)
})
