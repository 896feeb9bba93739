/**
 * Measures what a request to a named cluster costs more than one to the default cluster: the processor time of the server for gets
 * and updates of a ConfigMap, in short alternating rounds, because the machine does other things as well.
 *
 * Writes lab/bench/results/cluster-requests.json.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, clientOf } from '../../test/client.ts'
import { command, number, type Values } from '../command.ts'
import { machine, median, type Peer, startOurs } from '../peers.ts'
import { family } from '../processes.ts'
import { enable, make, succeed } from './clusters.ts'
import { writeResults } from './write-results.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const connections = 4
/** Rounds before the first one that counts. */
const warmUp = 6

/** Returns the processes of the runtime: those of its supervisor come and go. */
const runtimesOf = ({ pids: [pid = 0] }: Peer): readonly number[] =>
  family(pid).filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'workerd')

/** Returns the processor time of processes in microseconds. */
function processorTime(pids: readonly number[]): number {
  const ofThread = (pid: number, thread: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  const times = pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => ofThread(pid, thread)))
  return times.reduce((sum, time) => sum + time, 0) / 1000
}

/** A cluster under load. */
interface Place {
  readonly path: string
  readonly token: string
}

type Request = (client: Client, place: Place, value: string) => Promise<unknown>

const configMap = (value: string): string => JSON.stringify({ metadata: { name: 'a' }, data: { text: 'x'.repeat(300), value } })

const requests: Readonly<Record<string, Request>> = {
  get: (client, { path, token }) => succeed(client, 'GET', `${path}/a`, token),
  update: (client, { path, token }, value) => succeed(client, 'PUT', `${path}/a`, token, configMap(value)),
}

/** Returns the microseconds of processor time of a request. */
async function load(pids: readonly number[], count: number, send: (value: string) => Promise<unknown>): Promise<number> {
  const before = processorTime(pids)
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) await send(String(left))
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return (processorTime(pids) - before) / count
}

const options = {
  rounds: number('N', 'the rounds that count', 50),
  requests: number('N', 'the requests of a round', 300),
}

async function run({ rounds, requests: count }: Values<typeof options>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  const peer = await startOurs(data, ['--placement', 'one-object'])
  const client = clientOf(peer)
  await enable(client)
  const token = await make(client, peer.token, 'named')
  const places: readonly [Place, Place] = [
    { path: configMaps, token: peer.token },
    { path: `/clusters/named${configMaps}`, token },
  ]
  for (const place of places) await succeed(client, 'POST', place.path, place.token, configMap(''))
  const pids = runtimesOf(peer)
  const result: Record<string, object> = {}
  for (const [name, request] of Object.entries(requests)) {
    const costOf = (place: Place): Promise<number> => load(pids, count, (value) => request(client, place, value))
    for (let round = 0; round < warmUp; round++) for (const place of places) await costOf(place)
    const costs: [base: number, named: number][] = []
    for (let round = 0; round < rounds; round++) {
      const base = round % 2 === 0 ? await costOf(places[0]) : undefined
      const named = await costOf(places[1])
      costs.push([base ?? (await costOf(places[0])), named])
    }
    result[name] = {
      microseconds: { default: median(costs.map(([base]) => base)), named: median(costs.map(([, named]) => named)) },
      more: median(costs.map(([base, named]) => named / base - 1)),
      moreInSum: costs.reduce((sum, [, named]) => sum + named, 0) / costs.reduce((sum, [base]) => sum + base, 0) - 1,
    }
  }
  client.close()
  await peer.end()
  rmSync(data, { recursive: true, force: true })
  const measured = { machine, rounds, requests: count, connections, ...result }
  writeResults('cluster-requests', measured)
  console.log(JSON.stringify(measured, null, 1))
}

export default command({ options, run })
