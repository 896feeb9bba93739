/** The processor's time of requests, on the built server without counters and without the proxy of `wrangler dev`. */

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { ensureBundle } from '../../scripts/build.mjs'
import { root } from '../root.ts'
import { Client, inParallel } from './client.ts'
import { adminToken } from './server.ts'
import type { StepName } from './step.ts'
import { configMap } from './steps.ts'

/** The milliseconds of one request, by step. */
export type ProcessorTimes = Readonly<Partial<Record<StepName, number>>>

const path = '/api/v1/namespaces/default/configmaps'
const connections = 8
const repetitions = 2000
/** Requests before the measurement: the engine compiles code that runs often. */
const warming = 1000

async function startServer(): Promise<Miniflare> {
  const files = await ensureBundle('worker')
  const modules = files.map((file) => ({
    type: 'ESModule' as const,
    path: basename(file),
    contents: readFileSync(file, 'utf8'),
  }))
  const settings = readFileSync(join(root, 'wrangler.toml'), 'utf8')
  return new Miniflare(
    convertV4MiniflareOptions({
      compatibilityDate: /compatibility_date = "([^"]+)"/.exec(settings)?.[1] ?? '',
      modules,
      durableObjects: {
        COLLECTION: { className: 'Collection', useSQLite: true },
        CONTROL: { className: 'Control', useSQLite: true },
      },
      bindings: { ADMIN_TOKEN: adminToken },
    }),
  )
}

/** Returns a process and its descendants; only itself if the system has no /proc. */
function familyOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
      .filter((text) => text !== '')
    return [pid, ...children.flatMap((child) => familyOf(Number(child)))]
  } catch {
    return [pid]
  }
}

/** The clock ticks of /proc/PID/stat are hundredths of a second. */
const tick = 10

/** Returns the processor's time of the workerd processes that a process has started, in milliseconds; 0 if the system has no /proc. */
function cpuMilliseconds(pid: number): number {
  let total = 0
  for (const process of familyOf(pid)) {
    try {
      const text = readFileSync(`/proc/${process}/stat`, 'utf8')
      if (!text.includes('(workerd)')) continue
      const [, , , , , , , , , , , user = '0', system = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ')
      total += (Number(user) + Number(system)) * tick
    } catch {
      // The process has ended.
    }
  }
  return total
}

/** Measures dense requests. The time includes that of the Durable Objects, which is not billed: it is an upper bound. */
export async function measureProcessor(): Promise<ProcessorTimes> {
  const server = await startServer()
  try {
    const client = new Client({ url: (await server.ready).origin })
    const object = (index: number) => ({ ...configMap(`object-${index}`, index), metadata: { name: `object-${index}` } })
    const create = (index: number) => client.create(path, object(index))
    const get = (index: number) => client.send(`${path}/object-${index}`)
    const update = (index: number) => client.send(`${path}/object-${index}`, { method: 'PUT', body: object(index) })
    const timeOf = async (act: (index: number) => Promise<unknown>): Promise<number> => {
      await inParallel(warming, connections, act)
      const before = cpuMilliseconds(process.pid)
      await inParallel(repetitions, connections, (index) => act(warming + index))
      return (cpuMilliseconds(process.pid) - before) / repetitions
    }
    return { create: await timeOf(create), get: await timeOf(get), update: await timeOf(update) }
  } finally {
    await server.dispose()
  }
}
