/**
 * Measures forks of a cluster with many ConfigMaps of 300 bytes: until the fork is ready, its first reads and its first list, the
 * history that is kept for it, and requests to the fork compared with those to its parent.
 *
 * Writes lab/bench/results/forks.json.
 */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { enableClusters, makeCluster, type TestCluster } from '../../test/forks.ts'
import { startServer, type TestServer } from '../../test/server.ts'
import { command, number, text, type Values } from '../command.ts'
import { root } from '../root.ts'
import { writeResults } from './write-results.ts'

const program = join(root, 'bin/edgeplane.mjs')
const configMaps = '/api/v1/namespaces/default/configmaps'
const rounds = 5

const edgeplane = (server: TestServer, command: string, file: string): void => {
  execFileSync(
    process.execPath,
    [program, command, file, '--kubeconfig', server.kubeconfig, ...(command === 'restore' ? ['--replace'] : [])],
    {
      stdio: 'inherit',
    },
  )
}

const configMap = (name: string, resourceVersion: number): string =>
  JSON.stringify({
    metadata: {
      name,
      namespace: 'default',
      uid: crypto.randomUUID(),
      resourceVersion: String(resourceVersion),
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    data: { text: 'x'.repeat(100) },
  })

/** Adds ConfigMaps to a backup. A restore is the fastest way to fill a cluster. */
function fill(file: string, count: number, section: string): void {
  const lines = readFileSync(file, 'utf8').split('\n')
  const out: string[] = []
  let own: string[] = []
  let isIn = false
  for (const line of lines) {
    if (line.startsWith(`{"section":"${section}"`)) {
      isIn = true
      const { resourceVersion } = JSON.parse(line) as { resourceVersion: number }
      own = [JSON.stringify({ section, resourceVersion: resourceVersion + count + 1 })]
      const added = Array.from({ length: count }, (_, i) => {
        const [name, version] = [`bench-${String(i).padStart(7, '0')}`, resourceVersion + 1 + i]
        return JSON.stringify({ object: `configmaps/default/${name}`, version, labels: '', value: configMap(name, version) })
      })
      own.push(...added)
    } else if (isIn && line.startsWith(`{"end":"${section}"`)) {
      const { objects } = JSON.parse(line) as { objects: number }
      const sha256 = createHash('sha256')
        .update(`${own.join('\n')}\n`)
        .digest('hex')
      out.push(...own, JSON.stringify({ end: section, objects: objects + count, sha256 }))
      isIn = false
    } else (isIn ? own : out).push(line)
  }
  writeFileSync(file, out.join('\n'))
}

async function timed<T>(run: () => Promise<T>): Promise<[milliseconds: number, result: T]> {
  const began = performance.now()
  const result = await run()
  return [Math.round((performance.now() - began) * 10) / 10, result]
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function measure(server: TestServer, objects: number): Promise<object> {
  // The first clusters after a restore are slow: the server still works on it.
  const empty: number[] = []
  for (let round = 0; round < rounds; round++) empty.push((await timed(() => makeCluster(server, `empty-${round}`)))[0])
  const ready: number[] = []
  const gets: number[] = []
  let fork: TestCluster | undefined
  for (let round = 0; round < rounds; round++) {
    const [milliseconds, made] = await timed(() => makeCluster(server, `fork-${round}`, { forkedFrom: { name: 'default' } }))
    ready.push(milliseconds)
    fork = made
    gets.push((await timed(() => made.send(`${configMaps}/bench-0000007`)))[0])
  }
  if (fork === undefined) throw new Error('no fork')
  const cluster = fork
  const [copied, page] = await timed(() => cluster.send(`${configMaps}?limit=500`))
  if (page.status !== 200) throw new Error(page.text)
  const [again] = await timed(() => cluster.send(`${configMaps}?limit=500`))
  const [counted, all] = await timed(() => cluster.list(configMaps))
  if (all.items.length < objects) throw new Error(`${all.items.length} of ${objects} objects`)
  return {
    milliseconds: {
      'fork is ready': { median: median(ready), each: ready },
      'empty cluster is ready': { median: median(empty), each: empty },
      'first get in a fork': { median: median(gets), each: gets },
      'first page of 500 in a fork, which copies all': copied,
      'the same page again': again,
      'list of all': counted,
    },
  }
}

const options = {
  objects: number('N', 'the ConfigMaps of the parent', 100_000),
  placement: text('NAME', 'the placement; both by default'),
}

async function run(values: Values<typeof options>): Promise<void> {
  const { objects } = values
  const results: Record<string, object> = {}
  for (const placement of values.placement === undefined ? ['collections', 'one-object'] : [values.placement]) {
    const folder = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
    const server = await startServer({ args: ['--placement', placement] })
    try {
      await enableClusters(server)
      await server.send(configMaps, { method: 'POST', body: { metadata: { name: 'a' } } })
      edgeplane(server, 'backup', join(folder, 'backup'))
      fill(join(folder, 'backup'), objects, placement === 'collections' ? 'default//configmaps' : 'default/control')
      edgeplane(server, 'restore', join(folder, 'backup'))
      results[placement] = await measure(server, objects)
      console.log(placement, JSON.stringify(results[placement], null, 2))
    } finally {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  writeResults('forks', { objects, ...results })
}

export default command({ options, run })
