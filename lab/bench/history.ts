/**
 * Measures the disk usage of endless updates of one object: the size of the databases during the updates, and after the history
 * has expired.
 *
 *   npm run bench -- history [--updates 1000000] [--connections 16]
 *
 * Writes bench/results/history.json: the size after every twentieth of the updates, and at the end.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeResults } from './write-results.ts'

const root = resolve(import.meta.dirname, '..')
const port = 27445
/** The history is kept for 300 s, and compaction starts up to 30 s later. */
const historyPasses = 340_000

interface Sample {
  readonly updates: number
  readonly seconds: number
  readonly mebibytes: number
}

function mebibytesIn(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0) / 1024 / 1024
}

async function start(data: string): Promise<ChildProcess> {
  const program = join(root, 'bin/edgeplane.mjs')
  const child = spawn(process.execPath, [program, 'start', '--port', String(port), '--data-dir', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const chunk of child.stdout) if (String(chunk).includes('Stop it')) return child
  throw new Error('the server did not start')
}

type Put = (path: string, method: string, body: unknown) => Promise<void>

function client(data: string, connections: number): Put {
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca: readFileSync(join(data, 'tls/ca.crt'), 'utf8') })
  return (path, method, body) =>
    new Promise((done, failed) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const sent = request({ agent, host: '127.0.0.1', port, path, method, headers }, (response) => {
        response.resume()
        response.on('end', () =>
          response.statusCode === undefined || response.statusCode >= 300
            ? failed(new Error(`${method} ${path}: ${response.statusCode}`))
            : done(),
        )
      })
      sent.on('error', failed)
      sent.end(JSON.stringify(body))
    })
}

async function update(put: Put, total: number, connections: number, sample: (updates: number) => void): Promise<void> {
  const object = (value: number): unknown => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'busy' },
    data: { k: 'x'.repeat(900), v: String(value) },
  })
  await put('/api/v1/namespaces/default/configmaps', 'POST', object(0))
  let begun = 0
  const work = async (): Promise<void> => {
    while (begun < total) {
      const number = ++begun
      await put('/api/v1/namespaces/default/configmaps/busy', 'PUT', object(number))
      if (number % (total / 20) === 0) sample(number)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
}

/** Updates one object repeatedly and reports the size of the databases. */
export async function history(argv: string[]): Promise<void> {
  const options = { updates: { type: 'string', default: '1000000' }, connections: { type: 'string', default: '16' } } as const
  const { values } = parseArgs({ args: argv, options })
  const data = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  const server = await start(data)
  const began = performance.now()
  const samples: Sample[] = []
  const sample = (updates: number): void => {
    const seconds = Math.round((performance.now() - began) / 1000)
    samples.push({ updates, seconds, mebibytes: Math.round(mebibytesIn(join(data, 'objects'))) })
    console.log(JSON.stringify(samples.at(-1)))
  }
  const put = client(data, Number(values.connections))
  await update(put, Number(values.updates), Number(values.connections), sample)
  await new Promise((passed) => setTimeout(passed, historyPasses))
  sample(Number(values.updates))
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(data, { recursive: true, force: true })
  writeResults('history', { object: '1.2 KB', samples })
}
