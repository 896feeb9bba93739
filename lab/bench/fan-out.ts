/**
 * Measures events to a thousand watches, in JSON and in protobuf, under the same load.
 *
 * A Go program (watchers/main.go) opens the watches and counts events. `--reference` is the folder of the program that starts the
 * real kube-apiserver (start.mjs); without it only Edgeplane is measured. Writes lab/bench/results/fan-out.json: medians.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, type Values } from '../command.ts'
import { comparisonOptions, machine, median, type Peer, referenceFolder, startOurs, startReference } from '../peers.ts'
import { root } from '../root.ts'
import { writeResults } from './write-results.ts'

const forms = ['json', 'protobuf'] as const
type Form = (typeof forms)[number]

/** The output of the Go program. */
interface Figures {
  readonly eventsPerSecond: number
  readonly missing: number
  readonly postP50ms: number
}

function watch(program: string, { url, token }: Peer, form: Form, seconds: string): Figures {
  const args = ['--server', url, '--token', token, '--namespace', `fan-out-${form}`, '--seconds', seconds]
  if (form === 'protobuf') args.push('--protobuf')
  const figures = JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as Figures
  if (figures.missing !== 0) throw new Error(`${figures.missing} events did not arrive`)
  return figures
}

function mediansOf(rounds: readonly Figures[]): Omit<Figures, 'missing'> {
  return {
    eventsPerSecond: Math.round(median(rounds.map(({ eventsPerSecond }) => eventsPerSecond))),
    postP50ms: Number(median(rounds.map(({ postP50ms }) => postP50ms)).toFixed(1)),
  }
}

const options = { ...comparisonOptions, reference: referenceFolder }

async function run(values: Values<typeof options>): Promise<void> {
  const { reference, seconds } = values
  const work = mkdtempSync(join(tmpdir(), 'edgeplane-fan-out-'))
  const program = join(work, 'watchers')
  execFileSync('go', ['build', '-o', program, '.'], { cwd: join(root, 'lab/bench/watchers'), stdio: 'inherit' })
  const results: Record<string, Figures[]> = {}
  let started = 0
  for (let round = 0; round < values.rounds; round++) {
    const starts = [() => startOurs(join(work, `ours-${started++}`))]
    if (reference !== undefined) starts.push(() => startReference(reference, join(work, `reference-${started++}`)))
    // Each form gets its own server, because a server notices closed watches only some time later.
    for (const start of starts) {
      for (const form of forms) {
        const peer = await start()
        const found = watch(program, peer, form, String(seconds))
        results[`${peer.name} ${form}`] = [...(results[`${peer.name} ${form}`] ?? []), found]
        await peer.end()
      }
    }
  }
  rmSync(work, { recursive: true, force: true })
  const medians = Object.fromEntries(Object.entries(results).map(([name, rounds]) => [name, mediansOf(rounds)]))
  writeResults('fan-out', { machine, medians, rounds: results })
  console.log(medians)
}

export default command({ options, run })
