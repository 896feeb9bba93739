import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach } from 'vitest'
import { freePort } from '../../lab/free-port.ts'
import { ready as isReady, type Run, type RunOptions, runEdgeplane } from '../edgeplane.ts'

const processes = new Set<ChildProcess>()
const directories = new Set<string>()
const started = new Set<number>()

afterEach(async () => {
  const living = [...processes].filter((child) => child.exitCode === null && child.signalCode === null)
  // A test may have stopped one.
  await Promise.all(living.map((child) => child.kill('SIGTERM') && child.kill('SIGCONT') && once(child, 'exit')))
  for (const pid of started) if (running(pid)) process.kill(pid, 'SIGKILL')
  for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  for (const each of [processes, directories, started]) each.clear()
})

/** The ways in which the supervisor runs, as options of Node: it replaces Node, or is its child if the system has no execve. */
export const supervisors: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['in place of Node', []],
  ['as a child of Node', ['--import', 'data:text/javascript,process.execve=undefined']],
]

/** Returns a new directory, which is removed after the test. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'edgeplane-test-'))
  directories.add(path)
  return path
}

/** Runs `edgeplane` with these arguments and a stand-in for the Worker. */
export async function edgeplane(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const run = runEdgeplane(args, { ...options, env: { EDGEPLANE_WORKER: await standIn(), ...options.env } })
  processes.add(run.child)
  return run
}

/** A server that is ready. */
export interface Server extends Run {
  readonly port: number
  readonly dataDirectory: string
  /** Sends a request to the server and returns the body. Trusts only the server's own CA. */
  fetch(path: string, options?: RequestOptions, body?: string): Promise<string>
}

/** Starts `edgeplane` with the stand-in on a free port and waits until it is ready. */
export async function startStandIn(
  { dataDirectory = temporaryDirectory(), port, ...options }: RunOptions & { dataDirectory?: string; port?: number } = {},
  ...args: string[]
): Promise<Server> {
  const listen = port ?? (await freePort())
  const run = await edgeplane(['start', '--port', String(listen), '--data-dir', dataDirectory, ...args], options)
  await ready(run)
  const ca = readFileSync(join(dataDirectory, 'tls/ca.crt'), 'utf8')
  return { ...run, port: listen, dataDirectory, fetch: (path, more, body) => send({ ca, port: listen, path, ...more }, body) }
}

/** Waits until the server is ready. @throws Error with its output if it exits instead */
export async function ready(run: Run): Promise<void> {
  await isReady(run)
  for (const pid of descendants(run.pid)) started.add(pid)
}

/** Sends a request and returns the body of the response. */
export async function send(options: RequestOptions, body?: string): Promise<string> {
  const sent = request({ host: '127.0.0.1', agent: false, ...options, ...(body === undefined ? {} : { method: 'POST' }) }).end(
    body,
  )
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

/** Repeats a request until it gets a response, for a server that is restarting. Returns the body. */
export async function answered(server: Server, path: string, limit = 15_000): Promise<string> {
  for (const deadline = Date.now() + limit; ; ) {
    try {
      return await server.fetch(path)
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((done) => setTimeout(done, 20))
    }
  }
}

/** Opens a watch that never ends, and waits for its first bytes. `closed` resolves when the connection is closed. */
export async function openWatch(server: Server): Promise<{ closed: Promise<unknown> }> {
  const ca = readFileSync(join(server.dataDirectory, 'tls/ca.crt'), 'utf8')
  const sent = request({ host: '127.0.0.1', port: server.port, ca, path: '/watch', agent: false }).end()
  const [response] = await once(sent, 'response')
  response.on('error', () => undefined)
  await once(response, 'data')
  return { closed: new Promise((done) => response.on('close', done)) }
}

/** Kills a process with SIGKILL. It may have ended already, because children of the supervisor come and go. */
export function killIfRunning(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Returns the process id of workerd. */
export function workerdPid(server: Server): number {
  return Number(readFileSync(join(server.dataDirectory, 'run/workerd.pid'), 'utf8'))
}

/** Returns the processes that this process has started (Linux only). */
export function children(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && stat(name)[1] === String(pid))
    .map(Number)
}

/** Returns the children of a process, their children, and so on (Linux only). */
export function descendants(pid: number): number[] {
  return children(pid).flatMap((child) => [child, ...descendants(child)])
}

/** Whether the process runs and is not a zombie (Linux only). */
export function running(pid: number): boolean {
  const [state] = stat(String(pid))
  return state !== undefined && state !== 'Z'
}

function stat(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

let bundle: Promise<string> | undefined

async function standIn(): Promise<string> {
  bundle ??= buildStandIn()
  return await bundle
}

async function buildStandIn(): Promise<string> {
  const outfile = join(import.meta.dirname, '../../dist/test', `stand-in-${process.pid}.js`)
  process.once('exit', () => rmSync(outfile, { force: true }))
  const entry = join(import.meta.dirname, 'stand-in.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', external: ['cloudflare:*'], logLevel: 'error' })
  return outfile
}
