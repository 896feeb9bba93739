/** The background load, in a thread of its own, so that its client's CPU time is not measured as the server's latency. */
import { fileURLToPath } from 'node:url'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { largeDefinition } from '../large-definitions.ts'
import { type TimedClient, timedClientOf } from './client.ts'

/** A kind of load: runs until `isOver`, and counts its units of work. */
type Load = (client: TimedClient, isOver: () => boolean, count: () => void) => Promise<void>

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** The number of definitions that are created and deleted. */
const definitionCount = 10
/** The namespace of the listed ConfigMaps. */
export const listed = 'listed'
const configMaps = `/api/v1/namespaces/${listed}/configmaps`
const pageSize = 500

const comeAndGo: Load = async (client, isOver, count) => {
  const all = Array.from({ length: definitionCount }, (_, i) => largeDefinition(i))
  while (!isOver()) {
    for (const body of all) {
      if (isOver()) return
      // 409: the previous definition is still being deleted.
      const { status, text } = await client(definitions, { method: 'POST', body })
      if (status !== 201 && status !== 409) throw new Error(`a definition: ${status} ${text.slice(0, 500)}`)
      count()
    }
    for (const { metadata } of all) {
      await client(`${definitions}/${metadata.name}`, { method: 'DELETE', keep: false })
      count()
    }
  }
}

const reading =
  (path: string, headers: Readonly<Record<string, string>>): Load =>
  async (client, isOver, count) => {
    while (!isOver()) {
      await client(path, { headers, keep: false })
      count()
    }
  }

const paged: Load = async (client, isOver, count) => {
  for (let token = ''; !isOver(); ) {
    const { text } = await client(`${configMaps}?limit=${pageSize}&continue=${encodeURIComponent(token)}`)
    token = /"continue":"([^"]+)"/.exec(text.slice(0, 2000))?.[1] ?? ''
    count()
  }
}

const loads = {
  definitions: comeAndGo,
  'OpenAPI v2': reading('/openapi/v2', {}),
  'OpenAPI v2, compressed': reading('/openapi/v2', { 'accept-encoding': 'gzip' }),
  list: reading(configMaps, {}),
  'list in pages': paged,
} satisfies Readonly<Record<string, Load>>

export type LoadName = keyof typeof loads

interface Order {
  readonly url: string
  readonly token: string
  readonly names: readonly LoadName[]
}

/** Starts loads. The returned function stops them and returns the units of work of each. */
export function beginLoads(url: string, token: string, names: readonly LoadName[]): () => Promise<Record<string, number>> {
  const order: Order = { url, token, names }
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: order })
  const counts = new Promise<Record<string, number>>((done, failed) => {
    worker.on('message', done)
    worker.on('error', failed)
  })
  counts.catch(() => {})
  return () => {
    worker.postMessage('stop')
    return counts
  }
}

async function work({ url, token, names }: Order, port: NonNullable<typeof parentPort>): Promise<void> {
  let over = false
  const counts: Record<string, number> = {}
  port.once('message', () => {
    over = true
  })
  await Promise.all(
    names.map((name) => {
      counts[name] = 0
      const count = (): void => {
        counts[name] = (counts[name] ?? 0) + 1
      }
      return loads[name](timedClientOf(url, token), () => over, count)
    }),
  )
  port.postMessage(counts)
  port.close()
}

if (parentPort !== null) void work(workerData as Order, parentPort)
