/**
 * Measures many named clusters in one server: their creation, the first request to each, disk, memory, idleness, the list of them and
 * the start of the server.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClusterCredentials } from '../../src/auth/cluster-credentials.ts'
import { command, number, type Values } from '../command.ts'
import { machine, median, type Peer, startOurs } from '../peers.ts'
import { family } from '../processes.ts'
import { root } from '../root.ts'
import { writeResults } from './write-results.ts'

const collection = '/apis/edgeplane.dev/v1/clusters'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** Processor time is counted in hundredths of a second. */
const tick = 10
const idleSeconds = 60

interface Answer {
  readonly status: number
  readonly text: string
}

export class Client {
  readonly #agent: Agent
  readonly #peer: Peer

  constructor(peer: Peer, sockets: number) {
    this.#peer = peer
    this.#agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: sockets })
  }

  send(method: string, path: string, token = this.#peer.token, body?: string, type = 'application/json'): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    }
    return new Promise((done, failed) => {
      const sent = request(this.#peer.url + path, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      })
      sent.on('error', failed)
      sent.end(body)
    })
  }

  async succeed(method: string, path: string, token?: string, body?: string, type?: string): Promise<string> {
    const { status, text } = await this.send(method, path, token, body, type)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`)
    return text
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Returns the processor time of the server in milliseconds. */
function processorTime({ pids: [pid = 0] }: Peer): number {
  const times = family(pid).map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return times.reduce((sum, time) => sum + time, 0) * tick
}

/** Returns the resident memory of the server in bytes. */
function memory({ pids: [pid = 0] }: Peer): number {
  const sizes = family(pid).map((pid) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return sizes.reduce((sum, size) => sum + Number(size ?? 0), 0) * 1024
}

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
  await client.succeed('POST', definitions, undefined, manifest, 'application/json')
}

/** Makes a cluster. Returns its administrator's token. */
export async function make(client: Client, token: string, name: string, spec = {}): Promise<string> {
  const body = JSON.stringify({ apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name }, spec })
  const { metadata } = JSON.parse(await client.succeed('POST', collection, undefined, body)) as { metadata: { uid: string } }
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
      first.push((await timed(() => client.succeed('GET', `/clusters/${name}/api/v1/namespaces`, token)))[0])
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
  let client = new Client(peer, connections)
  await enable(client)
  const [emptyDisk, emptyMemory, emptyIdle] = [disk(data), memory(peer), await idle(peer)]
  const made = await makeAll(client, peer, count, connections)
  const [list, listed] = await timed(() => client.succeed('GET', collection))
  const items = (JSON.parse(listed) as { items: unknown[] }).items.length
  const usedMemory = memory(peer)
  client.close()
  await peer.end()
  const bytes = (disk(data) - emptyDisk) / count
  const start = [await restarted(data), await restarted(data), await restarted(data)]
  peer = await startOurs(data)
  client = new Client(peer, connections)
  await client.succeed('GET', `${collection}/c-0`)
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
