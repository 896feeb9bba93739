/**
 * Measures many named clusters in one server: their creation, the first request to each, disk, memory, idleness, the list of them and
 * the start of the server.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClusterCredentials } from '../../src/auth/cluster-credentials.ts'
import { type Client, clientOf } from '../../test/client.ts'
import { command, number, type Values } from '../command.ts'
import { machine, median, type Peer, startOurs } from '../peers.ts'
import { family, processorSeconds, residentMebibytes } from '../processes.ts'
import { root } from '../root.ts'
import { writeResults } from './write-results.ts'

const collection = '/apis/edgeplane.dev/v1/clusters'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const idleSeconds = 60

/** Sends a request with a JSON body, if it has one, and returns the body of the response. @throws Error if it is not a success */
export async function succeed(
  client: Client,
  method: string,
  path: string,
  token = client.token,
  body?: string,
): Promise<string> {
  const { status, text } = await client.send(path, { method, token, body })
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`)
  return text
}

/** Returns the processor time of the server in milliseconds. */
const processorTime = ({ pids: [pid = 0] }: Peer): number => processorSeconds(family(pid)) * 1000

/** Returns the resident memory of the server in bytes. */
const memory = ({ pids: [pid = 0] }: Peer): number => residentMebibytes(family(pid)) * 2 ** 20

/** Returns the bytes that files of a directory take on the disk. */
function disk(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return entries.reduce((sum, name) => sum + statSync(join(directory, name)).blocks * 512, 0)
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN
const summary = (values: readonly number[]) => ({ median: quantile(values, 0.5), p99: quantile(values, 0.99), n: values.length })

async function timed<T>(work: () => Promise<T>): Promise<[milliseconds: number, result: T]> {
  const began = performance.now()
  const result = await work()
  return [performance.now() - began, result]
}

export async function enable(client: Client): Promise<void> {
  const manifest = readFileSync(join(root, 'manifests/clusters.json'), 'utf8')
  await succeed(client, 'POST', definitions, client.token, manifest)
}

/** Makes a cluster. Returns its administrator's token. */
export async function make(client: Client, token: string, name: string, spec = {}): Promise<string> {
  const body = JSON.stringify({ apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name }, spec })
  const { metadata } = JSON.parse(await succeed(client, 'POST', collection, client.token, body)) as { metadata: { uid: string } }
  return new ClusterCredentials(token).sign({ cluster: name, uid: metadata.uid })
}

/** Makes clusters, and sends one request to each as soon as its creation is answered. */
async function makeAll(client: Client, peer: Peer, count: number, connections: number) {
  const created: number[] = []
  const first: number[] = []
  const before = processorTime(peer)
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const name = `c-${index}`
      const [took, token] = await timed(() => make(client, peer.token, name))
      created.push(took)
      first.push((await timed(() => succeed(client, 'GET', `/clusters/${name}/api/v1/namespaces`, token)))[0])
      if (created.length % 500 === 0) console.log(`${created.length} clusters`)
    }
  }
  const [took] = await timed(() => Promise.all(Array.from({ length: connections }, worker)))
  return {
    created: summary(created),
    firstRequest: summary(first),
    perSecond: (count / took) * 1000,
    processor: (processorTime(peer) - before) / count,
  }
}

async function idle(peer: Peer): Promise<number> {
  const before = processorTime(peer)
  await new Promise((done) => setTimeout(done, idleSeconds * 1000))
  return (processorTime(peer) - before) / idleSeconds
}

async function restarted(data: string): Promise<{ readonly ready: number; readonly memory: number }> {
  const [ready, peer] = await timed(() => startOurs(data))
  const used = memory(peer)
  await peer.end()
  return { ready, memory: used }
}

const options = {
  count: number('N', 'the clusters', 10_000),
  connections: number('N', 'the connections that make them', 4),
}

async function run({ count, connections }: Values<typeof options>): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'edgeplane-bench-'))
  let peer = await startOurs(data)
  let client = clientOf(peer)
  await enable(client)
  const [emptyDisk, emptyMemory, emptyIdle] = [disk(data), memory(peer), await idle(peer)]
  const made = await makeAll(client, peer, count, connections)
  const [list, listed] = await timed(() => succeed(client, 'GET', collection))
  const items = (JSON.parse(listed) as { items: unknown[] }).items.length
  const usedMemory = memory(peer)
  client.close()
  await peer.end()
  const bytes = (disk(data) - emptyDisk) / count
  const start = [await restarted(data), await restarted(data), await restarted(data)]
  peer = await startOurs(data)
  client = clientOf(peer)
  await succeed(client, 'GET', `${collection}/c-0`)
  const idleTime = await idle(peer)
  client.close()
  await peer.end()
  rmSync(data, { recursive: true, force: true })
  const result = {
    unit: 'ms, bytes',
    machine,
    count,
    connections,
    ...made,
    bytesOnDiskOfEachCluster: bytes,
    memory: { before: emptyMemory, afterCreation: usedMemory, afterStart: median(start.map(({ memory: used }) => used)) },
    list: { milliseconds: list, items },
    start: summary(start.map(({ ready }) => ready)),
    idleProcessorMillisecondsPerSecond: { before: emptyIdle, after: idleTime },
  }
  writeResults('clusters', result)
  console.log(JSON.stringify(result, null, 1))
}

export default command({ options, run })
