/** Watches of kubectl continue after workerd is killed, as with a restarted kube-apiserver. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server.ts'
import { testedReleases } from './releases.ts'

const clients = testedReleases()
let server: TestServer

beforeAll(async () => {
  if (clients.length > 0) server = await startServer()
}, 30_000)
afterAll(() => server?.stop())

const workerd = (): number => Number(readFileSync(join(server.dataDirectory, 'run/workerd.pid'), 'utf8'))

describe.each(clients)('%s', (release, path) => {
  const name = release.replace(/[^a-z0-9]/g, '-')
  const deployments = '/apis/apps/v1/namespaces/default/deployments'

  test('rollout status shows changes after a kill -9 of workerd', async () => {
    const labels = { app: name }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'main' }] } }
    const spec = { replicas: 1, selector: { matchLabels: labels }, template }
    expect((await server.send(deployments, { method: 'POST', body: { metadata: { name }, spec } })).status).toBe(201)
    const child = spawn(path, ['rollout', 'status', `deployment/${name}`, '--timeout=40s'], {
      env: { ...process.env, KUBECONFIG: server.kubeconfig },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exit = once(child, 'exit')
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    await expect.poll(() => output, { timeout: 10_000 }).toContain('Waiting for deployment')
    const killed = workerd()
    process.kill(killed, 'SIGKILL')
    await expect.poll(workerd, { timeout: 10_000 }).not.toBe(killed)
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
    const patch = {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { status },
    }
    const patched = (): Promise<number> =>
      server.send(`${deployments}/${name}/status`, patch).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(patched, { timeout: 10_000 }).toBe(200)
    expect(await exit).toEqual([0, null])
    expect(output).toContain('successfully rolled out')
  }, 60_000)
})
