/** Power failures: acknowledged writes survive, and the next start works. */
import { afterEach, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

let server: TestServer | undefined

afterEach(async () => {
  await server?.stop()
})

test('no acknowledged write is lost when the server is killed under load [V11]', async () => {
  server = await startServer()
  let { dataDirectory } = server
  const acknowledged: string[] = []
  for (let round = 0; round < 3; round++) {
    const current = server
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const name = `r${round}-w${writer}-${i}`
        const reply = await current
          .send('/api/v1/namespaces/default/configmaps', { method: 'POST', body: { metadata: { name }, data: { name } } })
          .catch(() => undefined)
        if (reply === undefined) return
        expect(reply.status).toBe(201)
        acknowledged.push(name)
        if (acknowledged.length === (round + 1) * 100) void current.kill()
      }
    })
    await Promise.all(writers)
    await current.kill()
    server = await startServer({ dataDirectory })
    ;({ dataDirectory } = server)
    const list = (await server.send('/api/v1/namespaces/default/configmaps')).json<{ items: { metadata: { name: string } }[] }>()
    const names = new Set(list.items.map((item) => item.metadata.name))
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([])
  }
}, 60_000)

test('resourceVersions continue after a restart, and a watch resumes from an earlier one [V2, W3]', async () => {
  server = await startServer()
  const path = '/api/v1/namespaces/default/configmaps'
  const create = async (name: string): Promise<number> => {
    const { metadata } = (await server?.send(path, { method: 'POST', body: { metadata: { name } } }))?.json<{
      metadata: { resourceVersion: string }
    }>() ?? { metadata: { resourceVersion: '0' } }
    return Number(metadata.resourceVersion)
  }
  const first = await create('before-1')
  const second = await create('before-2')
  await server.kill()
  server = await startServer({ dataDirectory: server.dataDirectory })
  expect(await create('after')).toBeGreaterThan(second)
  const watch = await server.send(`${path}?watch=1&timeoutSeconds=1&resourceVersion=${first}`)
  const seen = watch.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string } } })
    .filter(({ object }) => object.metadata.name !== 'kube-root-ca.crt')
  expect(seen.map((event) => `${event.type} ${event.object.metadata.name}`)).toEqual(['ADDED before-2', 'ADDED after'])
}, 60_000)
