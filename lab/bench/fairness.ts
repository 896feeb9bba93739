/**
 * Measures the latency of Lease renewals and small patches during heavy requests of other clients: ten definitions of 400 KB are
 * created and deleted, OpenAPI v2 is fetched, and 100,000 objects are listed. On Edgeplane and, if given, on the real
 * kube-apiserver with etcd, alternating.
 *
 * Writes lab/bench/results/fairness.json: medians of the rounds, and every round.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, list, number, text, type Values } from '../command.ts'
import { comparisonOptions, machine, median, type Peer, referenceFolder, startOurs, startReference } from '../peers.ts'
import { root } from '../root.ts'
import { type TimedClient, timedClientOf } from './fairness/client.ts'
import { beginLoads, type LoadName, listed } from './fairness/load.ts'
import { type Probed, prepareProbe, probe, type Times } from './fairness/probe.ts'

const phases: Readonly<Record<string, readonly LoadName[]>> = {
  nothing: [],
  definitions: ['definitions'],
  OpenAPI: ['OpenAPI v2', 'OpenAPI v2, compressed'],
  'a list': ['list'],
  'a list in pages': ['list in pages'],
  all: ['definitions', 'OpenAPI v2', 'OpenAPI v2, compressed', 'list', 'list in pages'],
}

type Round = Record<string, Probed & { readonly work: Record<string, number> }>

const fillers = 32

async function fill(client: TimedClient, count: number): Promise<void> {
  await client('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: listed } } })
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const body = { metadata: { name: `c-${next++}`, labels: { app: 'listed' } }, data: { text: 'x'.repeat(200) } }
      const { status, text } = await client(`/api/v1/namespaces/${listed}/configmaps`, { method: 'POST', body })
      if (status !== 201) throw new Error(text)
    }
  }
  await Promise.all(Array.from({ length: fillers }, worker))
}

async function measure(peer: Peer, names: readonly string[], seconds: number, objects: number): Promise<Round> {
  const admin = timedClientOf(peer.url, peer.token)
  const prober = await prepareProbe(peer.url, admin)
  if (names.some((name) => phases[name]?.some((load) => load.startsWith('list')))) await fill(admin, objects)
  const round: Round = {}
  for (const name of names) {
    const end = beginLoads(peer.url, peer.token, phases[name] ?? [])
    const probed = await probe(prober, seconds)
    round[name] = { ...probed, work: await end() }
    console.log(peer.name, name, JSON.stringify(round[name]))
  }
  return round
}

/** Returns the medians of the rounds. */
function summaryOf(rounds: readonly Round[], phase: string, probed: keyof Probed): Times {
  const medianOf = (key: keyof Times): number => median(rounds.flatMap((round) => round[phase]?.[probed][key] ?? []))
  return { count: medianOf('count'), p50: medianOf('p50'), p99: medianOf('p99'), max: medianOf('max') }
}

const options = {
  ...comparisonOptions,
  reference: referenceFolder,
  seconds: number('N', 'the seconds of each measurement', 20),
  objects: number('N', 'the objects that are listed', 100_000),
  only: list('NAME,…', 'the loads', Object.keys(phases)),
  file: text('FILE', 'receives the results', join(root, 'lab/bench/results/fairness.json')),
}

async function run(values: Values<typeof options>): Promise<void> {
  const { reference, only: names } = values
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  const rounds: Record<Peer['name'], Round[]> = { edgeplane: [], 'kube-apiserver': [] }
  for (let i = 0; i < values.rounds; i++) {
    const starts = [
      () => startOurs(join(work, `ours-${i}`)),
      ...(reference === undefined ? [] : [() => startReference(reference, join(work, `reference-${i}`))]),
    ]
    for (const start of i % 2 === 0 ? starts : starts.reverse()) {
      const peer = await start()
      try {
        rounds[peer.name].push(await measure(peer, names, values.seconds, values.objects))
      } finally {
        await peer.end()
      }
    }
  }
  rmSync(work, { recursive: true, force: true })
  const probes = ['lease PUT', 'lease GET', 'small PATCH'] as const
  const summary = (peer: Peer['name']) =>
    Object.fromEntries(
      names.map((name) => [name, Object.fromEntries(probes.map((each) => [each, summaryOf(rounds[peer], name, each)]))]),
    )
  const peers = (['edgeplane', 'kube-apiserver'] as const).filter((peer) => rounds[peer].length > 0)
  const medians = Object.fromEntries(peers.map((peer) => [peer, summary(peer)]))
  const result = { unit: 'ms', machine, objects: values.objects, medians, rounds }
  writeFileSync(values.file, `${JSON.stringify(result, null, 1)}\n`)
}

export default command({ options, run })
