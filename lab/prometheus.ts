/**
 * Evaluates the queries of dashboards.json with Prometheus' own engine over two scrapes of a server, and fails if a result is empty,
 * or is not although the file says so. Needs Go.
 *
 *   npm run test:prometheus [-- --server URL --token T]
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exercise, send } from '../../scripts/metrics/exercise.ts'
import { startServer } from '../server.ts'

interface Query {
  readonly panel: string
  readonly query: string
  /** Why the result is empty; absent if it must not be. */
  readonly empty?: string
}

const { values } = parseArgs({ options: { server: { type: 'string' }, token: { type: 'string', default: '' } } })
const own = values.server === undefined ? await startServer(undefined, undefined, ['--process-metrics']) : undefined
const server = own ?? { url: values.server ?? '', token: values.token }
const directory = mkdtempSync(join(tmpdir(), 'edgeplane-prometheus-'))
/** Repeats a request until its response is right. */
async function waitFor(target: string, isRight: (reply: Awaited<ReturnType<typeof send>>) => boolean): Promise<void> {
  while (!isRight(await send(server, target))) await new Promise((done) => setTimeout(done, 500))
}

const queriesFile = join(import.meta.dirname, 'dashboards.json')
try {
  const [first, second] = [join(directory, 'first.txt'), join(directory, 'second.txt')]
  // The supervisor copies the figures of the process a few seconds after the start.
  if (own !== undefined) await waitFor('GET /metrics', ({ text }) => text.includes('process_cpu_seconds_total'))
  writeFileSync(first, await exercise(server))
  // A namespace of the same name cannot be made before the first is gone.
  await waitFor('GET /api/v1/namespaces/metrics', ({ status }) => status === 404)
  writeFileSync(second, await exercise(server))
  const counts = JSON.parse(
    execFileSync('go', ['run', '.', queriesFile, first, second], { cwd: import.meta.dirname, encoding: 'utf8' }),
  ) as number[]
  const queries = JSON.parse(readFileSync(queriesFile, 'utf8')) as Query[]
  for (const [index, { panel, empty }] of queries.entries()) {
    const count = counts[index] ?? 0
    const isRight = count > 0 === (empty === undefined)
    if (!isRight) process.exitCode = 1
    console.log(`${isRight ? 'ok   ' : 'WRONG'} ${panel}: ${count} series${empty === undefined ? '' : ` (${empty})`}`)
  }
} finally {
  rmSync(directory, { recursive: true })
  await own?.stop()
}
