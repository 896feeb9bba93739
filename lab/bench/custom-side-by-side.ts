/**
 * Creates custom resources of 4 KB, without rules and with ten CEL rules, through 16 connections, on Edgeplane and on the real
 * kube-apiserver with etcd, alternating in one run.
 *
 * Writes lab/bench/results/custom-side-by-side.json: creates per second of every round, medians, and the ratios of medians.
 */

import type { CustomResourceDefinition } from '../../src/crd/definition.ts'
import { clientOf } from '../../test/client.ts'
import { command, type Values } from '../command.ts'
import { alternately, comparisonOptions, median, type Peer } from '../peers.ts'
import { certificate, certificateSchema, definition, ruledSchema } from './custom-definitions.ts'
import { writeResults } from './write-results.ts'

const connections = 16
const cases: Readonly<Record<string, CustomResourceDefinition>> = {
  'without rules': definition(1, certificateSchema),
  'with 10 rules': definition(2, ruledSchema),
}

/** Measures creates per second. */
async function createsOf(peer: Peer, crd: CustomResourceDefinition, seconds: number): Promise<number> {
  const client = clientOf(peer)
  const made = await client.send('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body: crd })
  if (made.status !== 201) throw new Error(made.text)
  const { group, names } = crd.spec
  const path = `/apis/${group}/v1/namespaces/default/${names.plural}`
  // A definition is usable some seconds after it is created. The warm-up also excludes the one-time compilation.
  for (let warm = 0; warm < 200; ) {
    const { status } = await client.send(path, { method: 'POST', body: certificate(crd, `warm-${warm}`) })
    if (status === 201) warm++
    else await new Promise((again) => setTimeout(again, 100))
  }
  let count = 0
  const began = performance.now()
  const worker = async (number: number): Promise<void> => {
    for (let i = 0; performance.now() - began < seconds * 1000; i++) {
      const { status, text } = await client.send(path, { method: 'POST', body: certificate(crd, `c-${number}-${i}`) })
      if (status !== 201) throw new Error(text)
      count++
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, number) => worker(number)))
  const took = (performance.now() - began) / 1000
  client.close()
  return count / took
}

async function run(values: Values<typeof comparisonOptions>): Promise<void> {
  const rounds = await alternately(values, async (peer) => {
    const figures: Record<string, number> = {}
    for (const [name, crd] of Object.entries(cases)) figures[name] = Math.round(await createsOf(peer, crd, values.seconds))
    return figures
  })
  const medianOf = (name: Peer['name'], which: string): number => median(rounds[name].flatMap((figures) => figures[which] ?? []))
  const medians = Object.keys(cases).map((which) => {
    const [ours, theirs] = [medianOf('edgeplane', which), medianOf('kube-apiserver', which)]
    return [which, { ours, theirs, ratio: Number((ours / theirs).toFixed(2)) }] as const
  })
  const result = { unit: 'creates a second', connections, medians: Object.fromEntries(medians), rounds }
  writeResults('custom-side-by-side', result)
  console.log(result.medians)
}

export default command({ options: comparisonOptions, run })
