/**
 * Runs informers of real client libraries against a server that is killed (kill -9) repeatedly while objects are created, changed
 * and deleted. At the end the state of each must equal the server's. The reflector of client-go is a program in Go; the informer of
 * @kubernetes/client-node runs in this process.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node'
import { startServer, type TestServer } from '../../test/server.ts'
import { command, number } from '../command.ts'

/** Names with resourceVersions. */
type State = Readonly<Record<string, string>>

interface Client {
  readonly name: string
  state(): Promise<State>
  stop(): void
}

const namespace = 'default'
const path = `/api/v1/namespaces/${namespace}/configmaps`
const after = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds))

const stateOf = (
  items: readonly { readonly metadata?: { readonly name?: string; readonly resourceVersion?: string } }[],
): State => Object.fromEntries(items.map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']).sort())

/** Starts the informer of the JavaScript client, which restarts after each error, as its users do. */
function javascriptInformer(kubeconfig: string): Client {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfig)
  const api = config.makeApiClient(CoreV1Api)
  const informer = makeInformer<V1ConfigMap>(config, path, () => api.listNamespacedConfigMap({ namespace }))
  let stopped = false
  const start = (): void => {
    informer.start().catch(again)
  }
  function again(): void {
    if (!stopped) setTimeout(start, 100)
  }
  informer.on('error', again)
  start()
  return {
    name: '@kubernetes/client-node',
    state: () => Promise.resolve(stateOf(informer.list())),
    stop() {
      stopped = true
      void informer.stop()
    },
  }
}

/** Starts the reflector of client-go: a separate program, which exits when it sees a violation. */
function goReflector(kubeconfig: string, folder: string): Client {
  const program = join(folder, 'reflector')
  execFileSync('go', ['build', '-o', program, '.'], { cwd: join(import.meta.dirname, 'informers'), stdio: 'inherit' })
  const child: ChildProcess = spawn(program, [kubeconfig, namespace], { stdio: ['pipe', 'pipe', 'pipe'] })
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes')
  let complaints = ''
  stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-2000)
  })
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  return {
    name: 'client-go',
    async state() {
      if (child.exitCode !== null) throw new Error(`the reflector ended: ${complaints}`)
      stdin.write('\n')
      const { value } = await lines.next()
      return Object.fromEntries(Object.entries(JSON.parse(String(value)) as State).sort())
    },
    stop: () => void child.kill(),
  }
}

/** Creates, changes and deletes objects until the server does not answer or the time is over; returns the number of writes. */
async function disturb(server: TestServer, seed: number, until: number): Promise<number> {
  for (let step = 0; Date.now() < until; step++) {
    const name = `c${(seed + step * 7) % 97}`
    const body = { metadata: { name }, data: { at: String(step) } }
    try {
      const { status } = await server.send(path, { method: 'POST', body })
      if (status !== 409) continue
      if (step % 3 === 0) await server.send(`${path}/${name}`, { method: 'DELETE' })
      else await server.send(`${path}/${name}`, { method: 'PUT', body })
    } catch {
      return step
    }
  }
  return 0
}

async function settle(server: TestServer, clients: readonly Client[]): Promise<boolean> {
  const truth = stateOf((await server.send(path)).json<{ items: Parameters<typeof stateOf>[0] }>().items)
  const wrong = new Set(clients)
  for (let tries = 0; tries < 300 && wrong.size > 0; tries++) {
    for (const client of wrong) if (isDeepStrictEqual(await client.state(), truth)) wrong.delete(client)
    await after(100)
  }
  for (const client of clients) {
    console.info(
      `${client.name}: ${wrong.has(client) ? 'believes what is not true' : `true, ${Object.keys(truth).length} objects`}`,
    )
  }
  return wrong.size === 0
}

/** Kills the server again and again until the time is over. Returns the last one. */
async function killRepeatedly(first: TestServer, seconds: number): Promise<TestServer> {
  const { dataDirectory, port } = first
  let server = first
  const end = Date.now() + seconds * 1000
  let kills = 0
  let writes = 0
  while (Date.now() < end) {
    const until = Date.now() + 500 + Math.random() * 4000
    const current = server
    const writers = [0, 1, 2].map((writer) => disturb(current, kills * 11 + writer * 31, until + 1000))
    await after(until - Date.now())
    await current.kill()
    kills++
    for (const count of await Promise.all(writers)) writes += count
    server = await startServer({ dataDirectory, port })
  }
  console.info(`${kills} kills, about ${writes} writes`)
  return server
}

export default command({
  options: { seconds: number('N', 'the time of the kills', 60) },
  async run({ seconds }) {
    const folder = mkdtempSync(join(tmpdir(), 'edgeplane-soak-'))
    const first = await startServer()
    const clients = [javascriptInformer(first.kubeconfig), goReflector(first.kubeconfig, folder)]
    const server = await killRepeatedly(first, seconds)
    const isTrue = await settle(server, clients)
    for (const client of clients) client.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
    process.exit(isTrue ? 0 : 1)
  },
})
