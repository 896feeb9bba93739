/** The placement of a local cluster stays as it was made, whatever later starts say. */
import { expect, test } from 'vitest'
import { startServer } from '../server.ts'

test.each([
  ['one-object', 'collections'],
  ['collections', 'one-object'],
])(
  'a cluster made with --placement %s keeps its objects when it is started with %s',
  async (made, later) => {
    const first = await startServer({ args: ['--placement', made] })
    const path = '/api/v1/namespaces/default/configmaps'
    expect((await first.send(path, { method: 'POST', body: { metadata: { name: 'kept' } } })).status).toBe(201)
    await first.kill()
    const second = await startServer({ dataDirectory: first.dataDirectory, port: first.port, args: ['--placement', later] })
    try {
      expect((await second.send(`${path}/kept`)).status).toBe(200)
      expect((await second.send(path, { method: 'POST', body: { metadata: { name: 'kept' } } })).status).toBe(409)
      expect((await second.send(path, { method: 'POST', body: { metadata: { name: 'more' } } })).status).toBe(201)
    } finally {
      await second.stop()
    }
  },
  60_000,
)
