/**
 * Measures the memory of one isolate in which many collections are busy:
 *
 *   npm run soak:memory -- [--collections 40] [--objects 10] [--bytes 100000] [--rounds 4] [--cache 32] [--record NAME]
 *
 * Each collection has watches in three representations; all objects are written again and again, and listed in JSON and in
 * protobuf. The Worker and all Durable Objects share the isolate, as on Cloudflare in the worst case; its heap is limited to
 * 128 MB, which makes V8 collect garbage as early as there. Prints the heap and the buffers of the isolate at their peak, garbage
 * included, and after a garbage collection, and how many watches ended. `--record` writes them to bench/results/memory.json.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { ensureBundle } from '../../scripts/build.mjs'
import { freePort } from '../../scripts/free-port.ts'

const { values } = parseArgs({
  options: {
    collections: { type: 'string', default: '40' },
    objects: { type: 'string', default: '10' },
    bytes: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '4' },
    cache: { type: 'string', default: '32' },
    record: { type: 'string' },
  },
})
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= '--max-heap-size=128'
const objects = Number(values.objects)
const bytes = Number(values.bytes)
const token = 'admin'
const protobuf = 'application/vnd.kubernetes.protobuf'
const metadataAs = (type: string, kind: string): string => `${type};as=${kind};g=meta.k8s.io;v=v1`

/** A collection to be filled. */
interface Target {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly isCustom: boolean
}

const namespace = '/namespaces/default'
const builtIn: readonly Target[] = [
  [`/api/v1${namespace}/configmaps`, {}],
  [`/api/v1${namespace}/secrets`, {}],
  [`/api/v1${namespace}/serviceaccounts`, {}],
  [`/api/v1${namespace}/endpoints`, {}],
  [`/apis/coordination.k8s.io/v1${namespace}/leases`, {}],
  [`/apis/apps/v1${namespace}/controllerrevisions`, { revision: 1, data: {} }],
  [`/apis/networking.k8s.io/v1/ingressclasses`, { spec: { controller: 'example.com/a' } }],
  [`/apis/storage.k8s.io/v1/storageclasses`, { provisioner: 'example.com/a' }],
  [`/apis/storage.k8s.io/v1/csinodes`, { spec: { drivers: [] } }],
  [`/apis/discovery.k8s.io/v1${namespace}/endpointslices`, { addressType: 'IPv4', endpoints: [] }],
].map(([path, body]) => ({ path, body, isCustom: false }) as Target)

const customTarget = (index: number): Target => ({
  path: `/apis/example.com/v1${namespace}/lamps${index}`,
  body: { apiVersion: 'example.com/v1', kind: `Lamp${index}` },
  isCustom: true,
})

const definition = (index: number): object => ({
  metadata: { name: `lamps${index}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `lamps${index}`, singular: `lamp${index}`, kind: `Lamp${index}`, listKind: `Lamp${index}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

/** The server in one isolate, and its inspector. */
async function start(): Promise<{ readonly server: Miniflare; readonly port: number; readonly inspectorPort: number }> {
  const files = await ensureBundle('worker')
  const [port, inspectorPort] = [await freePort(), await freePort()]
  const server = new Miniflare(
    convertV4MiniflareOptions({
      port,
      inspectorPort,
      compatibilityDate: /compatibility_date = "([^"]+)"/.exec(readFileSync('wrangler.toml', 'utf8'))?.[1] ?? '',
      modules: files.map((file) => ({ type: 'ESModule' as const, path: basename(file), contents: readFileSync(file, 'utf8') })),
      durableObjects: {
        COLLECTION: { className: 'Collection', useSQLite: true },
        CONTROL: { className: 'Control', useSQLite: true },
      },
      bindings: { ADMIN_TOKEN: token, SERVICE_CIDR: '10.0.0.0/16', CACHE_MEGABYTES: values.cache },
    }),
  )
  await server.ready
  return { server, port, inspectorPort }
}

/** Mebibytes of the isolate. */
interface Memory {
  readonly heap: number
  readonly buffers: number
}

/** The V8 inspector of the Worker's isolate. */
class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: unknown) => void>()
  #last = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown }
      if (id !== undefined) this.#waiting.get(id)?.(result)
    })
  }

  static async connect(port: number): Promise<Inspector> {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[]
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '')
    await new Promise((done, failed) => {
      socket.addEventListener('open', done)
      socket.addEventListener('error', failed)
    })
    return new Inspector(socket)
  }

  async memory(): Promise<Memory> {
    const { usedSize, backingStorageSize } = (await this.#send('Runtime.getHeapUsage')) as Record<string, number>
    return { heap: (usedSize ?? 0) / 2 ** 20, buffers: (backingStorageSize ?? 0) / 2 ** 20 }
  }

  async collectGarbage(): Promise<void> {
    await this.#send('HeapProfiler.collectGarbage')
  }

  close(): void {
    this.#socket.close()
  }

  #send(method: string): Promise<unknown> {
    const id = ++this.#last
    this.#socket.send(JSON.stringify({ id, method, params: {} }))
    return new Promise((done) => this.#waiting.set(id, done))
  }
}

const { server, port, inspectorPort } = await start()
const inspector = await Inspector.connect(inspectorPort)
let peak: Memory = { heap: 0, buffers: 0 }
const total = ({ heap, buffers }: Memory): number => heap + buffers
const sampling = setInterval(async () => {
  const now = await inspector.memory()
  if (total(now) > total(peak)) peak = now
}, 100)

interface Sent {
  readonly status: number
  readonly received: number
  readonly text: string
}

function send(method: string, path: string, options: { accept?: string; body?: unknown } = {}): Promise<Sent> {
  const { promise, resolve: done, reject } = Promise.withResolvers<Sent>()
  const text = options.body === undefined ? undefined : JSON.stringify(options.body)
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  const headers = { authorization: `Bearer ${token}`, accept: options.accept ?? 'application/json', 'content-type': type }
  const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
    const chunks: Buffer[] = []
    let received = 0
    response.on('data', (chunk: Buffer) => {
      received += chunk.byteLength
      if (received < 10_000) chunks.push(chunk)
    })
    response.on('end', () => done({ status: response.statusCode ?? 0, received, text: Buffer.concat(chunks).toString() }))
    response.on('error', reject)
  })
  sent.on('error', reject)
  sent.end(text)
  return promise
}

/** Lists until the server has room for another long response, as clients do. */
async function list(path: string, accept: string): Promise<void> {
  const answer = await send('GET', path, { accept })
  if (answer.status === 429) {
    refused++
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return list(path, accept)
  }
  const { received } = await expected(200, Promise.resolve(answer))
  listed += received
}

async function expected(status: number, answer: Promise<Sent>): Promise<Sent> {
  const sent = await answer
  if (sent.status !== status) throw new Error(`${sent.status} instead of ${status}: ${sent.text}`)
  return sent
}

const watches: ClientRequest[] = []
let [ended, watched, listed, refused, isOver] = [0, 0, 0, 0, false]

function watch(path: string, accept: string): Promise<void> {
  const { promise, resolve: opened } = Promise.withResolvers<void>()
  const headers = { authorization: `Bearer ${token}`, accept }
  const sent = request({ host: '127.0.0.1', port, path: `${path}?watch=1&allowWatchBookmarks=true`, headers }, (response) => {
    opened()
    response.on('data', (chunk: Buffer) => {
      watched += chunk.byteLength
    })
    response.on('close', () => {
      if (!isOver) ended++
    })
    response.on('error', () => {})
  })
  sent.on('error', () => {})
  sent.end()
  watches.push(sent)
  return promise
}

/** Runs tasks, eight at a time. */
async function all(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const left = tasks.values()
  const worker = async (): Promise<void> => {
    for (const task of left) await task()
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

const content = (): string => randomBytes(bytes / 2).toString('hex')

const custom = Array.from({ length: Number(values.collections) - builtIn.length }, (_, index) => index)
const targets = [...builtIn, ...custom.map(customTarget)]
await all(
  custom.map(
    (index) => () =>
      expected(201, send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition(index) })),
  ),
)
const base = await inspector.memory()

const objectOf = ({ body }: Target, name: string): object => ({
  ...body,
  metadata: { name, annotations: { content: content() } },
})
const objectTasks = (task: (target: Target, name: string) => Promise<unknown>): (() => Promise<unknown>)[] =>
  Array.from({ length: objects }, (_, index) => targets.map((target) => () => task(target, `object-${index}`))).flat()

await all(
  targets.map(({ path, isCustom }) => async () => {
    await watch(path, 'application/json')
    await watch(path, metadataAs('application/json', 'PartialObjectMetadata'))
    await watch(path, isCustom ? `${metadataAs(protobuf, 'PartialObjectMetadata')};stream=watch` : `${protobuf};stream=watch`)
  }),
)
await all(objectTasks((target, name) => expected(201, send('POST', target.path, { body: objectOf(target, name) }))))
const began = performance.now()
const lists = targets.flatMap(({ path, isCustom }) =>
  ['application/json', isCustom ? metadataAs(protobuf, 'PartialObjectMetadataList') : protobuf].map(
    (accept) => () => list(path, accept),
  ),
)
for (let round = 0; round < Number(values.rounds); round++) {
  const patch = (): object => ({ metadata: { annotations: { content: content() } } })
  const patches = objectTasks(({ path }, name) => expected(200, send('PATCH', `${path}/${name}`, { body: patch() })))
  const every = Math.floor(patches.length / lists.length)
  await all(
    patches.flatMap((task, index) => (index % every === 0 ? [task, ...lists.slice(index / every, index / every + 1)] : [task])),
  )
}
const seconds = (performance.now() - began) / 1000
clearInterval(sampling)
const before = await inspector.memory()
await inspector.collectGarbage()
const live = await inspector.memory()
isOver = true
for (const each of watches) each.destroy()
inspector.close()

const rounded = (memory: Memory): Memory => ({ heap: Math.round(memory.heap), buffers: Math.round(memory.buffers) })
const result = {
  unit: 'MiB',
  collections: targets.length,
  watches: watches.length,
  endedWatches: ended,
  writes: objects * targets.length * (1 + Number(values.rounds)),
  bytes,
  megabytesWatched: Math.round(watched / 1e6),
  megabytesListed: Math.round(listed / 1e6),
  refusedLists: refused,
  seconds: Math.round(seconds),
  base: rounded(base),
  peak: rounded(peak),
  atEnd: rounded(before),
  afterCollection: rounded(live),
}
console.log(result)
if (values.record !== undefined) {
  const file = resolve(import.meta.dirname, '../../bench/results/memory.json')
  const recorded = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {}
  writeFileSync(file, `${JSON.stringify({ ...recorded, [values.record]: result }, null, 1)}\n`)
}
await server.dispose()
