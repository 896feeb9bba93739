/**
 * Measures a server with 500 definitions of 10 to 30 KB: memory, discovery, OpenAPI, and the time until a new definition is
 * usable.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { startServer } from '../../test/server.ts'
import { command, number, type Values } from '../command.ts'
import { certificate, certificateSchema, definition } from './custom-definitions.ts'
import { writeResults } from './write-results.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const aggregated = 'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io'
const connections = 4

interface RequestOptions {
  readonly method?: string
  readonly accept?: string
  readonly encoding?: string
  readonly body?: unknown
  readonly agent?: Agent
}

interface TimedResponse {
  readonly status: number
  readonly bytes: number
  readonly milliseconds: number
}

type SendRequest = (path: string, init?: RequestOptions) => Promise<TimedResponse>

function sender(url: string, token: string): SendRequest {
  const keptAlive = new Agent({ keepAlive: true, rejectUnauthorized: false })
  return (path, { method = 'GET', accept = 'application/json', encoding = 'identity', body, agent = keptAlive } = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const headers = { authorization: `Bearer ${token}`, accept, 'accept-encoding': encoding, ...type }
    const began = performance.now()
    return new Promise((done, failed) => {
      const sent = request(url + path, { method, headers, agent }, (response) => {
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.byteLength
        })
        response.on('end', () => done({ status: response.statusCode ?? 0, bytes, milliseconds: performance.now() - began }))
      })
      sent.on('error', failed)
      sent.end(text)
    })
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const rounded = (value: number): number => Number(value.toFixed(1))

/** Returns the memory in MiB of all processes with the data directory in their command line, and of their children. */
function memoryOf(dataDirectory: string): number {
  const processes = readdirSync('/proc').flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
      const isOwn = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDirectory)
      const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      return /^\d+$/.test(pid) ? [{ pid, parent, isOwn, kilobytes: Number(resident ?? 0) }] : []
    } catch {
      return []
    }
  })
  const family = new Set(processes.filter(({ isOwn }) => isOwn).map(({ pid }) => pid))
  for (let before = -1; before !== family.size; ) {
    before = family.size
    for (const { pid, parent } of processes) if (parent !== undefined && family.has(parent)) family.add(pid)
  }
  return processes.filter(({ pid }) => family.has(pid)).reduce((sum, { kilobytes }) => sum + kilobytes / 1024, 0)
}

/** Measures the first response and the median of further ones. */
async function timed(send: SendRequest, path: string, init: RequestOptions, times: number): Promise<Record<string, number>> {
  const first = await send(path, init)
  if (first.status !== 200) throw new Error(`${path}: ${first.status}`)
  const again: number[] = []
  for (let i = 0; i < times; i++) again.push((await send(path, init)).milliseconds)
  return { bytes: first.bytes, first: rounded(first.milliseconds), again: rounded(median(again)) }
}

async function install(send: SendRequest, count: number): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const { status } = await send(definitions, { method: 'POST', body: definition(next++) })
      if (status !== 201) throw new Error(`a definition: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

/**
 * Measures the milliseconds from the 201 of a definition to the first successful request for its objects, which is repeated
 * without a pause.
 */
async function useful(send: SendRequest, times: number, agent: () => Agent | undefined): Promise<Record<string, number>> {
  const waits: number[] = []
  let atOnce = 0
  for (let i = 0; i < times; i++) {
    const made = definition(100_000 + i, certificateSchema)
    const { group, names } = made.spec
    if ((await send(definitions, { method: 'POST', body: made })).status !== 201) throw new Error('no definition')
    const began = performance.now()
    const path = `/apis/${group}/v1/namespaces/default/${names.plural}`
    for (let attempt = 0; ; attempt++) {
      const other = agent()
      const created = await send(path, { method: 'POST', body: certificate(made, 'a'), ...(other && { agent: other }) })
      if (created.status === 201) {
        if (attempt === 0) atOnce++
        break
      }
    }
    waits.push(performance.now() - began)
    await send(`${definitions}/${made.metadata.name}`, { method: 'DELETE' })
  }
  const sorted = waits.sort((a, b) => a - b)
  const at = (share: number): number => rounded(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN)
  return { times, atOnce, median: at(0.5), percentile99: at(0.99), most: at(1) }
}

const documents: Readonly<Record<string, readonly [string, RequestOptions, number]>> = {
  'aggregated discovery': ['/apis', { accept: aggregated }, 20],
  'OpenAPI v3 index': ['/openapi/v3', {}, 20],
  'OpenAPI v3 of a group': ['/openapi/v3/apis/g0.bench.example.com/v1', {}, 5],
  'OpenAPI v2': ['/openapi/v2', {}, 3],
  'OpenAPI v2, compressed': ['/openapi/v2', { encoding: 'gzip' }, 3],
}

const options = {
  count: number('N', 'the definitions', 500),
  times: number('N', 'the repetitions of each request', 200),
}

async function run(values: Values<typeof options>): Promise<void> {
  const server = await startServer()
  const result: Record<string, unknown> = { unit: 'ms, MiB', count: values.count }
  const report = (name: string, value: unknown): void => {
    result[name] = value
    console.log(name, value)
  }
  const memory = (): number => rounded(memoryOf(server.dataDirectory))
  try {
    const send = sender(server.url, server.token)
    await send('/apis', { accept: aggregated })
    const before = memory()
    report('memory before', before)
    await install(send, values.count)
    await new Promise((done) => setTimeout(done, 5000))
    report('memory more with them', rounded(memory() - before))
    for (const [name, [path, init, times]] of Object.entries(documents)) {
      report(name, await timed(send, path, init, times))
      report(`memory more after it: ${name}`, rounded(memory() - before))
    }
    report('of use on the same connection', await useful(send, values.times, () => undefined))
    report('of use on another connection', await useful(send, values.times, () => new Agent({ rejectUnauthorized: false })))
  } finally {
    await server.stop()
  }
  writeResults('definitions', result)
}

export default command({ options, run })
