/**
 * Measures the memory of one isolate in which many collections are busy.
 *
 * Each collection has watches in three representations; all objects are written again and again, and listed in JSON and in
 * protobuf. Prints the heap and the buffers of the isolate at their peak, garbage included, and after a garbage collection, and how
 * many watches ended.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, number, text, type Values } from '../command.ts'
import { root } from '../root.ts'
import { Inspector, type Memory, startIsolate } from './memory/isolate.ts'
import { builtIn, customTarget, definition, type Target } from './memory/targets.ts'
import { Traffic } from './memory/traffic.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'
const metadataAs = (type: string, kind: string): string => `${type};as=${kind};g=meta.k8s.io;v=v1`

const options = {
  collections: number('N', 'the collections', 40),
  objects: number('N', 'the objects of each', 10),
  bytes: number('N', 'their size', 100_000),
  rounds: number('N', 'how often each is written', 4),
  cache: number('N', 'the megabytes of cached encodings', 32),
  record: text('NAME', 'keeps the result in lab/bench/results/memory.json'),
}

type Sizes = Values<typeof options>
type Task = () => Promise<unknown>

/** Runs tasks, eight at a time. */
async function all(tasks: readonly Task[]): Promise<void> {
  const left = tasks.values()
  const worker = async (): Promise<void> => {
    for (const task of left) await task()
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

/** Makes the definitions of the collections that are not built in. */
async function define(traffic: Traffic, count: number): Promise<readonly Target[]> {
  const indexes = Array.from({ length: count }, (_, index) => index)
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  await all(indexes.map((index) => () => traffic.expected(201, traffic.send('POST', definitions, { body: definition(index) }))))
  return indexes.map(customTarget)
}

/** Opens the watches, and makes the objects. */
async function fill(traffic: Traffic, targets: readonly Target[], { objects, bytes }: Sizes): Promise<void> {
  await all(
    targets.map(({ path, isCustom }) => async () => {
      await traffic.watch(path, 'application/json')
      await traffic.watch(path, metadataAs('application/json', 'PartialObjectMetadata'))
      const form = isCustom ? metadataAs(protobuf, 'PartialObjectMetadata') : protobuf
      await traffic.watch(path, `${form};stream=watch`)
    }),
  )
  await all(
    objectTasks(targets, objects, ({ path, body }, name) => {
      const object = { ...body, metadata: { name, annotations: { content: content(bytes) } } }
      return traffic.expected(201, traffic.send('POST', path, { body: object }))
    }),
  )
}

const content = (bytes: number): string => randomBytes(bytes / 2).toString('hex')

const objectTasks = (
  targets: readonly Target[],
  objects: number,
  task: (target: Target, name: string) => Promise<unknown>,
): Task[] => Array.from({ length: objects }, (_, index) => targets.map((target) => () => task(target, `object-${index}`))).flat()

/** Writes all objects again and again, with lists in between. */
async function disturb(traffic: Traffic, targets: readonly Target[], { objects, bytes, rounds }: Sizes): Promise<void> {
  const lists = targets.flatMap(({ path, isCustom }) =>
    ['application/json', isCustom ? metadataAs(protobuf, 'PartialObjectMetadataList') : protobuf].map(
      (accept) => () => traffic.list(path, accept),
    ),
  )
  for (let round = 0; round < rounds; round++) {
    const patch = (): object => ({ metadata: { annotations: { content: content(bytes) } } })
    const patches = objectTasks(targets, objects, ({ path }, name) =>
      traffic.expected(200, traffic.send('PATCH', `${path}/${name}`, { body: patch() })),
    )
    const every = Math.floor(patches.length / lists.length)
    const between = (index: number): Task[] => (index % every === 0 ? lists.slice(index / every, index / every + 1) : [])
    await all(patches.flatMap((task, index) => [task, ...between(index)]))
  }
}

/** Samples the memory until it is stopped. Returns the function that stops it, which returns the peak. */
function sample(inspector: Inspector): () => Memory {
  let peak: Memory = { heap: 0, buffers: 0 }
  const total = ({ heap, buffers }: Memory): number => heap + buffers
  const sampling = setInterval(async () => {
    const now = await inspector.memory()
    if (total(now) > total(peak)) peak = now
  }, 100)
  return () => {
    clearInterval(sampling)
    return peak
  }
}

const rounded = (memory: Memory): Memory => ({ heap: Math.round(memory.heap), buffers: Math.round(memory.buffers) })

function keep(name: string, result: object): void {
  const file = join(root, 'lab/bench/results/memory.json')
  const recorded = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : {}
  writeFileSync(file, `${JSON.stringify({ ...recorded, [name]: result }, null, 1)}\n`)
}

export default command({
  options,
  async run(values) {
    const { server, port, inspectorPort } = await startIsolate(String(values.cache))
    const inspector = await Inspector.connect(inspectorPort)
    const traffic = new Traffic(port)
    const peakOf = sample(inspector)
    const targets = [...builtIn, ...(await define(traffic, values.collections - builtIn.length))]
    const base = await inspector.memory()
    await fill(traffic, targets, values)
    const began = performance.now()
    await disturb(traffic, targets, values)
    const seconds = (performance.now() - began) / 1000
    const peak = peakOf()
    const atEnd = await inspector.memory()
    await inspector.collectGarbage()
    const live = await inspector.memory()
    traffic.end()
    inspector.close()
    const result = {
      unit: 'MiB',
      collections: targets.length,
      watches: traffic.watches,
      endedWatches: traffic.endedWatches,
      writes: values.objects * targets.length * (1 + values.rounds),
      bytes: values.bytes,
      megabytesWatched: Math.round(traffic.watched / 1e6),
      megabytesListed: Math.round(traffic.listed / 1e6),
      refusedLists: traffic.refused,
      seconds: Math.round(seconds),
      base: rounded(base),
      peak: rounded(peak),
      atEnd: rounded(atEnd),
      afterCollection: rounded(live),
    }
    console.log(result)
    if (values.record !== undefined) keep(values.record, result)
    await server.dispose()
  },
})
