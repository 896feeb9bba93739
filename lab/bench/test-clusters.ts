/**
 * Measures clusters for tests, one after the other: made, used for one write, and deleted. Prints the time of all, and the processor
 * time of the server.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, startEdgeplane } from '../../kits/javascript/testing.mjs'
import { command, number, type Values } from '../command.ts'
import { writeResults } from './write-results.ts'

/** The processor time of the workerd of a data directory, in milliseconds. Linux counts it in hundredths of a second. */
function processorTime(dataDirectory: string): number {
  const pid = readFileSync(join(dataDirectory, 'run/workerd.pid'), 'utf8').trim()
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) * (1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })))
}

async function use(cluster: Cluster): Promise<void> {
  const body = { metadata: { name: 'a' } }
  const { status, text } = await cluster.request('/api/v1/namespaces/default/configmaps', { method: 'POST', body })
  if (status !== 201) throw new Error(text)
}

const rounded = (value: number): number => Number(value.toFixed(1))

const options = { clusters: number('N', 'the clusters', 100) }

async function run(values: Values<typeof options>): Promise<void> {
  const count = values.clusters
  // The same place that the server chooses, in a directory in which only its own is.
  const temporary = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'edgeplane-bench-'))
  process.env.TMPDIR = temporary
  const server = await startEdgeplane()
  const directories = readdirSync(temporary).map((name) => join(temporary, name))
  const dataDirectory = directories.find((path) => existsSync(join(path, 'run/workerd.pid'))) ?? ''
  const before = processorTime(dataDirectory)
  const times: number[] = []
  const began = performance.now()
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    const cluster = await server.cluster()
    await use(cluster)
    await cluster.delete()
    times.push(performance.now() - start)
  }
  const all = performance.now() - began
  const processor = processorTime(dataDirectory) - before
  await server.stop()
  rmSync(temporary, { recursive: true, force: true })
  const [first = 0] = times
  const median = times.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0
  const result = { unit: 'ms', clusters: count, all, first, median, processorTimeOfEach: processor / count }
  const written = Object.fromEntries(
    Object.entries(result).map(([key, value]) => [key, typeof value === 'number' ? rounded(value) : value]),
  )
  writeResults('test-clusters', written)
  console.log(written)
}

export default command({ options, run })
