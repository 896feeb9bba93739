/** The loads, each in a thread of its own, so that the client's processor time does not delay the probe. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { fileURLToPath } from 'node:url'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { type HostileName, hostileRequests } from './requests.ts'

interface Order {
  readonly url: string
  readonly token: string
  readonly name: LoadName
}

/** Counts responses by their status. */
class Statuses {
  readonly counts: Record<string, number> = {}

  add(status: number | string): void {
    this.counts[status] = (this.counts[status] ?? 0) + 1
  }
}

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: string
  readonly type?: string
  readonly accept?: string
}

type Send = (sent: Sent) => Promise<IncomingMessage>

interface Load {
  /** Sends what is not measured. */
  prepare?(send: Send): Promise<void>
  run(send: Send, statuses: Statuses): Promise<void>
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: Number.POSITIVE_INFINITY })

const sender =
  ({ url, token }: Order): Send =>
  ({ method = 'GET', path, body, type = 'application/json', accept = 'application/json' }) => {
    const own = body === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = request(url + path, { agent, method, headers: { authorization: `Bearer ${token}`, accept, ...own } }, resolve)
    sent.on('error', reject)
    sent.end(body)
    return promise
  }

/** Reads a response to its end; calls `seen` with the number of bytes so far. */
async function drain(response: IncomingMessage, seen: (bytes: number) => boolean = () => false): Promise<void> {
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).byteLength
    if (seen(bytes)) return
  }
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const line = 'server { listen 8080; location / { proxy_pass "http://backend:9090"; } } # a line of a configuration\n'
/** Nearly the largest text that a ConfigMap may hold. */
const mebibyteOfText = line.repeat(Math.floor(1_000_000 / line.length))
const large = (name: string, version: number): string =>
  JSON.stringify({ metadata: { name }, data: { text: `${version} ${mebibyteOfText}` } })

/** Calls `each` with 0 to `count` - 1, from a number of lanes. */
async function inLanes(count: number, lanes: number, each: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await each(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

async function answered(send: Send, statuses: Statuses, sent: Sent): Promise<void> {
  try {
    const response = await send(sent)
    await drain(response)
    statuses.add(response.statusCode ?? 0)
  } catch (error) {
    statuses.add((error as NodeJS.ErrnoException).code ?? String(error))
  }
}

/** The number of large objects. */
const objects = 400
const lanes = 16

const fill: Load = {
  run: (send, statuses) =>
    inLanes(objects, lanes, (i) => answered(send, statuses, { method: 'POST', path: configMaps, body: large(`large-${i}`, 0) })),
}

const replace: Load = {
  prepare: (send) =>
    inLanes(lanes, lanes, (i) =>
      answered(send, new Statuses(), { method: 'POST', path: configMaps, body: large(`large-${i}`, 0) }),
    ),
  run: (send, statuses) =>
    inLanes(objects, lanes, (i) => {
      const name = `large-${i % lanes}`
      return answered(send, statuses, { method: 'PUT', path: `${configMaps}/${name}`, body: large(name, i + 1) })
    }),
}

const read: Load = {
  prepare: replace.prepare as (send: Send) => Promise<void>,
  run: (send, statuses) =>
    inLanes(objects * 2, lanes, (i) => answered(send, statuses, { path: `${configMaps}/large-${i % lanes}` })),
}

/** The number of watches that begin together, each with an initial state of a megabyte. */
const watches = 1_500
const initialBytes = mebibyteOfText.length

const watch: Load = {
  prepare: (send) => answered(send, new Statuses(), { method: 'POST', path: configMaps, body: large('large-0', 0) }),
  run: (send, statuses) =>
    inLanes(watches, watches, async () => {
      try {
        const response = await send({ path: `${configMaps}?watch=1` })
        await drain(response, (bytes) => bytes >= initialBytes)
        statuses.add(response.statusCode ?? 0)
      } catch (error) {
        statuses.add((error as NodeJS.ErrnoException).code ?? String(error))
      }
    }),
}

/** The number of times that a hostile request is sent, from how many lanes. */
const [times, hostileLanes] = [12, 4]

function hostile(name: HostileName): Load {
  const { prepare = [], request: made } = hostileRequests[name]
  return {
    async prepare(send) {
      for (const sent of prepare) {
        const response = await send(sent)
        await drain(response)
        if ((response.statusCode ?? 0) >= 300) throw new Error(`${name}: ${response.statusCode}`)
      }
    },
    run: (send, statuses) => inLanes(times, hostileLanes, (i) => answered(send, statuses, made(i))),
  }
}

const ordinary = { fill, replace, read, watch }

export type LoadName = keyof typeof ordinary | HostileName

const hostileNames = Object.keys(hostileRequests) as HostileName[]

/** The names of all loads. */
export const loadNames: readonly LoadName[] = [...(Object.keys(ordinary) as (keyof typeof ordinary)[]), ...hostileNames]

const isHostile = (name: LoadName): name is HostileName => name in hostileRequests

interface RunningLoad {
  readonly prepared: Promise<void>
  /** Runs the load to its end. @returns the number of responses with each status */
  run(): Promise<Record<string, number>>
}

/** Prepares a load. */
export function beginLoad(order: Order): RunningLoad {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: order })
  return {
    prepared: once(worker, 'message').then(() => undefined),
    async run() {
      worker.postMessage('run')
      const [counts] = await once(worker, 'message')
      await worker.terminate()
      return counts as Record<string, number>
    },
  }
}

async function work(order: Order, port: NonNullable<typeof parentPort>): Promise<void> {
  const load = isHostile(order.name) ? hostile(order.name) : ordinary[order.name]
  const send = sender(order)
  await load.prepare?.(send)
  port.postMessage('prepared')
  await once(port, 'message')
  const statuses = new Statuses()
  await load.run(send, statuses)
  port.postMessage(statuses.counts)
}

if (parentPort !== null) void work(workerData as Order, parentPort)
