/**
 * Lists objects of a megabyte, many at once and in every representation. Prints for each the duration, the responses, the peak
 * memory of the server's processes, and the longest latency of a small read meanwhile.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { startServer } from '../../test/server.ts'
import { command, list, number, text, type Values } from '../command.ts'
import { family, processorSeconds, residentMebibytes } from '../processes.ts'
import { Sender, type Target } from './lists/target.ts'

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

const options = {
  objects: number('N', 'the objects', 350),
  bytes: number('N', 'their size', 1_000_000),
  lists: number('N', 'the lists that are requested at once', 12),
  forms: list('NAME,…', Object.keys(forms).join(','), Object.keys(forms)),
  seconds: number('N', 'the time for each form', 300),
  server: text('URL', 'a running server, such as the real kube-apiserver'),
  token: text('T', 'the token of its administrator', ''),
  pids: list('PID,…', 'its processes', []),
}

async function fill(sender: Sender, { bytes, objects }: Values<typeof options>): Promise<void> {
  const line = 'server { listen 8080; location / { proxy_pass "http://backend:9090"; } } # a line of a configuration\n'
  const text = line.repeat(Math.ceil(bytes / 4 / line.length))
  const data = { 'a.conf': text, 'b.conf': text, 'c.json': JSON.stringify({ text: text.slice(text.length / 2) }), d: `${text} ` }
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < objects) {
      const metadata = { name: `big-${next++}`, labels: { big: 'yes' } }
      const { status } = await sender.send('POST', configMaps, {}, JSON.stringify({ metadata, data }))
      if (status !== 201 && status !== 409) throw new Error(`an object was answered ${status}`)
    }
  }
  await sender.send('POST', configMaps, {}, JSON.stringify({ metadata: { name: 'small' }, data: { a: 'b' } }))
  await Promise.all(Array.from({ length: 4 }, worker))
}

function counted(texts: readonly (number | string)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

/** Returns the result of some work, with the peak memory of processes meanwhile. */
async function withPeak<T>(pids: readonly number[], work: () => Promise<T>): Promise<readonly [result: T, peakMiB: number]> {
  let peak = residentMebibytes(pids)
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentMebibytes(pids))
  }, 50)
  try {
    return [await work(), Math.round(peak)]
  } finally {
    clearInterval(sampling)
  }
}

/** The small read beside the lists. */
interface Waited {
  readonly longest: number
  readonly refused: number
}

/** The measurement of a server. */
class Measurement {
  readonly #sender: Sender
  readonly #pids: readonly number[]
  readonly #probe: Worker
  readonly #values: Values<typeof options>

  constructor({ url, token, pids }: Target, sender: Sender, values: Values<typeof options>) {
    this.#sender = sender
    this.#pids = pids
    this.#values = values
    this.#probe = new Worker(join(import.meta.dirname, 'lists/stall-probe.ts'), { workerData: { url, token, path: probed } })
  }

  async of(form: string): Promise<object> {
    const [query, headers] = forms[form] ?? ['', {}]
    await this.#waited()
    const before = Math.round(residentMebibytes(this.#pids))
    const workedBefore = processorSeconds(this.#pids)
    const began = performance.now()
    const { lists, seconds: most } = this.#values
    const [answers, peakMiB] = await withPeak(this.#pids, () => {
      const requests = Array.from({ length: lists }, () => this.#sender.send('GET', `${configMaps}${query}`, headers))
      const late = new Promise<'late'>((resolve) => setTimeout(resolve, most * 1000, 'late').unref())
      return Promise.race([Promise.all(requests), late])
    })
    const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
    const { longest, refused } = await this.#waited()
    const processor = Number((processorSeconds(this.#pids) - workedBefore).toFixed(1))
    const stall = { processor, longestSmallGetMs: Math.round(longest), smallGetsRefused: refused }
    if (answers === 'late') return { form, seconds, answers, before, peakMiB, ...stall }
    const mebibytes = Math.round(Math.max(...answers.map(({ bytes }) => bytes)) / 2 ** 20)
    return { form, seconds, statuses: counted(answers.map(({ status }) => status)), mebibytes, before, peakMiB, ...stall }
  }

  async end(): Promise<void> {
    await this.#probe.terminate()
  }

  async #waited(): Promise<Waited> {
    this.#probe.postMessage('tell')
    return (await once(this.#probe, 'message'))[0] as Waited
  }
}

async function measure(target: Target, values: Values<typeof options>): Promise<void> {
  const sender = new Sender(target)
  const [, peakMiB] = await withPeak(target.pids, () => fill(sender, values))
  console.info(JSON.stringify({ form: 'fill', peakMiB }))
  const measurement = new Measurement(target, sender, values)
  for (const form of values.forms) console.info(JSON.stringify(await measurement.of(form)))
  await measurement.end()
  sender.close()
}

export default command({
  options,
  async run(values) {
    if (values.server !== undefined) {
      await measure({ url: values.server, token: values.token, pids: values.pids.map(Number) }, values)
      process.exit(0)
    }
    const server = await startServer({ args: ['--feature-gates', 'CBORServingAndStorage=true'] })
    const pid = Number(readFileSync(`${server.dataDirectory}/run/workerd.pid`, 'utf8'))
    await measure({ url: server.url, token: server.token, pids: family(pid) }, values)
    await server.stop()
    process.exit(0)
  },
})
