/**
 * Puts the same load on Edgeplane and on the real kube-apiserver with etcd, alternating in one run.
 *
 * Writes lab/bench/results/side-by-side.json: every figure of every round, medians, and the ratios of medians.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, required, text, type Values } from '../command.ts'
import { alternately, comparisonOptions, machine, median, type Peer } from '../peers.ts'
import { writeResults } from './write-results.ts'

/** The output of the load generator. */
type Figures = Record<string, number | Record<string, number>>

function load(program: string, peer: Peer, only: string, seconds: string): Figures {
  const args = ['--server', peer.url, '--token', peer.token, '--pids', peer.pids.join(','), '--only', only, '--seconds', seconds]
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as Figures
}

/** Flattens the figures to `create.perSecond` and so on. */
function flat(figures: Figures): Map<string, number> {
  return new Map(
    Object.entries(figures).flatMap(([name, value]) =>
      typeof value === 'number'
        ? [[name, value] as const]
        : Object.entries(value).map(([key, v]) => [`${name}.${key}`, v] as const),
    ),
  )
}

function summary(rounds: readonly Figures[]): Record<string, number> {
  const flats = rounds.map(flat)
  const names = new Set(flats.flatMap((f) => [...f.keys()]))
  return Object.fromEntries([...names].map((name) => [name, median(flats.flatMap((f) => f.get(name) ?? []))]))
}

const options = {
  ...comparisonOptions,
  measure: required(text('DIR', 'the folder of the load generator, a Go program')),
  only: text('NAME,…', 'the loads', 'create1,create,get,update,patch,apply,list,selector,chunks,latency,fanout'),
}

async function run(values: Values<typeof options>): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  const program = join(work, 'measure')
  execFileSync('go', ['build', '-o', program, '.'], { cwd: values.measure, stdio: 'inherit' })
  const results = await alternately(values, (peer) => load(program, peer, values.only, String(values.seconds)))
  rmSync(work, { recursive: true, force: true })
  report(results)
}

function report(results: Record<Peer['name'], Figures[]>): void {
  const ours = summary(results.edgeplane)
  const theirs = summary(results['kube-apiserver'])
  const ratios = Object.fromEntries(Object.keys(ours).flatMap((k) => (theirs[k] ? [[k, (ours[k] ?? 0) / theirs[k]]] : [])))
  writeResults('side-by-side', { machine, medians: { ours, theirs }, ratios, rounds: results })
  for (const [name, ratio] of Object.entries(ratios)) {
    console.log(
      `${name.padEnd(20)} ${(ours[name] ?? 0).toFixed(1).padStart(10)} ${(theirs[name] ?? 0).toFixed(1).padStart(10)}  x${ratio.toFixed(2)}`,
    )
  }
}

export default command({ options, run })
