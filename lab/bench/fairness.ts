/**
 * Measures the latency of Lease renewals and small patches during heavy requests of other clients: ten definitions of 400 KB are
 * created and deleted, OpenAPI v2 is fetched, and 100,000 objects are listed. On Edgeplane and, if given, on the real
 * kube-apiserver with etcd, alternating:
 *
 *   npm run bench -- fairness [--reference DIR] [--rounds 3] [--seconds 20] [--objects 100000] [--only NAME,…]
 *
 * Writes bench/results/fairness.json: medians of the rounds, and every round.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Client, clientOf } from './fairness/client.ts'
import { beginLoads, type LoadName, listed } from './fairness/load.ts'
import { type Probed, prepareProbe, probe, type Times } from './fairness/probe.ts'
import { comparisonOptions, endPeer, machine, median, type Peer, startOurs, startReference } from './peers.ts'

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

async function fill(client: Client, count: number): Promise<void> {
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
  const admin = clientOf(peer.url, peer.token)
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

/** Runs the comparison and writes its result. */
export async function fairness(argv: string[]): Promise<void> {
  const own = { objects: { type: 'string', default: '100000' }, only: { type: 'string' }, file: { type: 'string' } } as const
  const { values } = parseArgs({
    args: argv,
    options: { ...comparisonOptions, ...own, seconds: { type: 'string', default: '20' } },
  })
  const { reference, only } = values
  const names = only === undefined ? Object.keys(phases) : only.split(',')
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  const rounds: Record<Peer['name'], Round[]> = { edgeplane: [], 'kube-apiserver': [] }
  for (let i = 0; i < Number(values.rounds); i++) {
    const starts = [
      () => startOurs(join(work, `ours-${i}`)),
      ...(reference === undefined ? [] : [() => startReference(reference, join(work, `reference-${i}`))]),
    ]
    for (const start of i % 2 === 0 ? starts : starts.reverse()) {
      const peer = await start()
      try {
        rounds[peer.name].push(await measure(peer, names, Number(values.seconds), Number(values.objects)))
      } finally {
        await endPeer(peer)
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
  const result = { unit: 'ms', machine, objects: Number(values.objects), medians, rounds }
  const file = values.file ?? resolve(import.meta.dirname, 'results/fairness.json')
  writeFileSync(file, `${JSON.stringify(result, null, 1)}\n`)
}
