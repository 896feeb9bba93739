/** WebSocket watches survive hibernation of their Durable Object and lose no event. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { type Operation, operationInit, type WatchOptions } from '../../src/clusters/operation.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'

const target = { group: '', version: 'v1', resource: 'namespaces', subresource: '', namespace: '', name: '' }
const everything: WatchOptions = {
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  allowWatchBookmarks: false,
  timeoutSeconds: 600,
}

interface WatchEvent {
  readonly type: string
  readonly object: { readonly metadata: { readonly name?: string; readonly resourceVersion: string } }
}

/** A client of one socket, which waits for events. */
class Client {
  readonly #events: WatchEvent[] = []
  readonly closed: Promise<number>
  #wake: () => void = () => undefined

  constructor(socket: WebSocket) {
    this.closed = new Promise((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
    socket.addEventListener('message', ({ data }) => {
      this.#events.push(JSON.parse(String(data)) as WatchEvent)
      this.#wake()
    })
    socket.accept()
  }

  async next(): Promise<string> {
    while (this.#events.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const event = this.#events.shift()
    return `${event?.type} ${event?.object.metadata.name ?? ''}`.trim()
  }
}

/** Makes the object of a new cluster. */
function newCluster(): {
  readonly stub: DurableObjectStub
  /** Opens a socket without reading from it. */
  openUnread(watch?: Partial<WatchOptions>): Promise<WebSocket>
  open(watch?: Partial<WatchOptions>): Promise<Client>
  create(name: string, labels?: Record<string, string>, annotations?: Record<string, string>): Promise<void>
} {
  const stub = env.CONTROL.getByName(`${crypto.randomUUID()}/control`)
  const openUnread = async (watch: Partial<WatchOptions> = {}): Promise<WebSocket> => {
    const { headers } = operationInit({ verb: 'watch', target, watch: { ...everything, ...watch } })
    const { webSocket } = await stub.fetch(collectionUrl, { headers: { ...headers, upgrade: 'websocket' } })
    if (webSocket === null) throw new Error('no socket was opened')
    return webSocket
  }
  return {
    stub,
    openUnread,
    open: async (watch) => new Client(await openUnread(watch)),
    async create(name, labels, annotations) {
      const operation: Operation = { verb: 'create', target, write: { manager: 'test', dryRun: false } }
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels, annotations }, spec: {}, status: {} }
      const answer = await stub.fetch(collectionUrl, operationInit(operation, JSON.stringify(object)))
      expect(answer.status).toBe(201)
      await answer.text()
    },
  }
}

const labelled = { labelSelector: 'shown=yes', sendInitialEvents: true, allowWatchBookmarks: true }
const shown = { shown: 'yes' }

test('an idle socket survives hibernation, and the next write reaches it', async () => {
  const { stub, open, create } = newCluster()
  const client = await open(labelled)
  expect(await client.next()).toBe('BOOKMARK')
  await create('before', shown)
  expect(await client.next()).toBe('ADDED before')
  await evictDurableObject(stub)
  await create('hidden')
  await create('after', shown)
  expect(await client.next()).toBe('ADDED after')
})

test('events committed but not sent before hibernation are sent on wake-up', async () => {
  const { stub, open, create } = newCluster()
  const client = await open(labelled)
  expect(await client.next()).toBe('BOOKMARK')
  await create('one', shown)
  expect(await client.next()).toBe('ADDED one')
  // As if the object had been evicted between the commit and the sending.
  await runInDurableObject(stub, (_, state) => {
    const [socket] = state.getWebSockets()
    const attachment = socket?.deserializeAttachment() as { progress: { phase: 'live'; position: number } }
    const { position } = attachment.progress
    socket?.serializeAttachment({ ...attachment, progress: { phase: 'live', position: position - 1 } })
  })
  await evictDurableObject(stub)
  await create('two', shown)
  expect(await client.next()).toBe('ADDED one')
  expect(await client.next()).toBe('ADDED two')
})

test('the alarm closes a socket at its timeout, after a last bookmark', async () => {
  const { stub, open } = newCluster()
  const client = await open(labelled)
  expect(await client.next()).toBe('BOOKMARK')
  const alarm = (): Promise<number | null> => runInDurableObject(stub, (_, state) => state.storage.getAlarm())
  await vi.waitFor(async () => expect(await alarm()).not.toBeNull())
  await runInDurableObject(stub, (_, state) => {
    const [socket] = state.getWebSockets()
    socket?.serializeAttachment({ ...(socket.deserializeAttachment() as object), endsAt: Date.now() })
  })
  await evictDurableObject(stub)
  await runDurableObjectAlarm(stub)
  expect(await client.next()).toBe('BOOKMARK')
  expect(await client.closed).toBe(1000)
})

const large = { text: 'x'.repeat(200 * 1024) }
const names = Array.from({ length: 12 }, (_, index) => `large-${index}`)
const stateOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, state) => {
    const [socket] = state.getWebSockets()
    return { waiting: socket?.bufferedAmount ?? 0, isOpen: socket?.readyState === WebSocket.OPEN }
  })

test('unread events of a socket stay in the log and are sent when it is read', async () => {
  const { stub, openUnread, create } = newCluster()
  const socket = await openUnread({ labelSelector: 'shown=yes' })
  for (const name of names) await create(name, shown, large)
  expect((await stateOf(stub)).waiting).toBeLessThan(1536 * 1024)
  const client = new Client(socket)
  for (const name of names) expect(await client.next()).toBe(`ADDED ${name}`)
})

test('a socket that is never read is closed', async () => {
  const clock = Date.now
  let passed = 0
  vi.spyOn(Date, 'now').mockImplementation(() => clock() + passed)
  try {
    const { stub, openUnread, create } = newCluster()
    const socket = await openUnread({ labelSelector: 'shown=yes' })
    for (const name of names) await create(name, shown, large)
    expect(await stateOf(stub)).toMatchObject({ isOpen: true })
    passed = 16_000
    await vi.waitFor(async () => expect(await stateOf(stub)).toMatchObject({ isOpen: false }), { timeout: 5_000 })
    const client = new Client(socket)
    expect(await client.next()).toBe('ADDED large-0')
    expect(await client.closed).toBe(1000)
  } finally {
    vi.restoreAllMocks()
  }
})
