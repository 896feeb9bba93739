/**
 * Measures the time of `edgeplane start`, as the package has it, until the first response.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBundle } from '../../scripts/build.mjs'
import { command, number, type Values } from '../command.ts'
import { root } from '../root.ts'
import { writeResults } from './write-results.ts'

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

/** Makes a directory with what the package contains: a checkout looks for changed sources at each start. */
function install(directory: string): string {
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(directory, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  return join(directory, 'bin/edgeplane.mjs')
}

/** Returns the milliseconds from the start of the process to its first response. */
async function startOnce(program: string, data: string): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, [program, 'start', '--port', String(port), '--data-dir', data], { stdio: 'ignore' })
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

const options = { times: number('N', 'the starts of each kind', 7) }

async function run(values: Values<typeof options>): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  await ensureBundle('again')
  await ensureBundle('launcher')
  await ensureBundle('worker')
  const program = install(join(work, 'package'))
  const kept = join(work, 'kept')
  await startOnce(program, kept)
  const again: number[] = []
  const fresh: number[] = []
  for (let i = 0; i < values.times; i++) {
    again.push(await startOnce(program, kept))
    fresh.push(await startOnce(program, join(work, `fresh-${i}`)))
  }
  rmSync(work, { recursive: true, force: true })
  const result = { unit: 'ms', again: { median: median(again), all: again }, fresh: { median: median(fresh), all: fresh } }
  writeResults('start-up', result)
  console.log(
    `start to first answer: ${result.again.median.toFixed(0)} ms; the first time in a directory: ${result.fresh.median.toFixed(0)} ms`,
  )
}

export default command({ options, run })
