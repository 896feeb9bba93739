/** The bootstrap objects that a new server contains are those that a server makes one by one when they are missing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1'
const collections = [
  ...['clusterroles', 'clusterrolebindings'].map((name) => `${rbac}/${name}`),
  ...['kube-system', 'kube-public'].flatMap((namespace) => [
    `${rbac}/namespaces/${namespace}/roles`,
    `${rbac}/namespaces/${namespace}/rolebindings`,
  ]),
  ...['flowschemas', 'prioritylevelconfigurations'].map((name) => `${flowControl}/${name}`),
]

let server: TestServer
beforeAll(async () => {
  server = await startServer()
}, 60_000)
afterAll(() => server?.stop())

const lists = (): Promise<string[]> => Promise.all(collections.map(async (path) => (await server.send(path)).text))
const uidsIn = (texts: readonly string[]): readonly string[] => texts.join().match(/(?<="uid":")[^"]+/g) ?? []
const comparable = (text: string): string =>
  text.replace(/"(?:uid|resourceVersion)":"[^"]*"/g, '').replace(/"\d{4}-\d\d-\d\dT[^"]*Z"/g, '""')

test('deleted bootstrap objects are the same after the next start, with new uids', { timeout: 60_000 }, async () => {
  const before = await lists()
  for (const path of collections) expect((await server.send(path, { method: 'DELETE' })).status).toBe(200)
  await server.kill()
  server = await startServer({ dataDirectory: server.dataDirectory, port: server.port })
  // The status of flow schemas is written after the start.
  await expect.poll(async () => (await lists()).map(comparable), { timeout: 30_000 }).toEqual(before.map(comparable))
  const uids = [...uidsIn(before), ...uidsIn(await lists())]
  expect(new Set(uids).size).toBe(uids.length)
  expect(uids.length).toBeGreaterThan(300)
})
