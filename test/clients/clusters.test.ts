/** kubectl and the JavaScript client on two clusters of one server at once, by path and by host. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClusterServer, startClusterServer } from '../http/cluster-server.ts'
import { callerOf, releases } from './releases.ts'

const names = ['blue', 'red'] as const
const folder = mkdtempSync(join(tmpdir(), 'edgeplane-clusters-'))
const fileOf = (name: string): string => join(folder, `${name}.kubeconfig`)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each([
  ['by path', [] as string[]],
  ['by host', ['--cluster-domain', 'clusters.test']],
])('Two clusters of one server, %s', (_title, options) => {
  let server: ClusterServer
  /** Leads every name to the server, as a resolver would. */
  let proxy: Server

  beforeAll(async () => {
    server = await startClusterServer(options)
    proxy = createServer()
    proxy.on('connect', (_request, client, head) => {
      const upstream = connect(server.port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.write(head)
        upstream.pipe(client).pipe(upstream)
      })
      for (const socket of [client, upstream]) socket.on('error', () => void [client, upstream].map((one) => one.destroy()))
    })
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    for (const name of names) {
      await server.make(name)
      const kubeconfig = JSON.parse(await server.kubeconfigOf(name)) as { clusters: { cluster: Record<string, string> }[] }
      for (const { cluster } of kubeconfig.clusters) {
        cluster['proxy-url'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
      }
      writeFileSync(fileOf(name), JSON.stringify(kubeconfig))
    }
  }, 60_000)

  afterAll(async () => {
    proxy?.close()
    await server?.stop()
  })

  test('the JavaScript client writes, lists and watches', async () => {
    const seen = await Promise.all(
      names.map(async (name) => {
        const config = new KubeConfig()
        config.loadFromFile(fileOf(name))
        const api = config.makeApiClient(CoreV1Api)
        const namespace = 'default'
        const path = '/api/v1/namespaces/default/configmaps'
        const informer = makeInformer(config, path, () => api.listNamespacedConfigMap({ namespace }))
        const added = new Set<string>()
        informer.on('add', ({ metadata, data }) => void added.add(`${metadata?.name}=${data?.of}`))
        await informer.start()
        const create = (index: number) =>
          api.createNamespacedConfigMap({ namespace, body: { metadata: { name: `m-${index}` }, data: { of: name } } })
        await Promise.all(Array.from({ length: 20 }, (_, index) => create(index)))
        await expect.poll(() => [...added].filter((one) => one.endsWith(`=${name}`)).length, { timeout: 20_000 }).toBe(20)
        await informer.stop()
        return [...added].filter((one) => one.startsWith('m-') && !one.endsWith(`=${name}`))
      }),
    )
    expect(seen).toEqual([[], []])
  })

  describe.skipIf(releases().length === 0)('kubectl', () => {
    const [, path = ''] = releases()[0] ?? []

    test('applies, reads and deletes in both', async () => {
      const kubectl = callerOf(path, () => server)
      const inside = (name: string, args: readonly string[], input?: string) =>
        kubectl(['--kubeconfig', fileOf(name), ...args], input === undefined ? {} : { input })
      const outcomes = await Promise.all(
        names.map(async (name) => {
          const manifest = `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {of: ${name}}\n`
          const applied = await inside(name, ['apply', '-f', '-'], manifest)
          const read = await inside(name, ['get', 'configmap', 'a', '-n', 'shop', '-o', 'jsonpath={.data.of}'])
          const waited = await inside(name, ['delete', 'namespace', 'shop', '--timeout=20s'])
          return [applied.code, read.stdout, waited.code, applied.stderr + waited.stderr]
        }),
      )
      expect(outcomes).toEqual(names.map((name) => [0, name, 0, '']))
      const { stdout } = await kubectl(['get', 'clusters'])
      expect(stdout.split('\n', 1)[0]?.split(/\s+/)).toEqual(
        ['NAME', 'URL', 'PHASE', 'OBJECTS', 'BYTES', 'AGE', 'EXPIRES', ''].slice(0, 7),
      )
      expect(stdout).toMatch(/^blue +https:\S+ +Ready/m)
    })
  })
})
