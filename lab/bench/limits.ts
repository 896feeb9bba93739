/**
 * Measures what large and hostile requests do to a server with its defaults: its peak memory, and how long a small read of another
 * client had to wait meanwhile. On Edgeplane and, if given, on the real kube-apiserver with etcd, one after the other.
 *
 * Each load has a server of its own. Writes lab/bench/results/limits.json: medians of the rounds, and every round.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, list, type Values } from '../command.ts'
import { comparisonOptions, machine, median, type Peer, referenceFolder, startOurs, startReference } from '../peers.ts'
import { processorSeconds, residentPeakMebibytes } from '../processes.ts'
import { beginLoad, type LoadName, loadNames } from './limits/load.ts'
import { beginProbe } from './limits/probe.ts'
import { writeResults } from './write-results.ts'

interface Figures {
  readonly peakMebibytes: number
  readonly longestReadMs: number
  readonly refusedReads: number
  readonly processorSeconds: number
  readonly seconds: number
  /** The number of responses with each status. */
  readonly statuses: Readonly<Record<string, number>>
}

/** The figures with the machine's load: other processes delay both sides. */
type Round = Figures & { readonly load: number }

async function measure(peer: Peer, name: LoadName): Promise<Figures> {
  const probe = await beginProbe(peer.url, peer.token)
  const load = beginLoad({ url: peer.url, token: peer.token, name })
  await load.prepared
  await probe.take()
  const [worked, began] = [processorSeconds(peer.pids), performance.now()]
  const statuses = await load.run()
  const seconds = (performance.now() - began) / 1000
  const { longest, refused } = await probe.take()
  await probe.end()
  return {
    peakMebibytes: Math.round(residentPeakMebibytes(peer.pids)),
    longestReadMs: Math.round(longest),
    refusedReads: refused,
    processorSeconds: Number((processorSeconds(peer.pids) - worked).toFixed(1)),
    seconds: Number(seconds.toFixed(1)),
    statuses,
  }
}

/** Returns the medians of the rounds' numbers. */
function mediansOf(rounds: readonly Round[]): Omit<Round, 'statuses'> {
  const of = (key: keyof Omit<Round, 'statuses'>): number => median(rounds.map((round) => round[key]))
  return {
    peakMebibytes: of('peakMebibytes'),
    longestReadMs: of('longestReadMs'),
    refusedReads: of('refusedReads'),
    processorSeconds: of('processorSeconds'),
    seconds: of('seconds'),
    load: of('load'),
  }
}

const options = {
  reference: referenceFolder,
  rounds: comparisonOptions.rounds,
  only: list('NAME,…', 'the loads', loadNames),
}

async function run(values: Values<typeof options>): Promise<void> {
  const { reference } = values
  const names = loadNames.filter((name) => values.only.includes(name))
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-limits-'))
  const results: Record<string, Round[]> = {}
  let started = 0
  for (let round = 0; round < values.rounds; round++) {
    for (const name of names) {
      const starts = [() => startOurs(join(work, `ours-${started++}`))]
      if (reference !== undefined) starts.push(() => startReference(reference, join(work, `reference-${started++}`)))
      for (const start of starts) {
        const peer = await start()
        const before = loadAverage()
        const figures = await measure(peer, name)
        await peer.end()
        const key = `${peer.name}: ${name}`
        results[key] = [...(results[key] ?? []), { ...figures, load: before }]
        console.log(key, JSON.stringify(results[key]?.at(-1)))
      }
    }
  }
  rmSync(work, { recursive: true, force: true })
  const medians = Object.fromEntries(Object.entries(results).map(([key, rounds]) => [key, mediansOf(rounds)]))
  writeResults('limits', { machine, medians, rounds: results })
}

/** The machine's load before a measurement. */
const loadAverage = (): number => Number((loadavg()[0] ?? 0).toFixed(1))

export default command({ options, run })
