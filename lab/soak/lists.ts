/**
 * Lists objects of a megabyte, many at once and in every representation:
 *
 *   npm run soak:lists -- [--objects 350] [--bytes 1000000] [--lists 12] [--forms json,yaml,…] [--url U --token T --pids 1,2]
 *
 * Prints for each representation the duration, the responses, the peak memory of the server's processes, and the longest latency
 * of a small read meanwhile. `--url` uses a running server, such as the real kube-apiserver.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { family } from '../../../bench/peers.ts'
import { startServer } from '../../server.ts'

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '350' },
    bytes: { type: 'string', default: '1000000' },
    lists: { type: 'string', default: '12' },
    forms: { type: 'string' },
    url: { type: 'string' },
    token: { type: 'string' },
    pids: { type: 'string' },
    seconds: { type: 'string', default: '300' },
  },
})

const configMaps = '/api/v1/namespaces/default/configmaps'
const probed = `${configMaps}/small`
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/** The requests: query and headers. */
const forms: Readonly<Record<string, readonly [query: string, headers: Readonly<Record<string, string>>]>> = {
  json: ['', { accept: 'application/json' }],
  gzip: ['', { accept: 'application/json', 'accept-encoding': 'gzip' }],
  pretty: ['?pretty=true', { accept: 'application/json' }],
  yaml: ['', { accept: 'application/yaml' }],
  table: ['', { accept: table }],
  'table-objects': ['?includeObject=Object', { accept: table }],
  metadata: ['', { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }],
  cbor: ['', { accept: 'application/cbor' }],
  protobuf: ['', { accept: 'application/vnd.kubernetes.protobuf' }],
  limit: ['?limit=1000', { accept: 'application/json' }],
  'limit-selected': ['?limit=340&labelSelector=big', { accept: 'application/json' }],
}

interface Target {
  readonly url: string
  readonly token: string
  readonly pids: readonly number[]
  readonly stop: () => Promise<void>
}

async function target(): Promise<Target> {
  const { url, token, pids } = values
  if (url !== undefined && token !== undefined && pids !== undefined) {
    return { url, token, pids: pids.split(',').map(Number), stop: async () => {} }
  }
  const server = await startServer(undefined, undefined, ['--feature-gates', 'CBORServingAndStorage=true'])
  const pid = Number(readFileSync(`${server.dataDirectory}/run/workerd.pid`, 'utf8'))
  return { url: server.url, token: server.token, pids: family(pid), stop: () => server.stop() }
}

const server = await target()
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: Number.POSITIVE_INFINITY })

interface Answer {
  readonly status: number | string
  readonly bytes: number
}

function send(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  let bytes = 0
  const all = {
    authorization: `Bearer ${server.token}`,
    ...headers,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  }
  const sent = request(`${server.url}${path}`, { agent, method, headers: all }, (answer) => {
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength
    })
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }))
    answer.on('error', () => resolve({ status: `${answer.statusCode} cut off`, bytes }))
  })
  sent.on('error', (error: NodeJS.ErrnoException) => resolve({ status: error.code ?? error.message, bytes }))
  sent.end(body)
  return promise
}

async function fill(): Promise<void> {
  const line = 'server { listen 8080; location / { proxy_pass "http://backend:9090"; } } # a line of a configuration\n'
  const text = line.repeat(Math.ceil(Number(values.bytes) / 4 / line.length))
  const data = { 'a.conf': text, 'b.conf': text, 'c.json': JSON.stringify({ text: text.slice(text.length / 2) }), d: `${text} ` }
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < Number(values.objects)) {
      const metadata = { name: `big-${next++}`, labels: { big: 'yes' } }
      const { status } = await send('POST', configMaps, {}, JSON.stringify({ metadata, data }))
      if (status !== 201 && status !== 409) throw new Error(`an object was answered ${status}`)
    }
  }
  await send('POST', configMaps, {}, JSON.stringify({ metadata: { name: 'small' }, data: { a: 'b' } }))
  await Promise.all(Array.from({ length: 4 }, worker))
}

function residentMiB(): number {
  const sizes = server.pids.map((pid) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0
    }
  })
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024)
}

/** Returns the CPU time of the server's processes, in seconds. */
function worked(): number {
  const ticks = server.pids.map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    return user + system
  })
  return ticks.reduce((sum, each) => sum + each, 0) / 100
}

function counted(texts: readonly (number | string)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

async function measure(form: string, probe: Worker): Promise<object> {
  const [query, headers] = forms[form] ?? ['', {}]
  let peak = residentMiB()
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentMiB())
  }, 50)
  const probeResult = async (): Promise<{ longest: number; refused: number }> => {
    probe.postMessage('tell')
    return (await once(probe, 'message'))[0] as { longest: number; refused: number }
  }
  await probeResult()
  const before = residentMiB()
  const workedBefore = worked()
  const began = performance.now()
  const requests = Array.from({ length: Number(values.lists) }, () => send('GET', `${configMaps}${query}`, headers))
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, Number(values.seconds) * 1000, 'late').unref())
  const answers = await Promise.race([Promise.all(requests), late])
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
  clearInterval(sampling)
  const { longest, refused } = await probeResult()
  const processor = Number((worked() - workedBefore).toFixed(1))
  const stall = { processor, longestSmallGetMs: Math.round(longest), smallGetsRefused: refused }
  if (answers === 'late') return { form, seconds, answers, before, peakMiB: peak, ...stall }
  const mebibytes = Math.round(Math.max(...answers.map(({ bytes }) => bytes)) / 2 ** 20)
  return { form, seconds, statuses: counted(answers.map(({ status }) => status)), mebibytes, before, peakMiB: peak, ...stall }
}

/** Returns the peak memory of the server's processes during some work. */
async function peakOf(work: () => Promise<void>): Promise<number> {
  let peak = residentMiB()
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentMiB())
  }, 50)
  await work()
  clearInterval(sampling)
  return peak
}

console.info(JSON.stringify({ form: 'fill', peakMiB: await peakOf(fill) }))
const probe = new Worker(join(import.meta.dirname, 'stall-probe.ts'), {
  workerData: { url: server.url, token: server.token, path: probed },
})
for (const form of values.forms?.split(',') ?? Object.keys(forms)) console.info(JSON.stringify(await measure(form, probe)))
await probe.terminate()
agent.destroy()
await server.stop()
process.exit(0)
