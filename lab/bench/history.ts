/**
 * Measures the disk usage of endless updates of one object: the size of the databases during the updates, and after the history
 * has expired.
 *
 * Writes lab/bench/results/history.json: the size after every twentieth of the updates, and at the end.
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, clientOf } from '../../test/client.ts'
import { command, number, type Values } from '../command.ts'
import { startOurs } from '../peers.ts'
import { writeResults } from './write-results.ts'

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

async function update(client: Client, total: number, connections: number, sample: (updates: number) => void): Promise<void> {
  const object = (value: number): unknown => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'busy' },
    data: { k: 'x'.repeat(900), v: String(value) },
  })
  const write = async (path: string, method: string, body: unknown): Promise<void> => {
    const { status, text } = await client.send(path, { method, body })
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`)
  }
  await write('/api/v1/namespaces/default/configmaps', 'POST', object(0))
  let begun = 0
  const work = async (): Promise<void> => {
    while (begun < total) {
      const number = ++begun
      await write('/api/v1/namespaces/default/configmaps/busy', 'PUT', object(number))
      if (number % (total / 20) === 0) sample(number)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
}

const options = {
  updates: number('N', 'the updates', 1_000_000),
  connections: number('N', 'the connections that send them', 16),
}

async function run(values: Values<typeof options>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  const server = await startOurs(data)
  const began = performance.now()
  const samples: Sample[] = []
  const sample = (updates: number): void => {
    const seconds = Math.round((performance.now() - began) / 1000)
    samples.push({ updates, seconds, mebibytes: Math.round(mebibytesIn(join(data, 'objects'))) })
    console.log(JSON.stringify(samples.at(-1)))
  }
  const client = clientOf(server)
  await update(client, values.updates, values.connections, sample)
  await new Promise((passed) => setTimeout(passed, historyPasses))
  sample(values.updates)
  client.close()
  await server.end()
  rmSync(data, { recursive: true, force: true })
  writeResults('history', { object: '1.2 KB', samples })
}

export default command({ options, run })
