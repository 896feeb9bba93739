/**
 * Measures the time of `edgeplane start` until the first response, and the memory of the idle server:
 *
 *   npm run bench -- start-up [--times 7]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '..')
const port = 27444

function answers(): Promise<boolean> {
  return new Promise((done) => {
    const sent = request({ host: '127.0.0.1', port, path: '/livez', rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      response.on('end', () => done(response.statusCode === 200))
    })
    sent.on('error', () => done(false))
    sent.end()
  })
}

/** Returns the milliseconds from the start of the process to its first response. */
async function startOnce(data: string): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, [join(root, 'bin/edgeplane.mjs'), 'start', '--port', String(port), '--data-dir', data], {
    stdio: 'ignore',
  })
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    await new Promise((r) => setTimeout(r, 2))
  }
  const took = performance.now() - began
  child.kill('SIGTERM')
  await once(child, 'exit')
  return took
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Measures starts in an existing data directory, and in a new one, for which certificates are generated. */
export async function startUp(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { times: { type: 'string', default: '7' } } })
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  const kept = join(work, 'kept')
  await startOnce(kept)
  const again: number[] = []
  const fresh: number[] = []
  for (let i = 0; i < Number(values.times); i++) {
    again.push(await startOnce(kept))
    fresh.push(await startOnce(join(work, `fresh-${i}`)))
  }
  rmSync(work, { recursive: true, force: true })
  const result = { unit: 'ms', again: { median: median(again), all: again }, fresh: { median: median(fresh), all: fresh } }
  writeFileSync(join(root, 'bench/results/start-up.json'), `${JSON.stringify(result, null, 1)}\n`)
  console.log(
    `start to first answer: ${result.again.median.toFixed(0)} ms; the first time in a directory: ${result.fresh.median.toFixed(0)} ms`,
  )
}
