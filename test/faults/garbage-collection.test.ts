/** A power failure during garbage collection: it is completed after the next start without a request. */
import { afterEach, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

const space = '/api/v1/namespaces/default'
const count = 300
let server: TestServer | undefined

afterEach(async () => {
  await server?.stop()
})

interface Item {
  readonly metadata: { readonly uid: string }
}

/** Watches the dependents until none is left. */
async function allGone(current: TestServer, path: string): Promise<void> {
  const query = 'watch=1&timeoutSeconds=30&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const response = await current.open(`${path}?${query}&labelSelector=of`)
  const names = new Set<string>()
  let [rest, complete] = ['', false]
  for await (const chunk of response) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines.filter((text) => text.trim() !== '')) {
      const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name: string } } }
      if (type === 'BOOKMARK') complete = true
      else if (type === 'DELETED') names.delete(object.metadata.name)
      else names.add(object.metadata.name)
    }
    if (!complete || names.size > 0) continue
    response.destroy()
    return
  }
  throw new Error(`${names.size} dependents are left`)
}

test.each(['Background', 'Foreground', 'Orphan'])(
  'a deletion with %s survives a power failure',
  async (policy) => {
    server = await startServer()
    const first = server
    const owner = (
      await first.send(`${space}/configmaps`, { method: 'POST', body: { metadata: { name: 'owner' } } })
    ).json<Item>()
    const { uid } = owner.metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }]
    for (const kind of ['secrets', 'configmaps']) {
      const names = Array.from({ length: count / 2 }, (_, i) => `d-${i}`)
      const send = (name: string) =>
        first.send(`${space}/${kind}`, { method: 'POST', body: { metadata: { name, labels: { of: 'owner' }, ownerReferences } } })
      for (const reply of await Promise.all(names.map(send))) expect(reply.status).toBe(201)
    }
    expect((await first.send(`${space}/configmaps/owner?propagationPolicy=${policy}`, { method: 'DELETE' })).status).toBe(200)
    await first.kill()
    server = await startServer({ dataDirectory: first.dataDirectory })
    const second = server
    if (policy !== 'Orphan') {
      await Promise.all(['secrets', 'configmaps'].map((kind) => allGone(second, `${space}/${kind}`)))
      return
    }
    await expect.poll(async () => (await second.send(`${space}/configmaps/owner`)).status, { timeout: 20_000 }).toBe(404)
    for (const kind of ['secrets', 'configmaps']) {
      const { items } = (await second.send(`${space}/${kind}?labelSelector=of`)).json<{ items: { metadata: object }[] }>()
      expect(items).toHaveLength(count / 2)
      expect(items.filter(({ metadata }) => 'ownerReferences' in metadata)).toEqual([])
    }
  },
  90_000,
)
