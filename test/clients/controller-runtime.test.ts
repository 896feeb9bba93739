/**
 * A Go operator built with controller-runtime defaults: all its responses must equal kube-apiserver's. Typed clients of client-go
 * must get the same objects in protobuf as in JSON, for every built-in kind. Skipped without Go, or if its modules cannot be
 * downloaded.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../lab/free-port.ts'
import { eventually } from '../eventually.ts'
import { enableClusters, makeCluster } from '../forks.ts'
import { startServer, type TestServer } from '../server.ts'
import { typedSamples } from './typed-kinds.ts'

const module = join(import.meta.dirname, 'operator')
const minutes = 60_000
/** A name that occurs in no response by itself, so that the transcript can leave it out. */
const namespace = 'operators-namespace'

interface Outcome {
  readonly error: Error | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

const run = (program: string, args: readonly string[], timeout: number, { env = {}, input = '' }: RunOptions = {}) =>
  new Promise<Outcome>((done) => {
    const options = {
      cwd: module,
      env: { ...process.env, GOFLAGS: `${process.env.GOFLAGS ?? ''} -buildvcs=false`.trim(), ...env },
      timeout,
      maxBuffer: 1 << 24,
    }
    const child = execFile(program, [...args], options, (error, stdout, stderr) => done({ error, stdout, stderr }))
    // A program may end without reading it.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })

/** Returns the reason why the operator cannot be built here. */
async function missing(): Promise<string | undefined> {
  if ((await run('go', ['version'], minutes)).error !== null) return 'there is no Go'
  const { error, stderr } = await run('go', ['mod', 'download'], 3 * minutes)
  return error === null ? undefined : `its modules cannot be had: ${stderr.trim().split('\n').at(-1)}`
}

const reason = await missing()
if (reason !== undefined) console.info(`controller-runtime is skipped: ${reason}`)

/** A running operator with its log. */
interface Manager {
  readonly process: ChildProcess
  readonly port: number
  /** One line for each verb and resource with the media types of request and response, as wire.go prints them. */
  readonly wire: () => readonly string[]
  readonly log: () => string
}

async function startManager(program: string, kubeconfig: string): Promise<Manager> {
  const port = await freePort()
  const started = spawn(program, ['manager', kubeconfig, namespace, String(port)], {
    cwd: module,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  started.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  started.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  return { process: started, port, wire: () => stdout.trim().split('\n'), log: () => stderr }
}

/** Returns the status of a health probe; 0 if the port is closed. */
const probe = (port: number): Promise<number> =>
  new Promise((done) => {
    get({ host: '127.0.0.1', port, path: '/readyz' }, (answer) => done(answer.resume().statusCode ?? 0)).on('error', () =>
      done(0),
    )
  })

describe.skipIf(reason !== undefined)('a controller-runtime operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-operator-'))
  const program = join(folder, 'operator')
  let server: TestServer
  let manager: Manager

  beforeAll(async () => {
    const { error, stderr } = await run('go', ['build', '-o', program, '.'], 9 * minutes)
    if (error !== null) throw new Error(`the operator does not build: ${stderr}`)
    server = await startServer()
    await server.send('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: namespace } } })
    manager = await startManager(program, server.kubeconfig)
    await eventually(
      () => probe(manager.port),
      (status) => status === 200,
      9 * minutes,
    )
  }, 10 * minutes)

  afterAll(async () => {
    manager?.process.kill('SIGKILL')
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test(
    'gets the same responses as from kube-apiserver',
    async () => {
      const { error, stdout, stderr } = await run(program, ['scenario', server.kubeconfig, namespace], 2 * minutes)
      expect(stderr).toBe('')
      expect(error).toBeNull()
      const recorded = readFileSync(join(module, 'transcript.txt'), 'utf8')
      expect(stdout.split('\n')).toEqual(recorded.split('\n'))
    },
    3 * minutes,
  )

  test('uses protobuf for built-in kinds, and logs no error', () => {
    const protobuf = 'application/vnd.kubernetes.protobuf'
    expect(manager.wire()).toContain(`wire WATCH deployments  -> ${protobuf}`)
    expect(manager.wire()).toContain(`wire WATCH secrets  -> ${protobuf}`)
    expect(manager.wire()).toContain(`wire POST leases ${protobuf} -> ${protobuf}`)
    expect(manager.wire()).toContain('wire WATCH websites  -> application/json')
    expect(manager.log()).not.toMatch(/"level":"(ERROR|WARN)"|^panic/m)
  })

  test(
    'typed clients get every built-in kind in protobuf as in JSON',
    async () => {
      const samples = typedSamples(namespace)
      const input = samples.map((sample) => `${JSON.stringify(sample)}\n`).join('')
      const { error, stdout, stderr } = await run(program, ['kinds', server.kubeconfig], 2 * minutes, { input })
      expect(stderr).toBe('')
      expect(error).toBeNull()
      const lines = stdout.trim().split('\n')
      expect(lines.filter((line) => !line.endsWith(': equal'))).toEqual([])
      expect(lines).toHaveLength(samples.length)
      expect(samples.length).toBeGreaterThanOrEqual(60)
    },
    3 * minutes,
  )

  test(
    'sees only its own cluster, beside others on the same server; a fork has the objects of its parent',
    async () => {
      const [blue, red, fork] = ['blue', 'red', 'fork'].map((name) => join(folder, `${name}.kubeconfig`)) as [
        string,
        string,
        string,
      ]
      await enableClusters(server)
      const open = async (name: string, file: string, spec: object = {}): Promise<void> => {
        await makeCluster(server, name, spec)
        const secret = await server.send(`/api/v1/namespaces/edgeplane-clusters/secrets/${name}-kubeconfig`)
        writeFileSync(file, Buffer.from(secret.json<{ data: { kubeconfig: string } }>().data.kubeconfig, 'base64'))
      }
      const seen = async (...clusters: string[]): Promise<string[]> => {
        const { error, stdout, stderr } = await run(program, ['clusters', ...clusters], 2 * minutes)
        expect(error, stderr).toBeNull()
        return stdout.trim().split('\n')
      }
      const of = (cluster: string, ...states: string[]): string[] =>
        ['informer', 'manager'].flatMap((by) => states.map((state) => `${cluster} ${by}: ${state}`))
      await open('blue', blue)
      await open('red', red, { placement: 'collections' })
      expect(await seen(`blue=${blue}`, `red=${red}`)).toEqual([
        ...of('blue', 'only-blue of blue', 'same of blue'),
        ...of('red', 'only-red of red', 'same of red'),
      ])
      await open('fork', fork, { forkedFrom: { name: 'blue' } })
      const inFork = ['only-blue of blue', 'only-fork of fork', 'same of blue', 'same of fork']
      // A manager may skip a state that is soon replaced.
      const skipped = 'fork manager: same of blue'
      const lines = await seen(`blue=${blue}`, `fork=${fork}`)
      expect(lines.filter((line) => line !== skipped)).toEqual([
        ...of('blue', 'only-blue of blue', 'same of blue'),
        ...of('fork', ...inFork).filter((line) => line !== skipped),
      ])
    },
    3 * minutes,
  )

  test(
    'continues after the server is killed and restarted',
    async () => {
      const { dataDirectory, port } = server
      await server.kill()
      server = await startServer({ dataDirectory, port })
      const websites = `/apis/operator.edgeplane.dev/v1/namespaces/${namespace}/websites`
      const deployment = `/apis/apps/v1/namespaces/${namespace}/deployments/later`
      const body = {
        apiVersion: 'operator.edgeplane.dev/v1',
        kind: 'Website',
        metadata: { name: 'later' },
        spec: { image: 'nginx' },
      }
      expect((await server.send(websites, { method: 'POST', body })).status).toBe(201)
      await eventually(async () => (await server.send(deployment)).status === 200, Boolean, minutes)
      expect((await server.send(`${websites}/later`, { method: 'DELETE' })).status).toBe(200)
      await eventually(async () => (await server.send(deployment)).status === 404, Boolean, minutes)
      expect(manager.process.exitCode).toBeNull()
      expect(manager.log()).not.toMatch(/^panic/m)

      const ended = once(manager.process, 'exit')
      manager.process.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      expect(manager.wire().at(-1)).toBe('ended')
    },
    2 * minutes,
  )

  test(
    'is tested by `go test`, which starts the server',
    async () => {
      const EDGEPLANE = `${process.execPath} ${resolve(import.meta.dirname, '../../bin/edgeplane.mjs')}`
      const { error, stdout, stderr } = await run('go', ['test', '-vet=off', '-count=1', '-v', '.'], 5 * minutes, {
        env: { EDGEPLANE },
      })
      expect(error, stdout + stderr).toBeNull()
      expect(stdout).toContain('--- PASS: TestAWebsiteGetsADeployment')
      console.info(/the server and the definitions were there after \S+/.exec(stdout)?.[0])
    },
    6 * minutes,
  )
})
