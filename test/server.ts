/** A real server for a test file or a command of the lab: the bundle on plain workerd with a temporary data directory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../lab/free-port.ts'
import { type Client, clientOf } from './client.ts'
import { ready, runEdgeplane } from './edgeplane.ts'
import { PublishedSchemas } from './published-schemas.ts'

/** A running server. */
export interface TestServer extends Client {
  readonly port: number
  readonly pid: number
  readonly dataDirectory: string
  readonly kubeconfig: string
  /** Kills the processes, as a power failure would. */
  kill(): Promise<void>
  /** Ends the server, and leaves its data. */
  end(): Promise<void>
  /** Checks the responses of `send` against the published OpenAPI, ends the server and removes its data. */
  stop(): Promise<void>
}

export interface ServerOptions {
  /** The directory of an earlier server; a new one by default. */
  readonly dataDirectory?: string
  /** The port of an earlier server; a free one by default. */
  readonly port?: number
  /** Further arguments of `edgeplane start`. */
  readonly args?: readonly string[]
  /** Receives the server's log, which otherwise goes to stderr. */
  readonly onLog?: (text: string) => void
}

/** Starts a server. */
export async function startServer({ args = [], ...options }: ServerOptions = {}): Promise<TestServer> {
  const { dataDirectory = mkdtempSync(join(tmpdir(), 'edgeplane-test-')), port = await freePort() } = options
  const { onLog = (text: string) => void process.stderr.write(text) } = options
  // The same tests run over both placements.
  const placement = process.env.PLACEMENT === undefined ? [] : ['--placement', process.env.PLACEMENT]
  const run = runEdgeplane(['start', '--port', String(port), '--data-dir', dataDirectory, ...placement, ...args], {
    detached: true,
  })
  const { child, pid } = run
  child.stderr?.on('data', (chunk: Buffer) => onLog(chunk.toString()))
  await ready(run)
  const token = readFileSync(join(dataDirectory, 'admin-token'), 'utf8').trim()
  const ca = readFileSync(join(dataDirectory, 'tls/ca.crt'), 'utf8')
  const client = clientOf({ url: `https://127.0.0.1:${port}`, token }, ca)
  const published = new PublishedSchemas()
  const fetchDocument = async (path: string): Promise<string | undefined> => {
    const { status, text } = await client.send(path)
    return status === 200 ? text : undefined
  }
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  // A detached process does not end with this one.
  const endWithUs = (): void => void child.kill('SIGTERM')
  process.on('exit', endWithUs)
  const endBy = async (signal: NodeJS.Signals): Promise<void> => {
    client.close()
    process.off('exit', endWithUs)
    if (!isRunning()) return
    if (signal === 'SIGKILL') process.kill(-pid, signal)
    else child.kill(signal)
    await run.exit
  }
  return {
    ...client,
    port,
    pid,
    dataDirectory,
    kubeconfig: join(dataDirectory, 'kubeconfig'),
    async send(path, options) {
      const reply = await client.send(path, options)
      published.add(reply.headers['content-type'], reply.text)
      return reply
    },
    kill: () => endBy('SIGKILL'),
    end: () => endBy('SIGTERM'),
    async stop() {
      const problem = await (isRunning() ? published.check(fetchDocument) : undefined)?.catch((error: unknown) => error)
      await endBy('SIGTERM')
      rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
      if (problem !== undefined) throw problem
    },
  }
}
