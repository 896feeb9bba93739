/**
 * Gets an object of another API server directly, through Edgeplane and through the real kube-apiserver, each in turn over one kept
 * connection in one run.
 *
 * Writes lab/bench/results/aggregation.json: the medians and 99th percentiles in milliseconds, and the time that each server adds.
 */

import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOf } from '../../test/client.ts'
import { type ExtensionServer, root as path, startExtensionServer } from '../../test/http/aggregation/extension-server.ts'
import { apiService, collection, localService } from '../../test/http/aggregation/registration.ts'
import { makeAuthority } from '../../test/http/certificate-authority.ts'
import { command, number, type Values } from '../command.ts'
import { frontProxyFlags } from '../front-proxy-flags.ts'
import { comparisonOptions, machine, median, type Peer, startOurs, startReference } from '../peers.ts'
import { writeResults } from './write-results.ts'

/** A server that is asked: the other one itself, or one in front of it. */
interface Asked {
  readonly name: Peer['name'] | 'direct'
  readonly url: string
  readonly token: string
}

const names = ['direct', 'edgeplane', 'kube-apiserver'] as const
type Times = Record<Asked['name'], number[]>

/** Gets the object and returns the milliseconds until the response has ended. */
async function time({ url, token }: Asked, agent: Agent): Promise<number> {
  const began = performance.now()
  const sent = get(`${url}${path}/nodes/a`, { agent, headers: { authorization: `Bearer ${token}` } })
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  const took = performance.now() - began
  if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}`)
  return took
}

/** Registers the other server, and waits until it is reached. */
async function register(peer: Peer, agent: Agent, other: ExtensionServer, certificate: string): Promise<void> {
  const objects = [
    ['/api/v1/namespaces', { metadata: { name: 'metrics' } }],
    ['/api/v1/namespaces/metrics/services', localService(other.port)],
    [collection, apiService(other.port, certificate)],
  ] as const
  const client = clientOf(peer)
  for (const [place, object] of objects) {
    const { status, text } = await client.send(place, { method: 'POST', body: object })
    if (status !== 201) throw new Error(text)
  }
  client.close()
  for (;;) {
    try {
      await time(peer, agent)
      return
    } catch {
      await new Promise((again) => setTimeout(again, 200))
    }
  }
}

async function measure(work: string, reference: string, gets: number): Promise<Times> {
  const flags = await frontProxyFlags(work)
  const peers = [await startOurs(join(work, 'ours')), await startReference(reference, join(work, 'reference'), flags)]
  const authority = await makeAuthority('extension')
  const other = await startExtensionServer(authority, readFileSync(join(work, 'proxy-ca.crt'), 'utf8'))
  const agents = new Map(names.map((name) => [name, new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })]))
  const agentOf = (name: Asked['name']): Agent => agents.get(name) ?? new Agent()
  try {
    for (const peer of peers) await register(peer, agentOf(peer.name), other, authority.certificate)
    const asked: readonly Asked[] = [{ name: 'direct', url: `https://127.0.0.1:${other.port}`, token: 'none' }, ...peers]
    const times: Times = { direct: [], edgeplane: [], 'kube-apiserver': [] }
    for (let i = 0; i < gets + 200; i++) {
      for (const one of asked) {
        const took = await time(one, agentOf(one.name))
        if (i >= 200) times[one.name].push(took)
      }
      other.received.length = 0
    }
    return times
  } finally {
    for (const agent of agents.values()) agent.destroy()
    for (const peer of peers) await peer.end()
    await other.stop()
  }
}

const shown = (milliseconds: number): number => Math.round(milliseconds * 100) / 100

function summary(times: Times) {
  const middle = median(times.direct)
  const figures = names.map((name) => {
    const sorted = [...times[name]].sort((a, b) => a - b)
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
    return [name, { median: shown(median(sorted)), p99: shown(p99), added: shown(median(sorted) - middle) }] as const
  })
  return Object.fromEntries(figures)
}

const options = {
  reference: comparisonOptions.reference,
  rounds: comparisonOptions.rounds,
  gets: number('N', 'the gets of a round', 1000),
}

async function run(values: Values<typeof options>): Promise<void> {
  const rounds = []
  const all: Times = { direct: [], edgeplane: [], 'kube-apiserver': [] }
  for (let round = 0; round < values.rounds; round++) {
    const work = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
    const times = await measure(work, values.reference, values.gets)
    rmSync(work, { recursive: true, force: true })
    for (const name of names) all[name].push(...times[name])
    rounds.push(summary(times))
    console.log(`round ${round + 1}:`, rounds.at(-1))
  }
  const result = { unit: 'milliseconds of a get', machine, all: summary(all), rounds }
  writeResults('aggregation', result)
  console.log(result.all)
}

export default command({ options, run })
