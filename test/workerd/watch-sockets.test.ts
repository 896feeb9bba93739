/** Watches over hibernatable sockets: they cost nothing while nothing happens, and lose no event whatever happens to the object. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { kindOf } from '../../src/catalog/scheme.ts'
import { controlProtocol } from '../../src/clusters/control-protocol.ts'
import { send } from '../../src/clusters/message.ts'
import type { WatchOperation } from '../../src/clusters/operation.ts'
import type { CustomResourceDefinition } from '../../src/crd/definition.ts'
import { kindsOf } from '../../src/crd/kind.ts'
import { cborEvents } from '../../src/encoding/cbor.ts'
import { bookmarksOf } from '../../src/encoding/encodings.ts'
import type { BookmarkWriter } from '../../src/encoding/event-writer.ts'
import { DEFAULT_BRIDGE_OPTIONS, type OpenWatch, WatchBridge } from '../../src/http/watches/bridge.ts'
import { BridgeBacklog } from '../../src/http/watches/bridge-backlog.ts'
import { kernelOf } from './kernel-of.ts'
import { eventsIn, newClasses, newCluster, type WatchedClasses, WatchReader } from './watched-classes.ts'

const table = { as: 'Table', version: 'v1', includeObject: 'Metadata' } as const
const metadata = { as: 'PartialObjectMetadata', version: 'v1' } as const
const protobuf = 'application/vnd.kubernetes.protobuf'

const forms = {
  json: {},
  protobuf: { mediaType: protobuf },
  Table: { representation: table },
  'Table in protobuf': { representation: table, mediaType: protobuf },
  PartialObjectMetadata: { representation: metadata },
  'PartialObjectMetadata in protobuf': { representation: metadata, mediaType: protobuf },
} as const

const selections = [{}, { labelSelector: 'shown=yes' }, { fieldSelector: 'metadata.name=c-1' }] as const

/** The age of a row in a Table depends on the time. */
const withoutAges = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replaceAll(/\d+s\b/g, 'AGE')

/** Opens a watch of each selection in each form, and returns a function that compares their bytes with those of streams. */
async function openAll(classes: WatchedClasses): Promise<() => Promise<void>> {
  const from = await classes.version()
  const watches = await Promise.all(
    Object.entries(forms).flatMap(([name, form]) =>
      selections.map(async (selection) => {
        const operation = classes.watchOf({ ...selection, resourceVersion: String(from) }, form)
        return { name: `${name} ${JSON.stringify(selection)}`, operation, reader: await classes.bridge(operation) }
      }),
    ),
  )
  return async () => {
    for (const { name, operation, reader } of watches) {
      const expected = await classes.replay(operation)
      expect(withoutAges(await reader.bytes(expected.byteLength)), name).toBe(withoutAges(expected))
      await reader.cancel()
    }
  }
}

const someWrites = async (classes: WatchedClasses, round: number): Promise<void> => {
  await Promise.all([classes.put(`c-${round % 3}`, round % 2 === 0 ? 'yes' : 'no'), classes.put('other', `v${round}`)])
  if (round % 5 === 4) await classes.remove(`c-${round % 3}`)
}

test('watches of every representation get each event once and in order, while the object is evicted again and again', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const compare = await openAll(classes)
  for (let round = 0; round < 12; round++) {
    await someWrites(classes, round)
    await evictDurableObject(classes.stub)
  }
  await compare()
})

test('watches of every representation continue without a gap when their sockets are lost [W17]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const compare = await openAll(classes)
  for (let round = 0; round < 8; round++) {
    await someWrites(classes, round)
    await evictDurableObject(classes.stub, { webSockets: 'close' })
    await someWrites(classes, round + 1)
  }
  await compare()
})

test('an idle watch sets no alarm, writes nothing, and survives hibernation [W16]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const reader = await classes.bridge(
    classes.watchOf({ resourceVersion: String(await classes.version()), allowWatchBookmarks: true }),
  )
  await runInDurableObject(classes.stub, async (_, { storage }) => storage.deleteAlarm())
  const rows = (): Promise<number> =>
    runInDurableObject(classes.stub, (_, { storage }) => storage.sql.exec('SELECT total_changes() AS n').one().n as number)
  const before = await rows()
  await evictDurableObject(classes.stub)
  expect(await rows()).toBeLessThanOrEqual(before)
  expect(await runInDurableObject(classes.stub, (_, { storage }) => storage.getAlarm())).toBeNull()
  await classes.put('c-1', 'yes')
  expect(eventsIn(await reader.line())).toEqual(['ADDED c-1'])
  await reader.cancel()
})

test('a Worker learns the version after writes that its watch does not select: by one alarm, also after hibernation [W20]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const options = { labelSelector: 'shown=never', resourceVersion: String(await classes.version()), allowWatchBookmarks: true }
  const reader = await classes.bridge(classes.watchOf(options), { heartbeatMilliseconds: 20, bookmarkMilliseconds: 20 })
  await classes.put('c-1', 'yes')
  await evictDurableObject(classes.stub)
  await runDurableObjectAlarm(classes.stub)
  const version = await classes.version()
  await vi.waitFor(async () => expect(eventsIn(await reader.line())).toEqual([`BOOKMARK ${version}`]))
  await evictDurableObject(classes.stub)
  const due = await runInDurableObject(classes.stub, (instance) => {
    const { alarms } = kernelOf(instance)
    return alarms.parts.find(({ name }) => name === 'watch-sockets')?.nextAlarm(Date.now())
  })
  expect(due).toBeUndefined()
  await reader.cancel()
})

test('the initial state continues after its last object if the socket is lost within it [W17]', async () => {
  const classes = await newClasses()
  const names = Array.from({ length: 40 }, (_, index) => `c-${100 + index}`)
  await Promise.all(names.map((name) => classes.put(name, 'yes', 'x'.repeat(60 * 1024))))
  const reader = await classes.bridge(classes.watchOf({ sendInitialEvents: true, allowWatchBookmarks: true }))
  const seen: string[] = []
  for (let index = 0; index < names.length; index++) {
    if (index % 10 === 5) await classes.crash()
    seen.push(...eventsIn(await reader.line()))
  }
  expect(seen).toEqual(names.map((name) => `ADDED ${name}`))
  expect(await reader.line()).toContain('"k8s.io/initial-events-end":"true"')
  await classes.put('last', 'yes')
  expect(eventsIn(await reader.line())).toEqual(['ADDED last'])
  await reader.cancel()
})

test('columns of a Table come once, also if a bookmark or another socket comes in between', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const options = { resourceVersion: String(await classes.version()), allowWatchBookmarks: true }
  const reader = await classes.bridge(classes.watchOf(options, { representation: table }), {
    heartbeatMilliseconds: 20,
    bookmarkMilliseconds: 20,
  })
  const columns = async (): Promise<number> => {
    const { object } = JSON.parse(await reader.line()) as { object: { columnDefinitions?: unknown[] | null } }
    return object.columnDefinitions?.length ?? 0
  }
  expect(await columns()).toBeGreaterThan(0)
  await evictDurableObject(classes.stub)
  await classes.put('c-1', 'yes')
  expect(await columns()).toBe(0)
  await evictDurableObject(classes.stub, { webSockets: 'close' })
  await classes.put('c-2', 'yes')
  expect(await columns()).toBe(0)
  await reader.cancel()
})

test('410 Expired as an ERROR event, if history no longer reaches the place of a lost socket [W18]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const operation = classes.watchOf({ resourceVersion: String(await classes.version()) })
  let isCut = false
  const reader = await classes.bridge(operation, {}, () => isCut)
  isCut = true
  await evictDurableObject(classes.stub, { webSockets: 'close' })
  await runInDurableObject(classes.stub, async (instance) => {
    const { store } = kernelOf(instance)
    const touch = (): Promise<unknown> =>
      store.write((transaction) => {
        const resourceVersion = transaction.nextResourceVersion()
        transaction.put({ key: 'storageclasses.storage.k8s.io/n', resourceVersion, labels: '', value: '{}' })
      })
    await Promise.all(Array.from({ length: 1_100 }, touch))
    while (store.compact(Date.now() + 3_600_000));
  })
  isCut = false
  const { type, object } = JSON.parse(await reader.line()) as { type: string; object: { code: number; reason: string } }
  expect([type, object.code, object.reason]).toEqual(['ERROR', 410, 'Expired'])
  expect(await reader.ended()).toBe(true)
})

test('a watch ends at its timeout, after a last bookmark [W14]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const version = await classes.version()
  const reader = await classes.bridge(
    classes.watchOf({ resourceVersion: String(version), allowWatchBookmarks: true, timeoutSeconds: 2.1 }),
  )
  expect(eventsIn(await reader.line())).toEqual([`BOOKMARK ${version}`])
  expect(await reader.ended()).toBe(true)
})

test('a watch ends if no socket can be opened for long [W19]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  let isCut = false
  const operation = classes.watchOf({ resourceVersion: String(await classes.version()) })
  const reader = await classes.bridge(operation, { mostFailures: 3 }, () => isCut)
  isCut = true
  await evictDurableObject(classes.stub, { webSockets: 'close' })
  expect(await reader.ended()).toBe(true)
})

test('a client that has gone leaves no socket in the object', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const reader = await classes.bridge(classes.watchOf({}))
  const sockets = (): Promise<number> => runInDurableObject(classes.stub, (_, state) => state.getWebSockets().length)
  expect(await sockets()).toBe(1)
  await reader.cancel()
  await vi.waitFor(async () => expect(await sockets()).toBe(0))
})

const large = 'x'.repeat(100 * 1024)
const many = Array.from({ length: 30 }, (_, index) => `large-${index}`)

test('unread events of a slow client stay in the log, and are sent when it reads [W21]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const reader = await classes.bridge(classes.watchOf({ resourceVersion: String(await classes.version()) }), {
    backlogBytes: 300 * 1024,
  })
  for (const name of many) await classes.put(name, 'yes', large)
  const seen: string[] = []
  while (seen.length < many.length) seen.push(...eventsIn(await reader.line()))
  expect(seen).toEqual(many.map((name) => `ADDED ${name}`))
  await reader.cancel()
})

test('slow clients share the memory of the isolate: beyond its bound, their events stay in the log [W22]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const isolateBacklog = new BridgeBacklog(400 * 1024)
  const operation = classes.watchOf({ resourceVersion: String(await classes.version()) })
  const readers = await Promise.all(Array.from({ length: 10 }, () => classes.bridge(operation, { isolateBacklog })))
  for (const name of many) await classes.put(name, 'yes', large)
  const chunk = 200 * 1024
  await vi.waitFor(() => expect(isolateBacklog.isFull).toBe(true))
  expect(isolateBacklog.bytes).toBeLessThan(400 * 1024 + readers.length * chunk)
  for (const reader of readers) {
    const seen: string[] = []
    while (seen.length < many.length) seen.push(...eventsIn(await reader.line()))
    expect(seen).toEqual(many.map((name) => `ADDED ${name}`))
    await reader.cancel()
  }
  expect(isolateBacklog.bytes).toBe(0)
})

test('a client that does not read loses its watch [W10]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const reader = await classes.bridge(classes.watchOf({ resourceVersion: String(await classes.version()) }), {
    backlogBytes: 300 * 1024,
    stallMilliseconds: 50,
  })
  for (const name of many) await classes.put(name, 'yes', large)
  await vi.waitFor(() => expect(reader.failed()).toBe(true))
})

test('selectors that do not fit into an attachment are served by a stream [W23]', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const labelSelector = `shown in (yes,${Array.from({ length: 2_000 }, (_, index) => `value-${index}`).join(',')})`
  const reader = await classes.bridge(classes.watchOf({ labelSelector, resourceVersion: '0' }))
  expect(eventsIn(await reader.line())).toEqual(['ADDED c-0'])
  expect(await runInDurableObject(classes.stub, (_, state) => state.getWebSockets().length)).toBe(0)
  await reader.cancel()
})

test('a CBOR sequence is converted from bridged events', async () => {
  const classes = await newClasses()
  await classes.put('c-0', 'yes')
  const stream = await classes.open(classes.watchOf({ resourceVersion: String(await classes.version()) }))
  const reader = cborEvents(stream).getReader()
  await evictDurableObject(classes.stub)
  await classes.put('c-1', 'yes')
  const { value } = await reader.read()
  expect(Buffer.from(value ?? []).toString('latin1')).toContain('ADDED')
  await reader.cancel()
})

test('a watch of custom resources survives hibernation', async () => {
  const { client } = await newCluster()
  const definitions = kindOf('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
  if (definitions === undefined) throw new Error('no definitions')
  const write = { manager: 'test', dryRun: false }
  const at = { subresource: '', namespace: '', name: '' }
  const created = await client.perform(
    definitions,
    {
      verb: 'create',
      target: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions', ...at },
      write,
    },
    JSON.stringify({
      metadata: { name: 'lamps.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        conversion: { strategy: 'None' },
      },
      status: { storedVersions: ['v1'] },
    }),
  )
  await created.body?.cancel()
  const found = await send(client.control(), controlProtocol.definition, { name: 'lamps.example.com' })
  const kind = kindsOf(JSON.parse(found?.text ?? '') as CustomResourceDefinition, found?.tag ?? '').get('v1')
  if (kind === undefined) throw new Error('no lamps')
  const target = { group: 'example.com', version: 'v1', resource: 'lamps', ...at }
  const create = async (name: string): Promise<void> => {
    const lamp = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name } })
    await (await client.perform(kind, { verb: 'create', target, write }, lamp)).body?.cancel()
  }
  await create('first')
  const watch = { labelSelector: '', fieldSelector: '', resourceVersion: '0', allowWatchBookmarks: true, timeoutSeconds: 600 }
  const operation: WatchOperation = { verb: 'watch', target, watch }
  const bookmarks = (): BookmarkWriter => bookmarksOf({ kindOf, now: Date.now }, kind, operation)
  const times = { ...DEFAULT_BRIDGE_OPTIONS, heartbeatMilliseconds: 20, bookmarkMilliseconds: 20 }
  let opened = 0
  const open: OpenWatch = (sent) => {
    opened++
    return client.openSocket(kind, sent)
  }
  const reader = new WatchReader(await WatchBridge.begin(open, operation, bookmarks, times))
  expect(eventsIn(await reader.line())).toEqual(['ADDED first'])
  expect(await reader.line()).toMatch(/^{"type":"BOOKMARK","object":{"apiVersion":"example.com\/v1","kind":"Lamp","metadata":{/)
  await evictDurableObject(env.COLLECTION.getByName((await client.placementOf(kind.storage)).name))
  await create('second')
  await vi.waitFor(async () => expect(eventsIn(await reader.line())).toEqual(['ADDED second']))
  expect(opened).toBe(1)
  await reader.cancel()
})
