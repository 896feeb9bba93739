/**
 * An informer with a server that is killed repeatedly has the correct state in the end, and has seen no event twice or out of
 * order.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { startServer, type TestServer } from '../server.ts'
import { Informer, stateOf } from './informer.ts'

const path = '/api/v1/namespaces/default/configmaps'
const kills = 4

let server: TestServer
afterEach(() => server.stop())

/** Creates, changes and deletes objects until the server does not answer. */
async function disturb(target: TestServer, seed: number): Promise<void> {
  for (let step = seed; ; step++) {
    const name = `c${(step * 7) % 23}`
    const body = { metadata: { name }, data: { at: String(step) } }
    const send = (url: string, method: string, content?: unknown): Promise<number> =>
      target.send(url, { method, body: content }).then((reply) => reply.status)
    try {
      if ((await send(path, 'POST', body)) !== 409) continue
      if (step % 3 === 0) await send(`${path}/${name}`, 'DELETE')
      else await send(`${path}/${name}`, 'PUT', body)
    } catch {
      return
    }
  }
}

test('an informer under kill -9', async () => {
  server = await startServer()
  const informers = [new Informer(() => server, path), new Informer(() => server, path)]
  const running = informers.map((informer) => informer.run())
  for (let round = 0; round < kills; round++) {
    const current = server
    const writers = [0, 1, 2].map((writer) => disturb(current, round * 10_000 + writer * 1_000))
    const informer = informers[0]
    const before = Number(Object.values(informer?.state ?? {}).length)
    await vi.waitFor(() => expect(Object.values(informer?.state ?? {}).length).toBeGreaterThan(Math.min(before, 5)), 10_000)
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400))
    await current.kill()
    await Promise.all(writers)
    server = await startServer({ dataDirectory: current.dataDirectory })
  }
  const truth = stateOf((await server.send(path)).json<{ items: Parameters<typeof stateOf>[0] }>().items)
  expect(Object.keys(truth).length).toBeGreaterThan(0)
  for (const informer of informers) {
    await vi.waitFor(() => expect(informer.state).toEqual(truth), 10_000)
    expect(informer.faults).toEqual([])
    informer.stop()
  }
  await Promise.all(running)
}, 60_000)
