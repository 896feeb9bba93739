/**
 * Evaluates the queries of dashboards.json with Prometheus' own engine over two scrapes of a server, and fails if a result is empty,
 * or is not although the file says so.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reply } from '../test/client.ts'
import { command } from './command.ts'
import { exercise } from './record/metrics/exercise.ts'
import { type Subject, serverOptions, withServer } from './servers.ts'

interface Query {
  readonly panel: string
  readonly query: string
  /** Why the result is empty; absent if it must not be. */
  readonly empty?: string
}

const folder = join(import.meta.dirname, 'prometheus')
const queriesFile = join(folder, 'dashboards.json')

/** Repeats a request until its response is right. */
async function waitFor(server: Subject, path: string, isRight: (reply: Reply) => boolean): Promise<void> {
  while (!isRight(await server.send(path))) await new Promise((done) => setTimeout(done, 500))
}

/** Returns the number of series of each query's result. */
async function countsOf(server: Subject, directory: string): Promise<readonly number[]> {
  const [first, second] = [join(directory, 'first.txt'), join(directory, 'second.txt')]
  // The supervisor copies the figures of the process a few seconds after the start.
  if (server.pid !== undefined) await waitFor(server, '/metrics', ({ text }) => text.includes('process_cpu_seconds_total'))
  writeFileSync(first, await exercise(server))
  // A namespace of the same name cannot be made before the first is gone.
  await waitFor(server, '/api/v1/namespaces/metrics', ({ status }) => status === 404)
  writeFileSync(second, await exercise(server))
  const output = execFileSync('go', ['run', '.', queriesFile, first, second], { cwd: folder, encoding: 'utf8' })
  return JSON.parse(output) as number[]
}

function judge(counts: readonly number[]): void {
  const queries = JSON.parse(readFileSync(queriesFile, 'utf8')) as Query[]
  for (const [index, { panel, empty }] of queries.entries()) {
    const count = counts[index] ?? 0
    const isRight = count > 0 === (empty === undefined)
    if (!isRight) process.exitCode = 1
    console.log(`${isRight ? 'ok   ' : 'WRONG'} ${panel}: ${count} series${empty === undefined ? '' : ` (${empty})`}`)
  }
}

export default command({
  options: serverOptions,
  async run(values) {
    const directory = mkdtempSync(join(tmpdir(), 'edgeplane-prometheus-'))
    try {
      judge(await withServer(values, (server) => countsOf(server, directory), { args: ['--process-metrics'] }))
    } finally {
      rmSync(directory, { recursive: true })
    }
  },
})
