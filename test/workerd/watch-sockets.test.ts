/** Watches over WebSockets: they outlive the memory of their Durable Object and lose nothing. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { collectionUrl, type Operation, operationInit, type WatchOptions } from '../../src/clusters/operation.ts'

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

/** A client of one socket: what it was sent, and how to wait for the next. */
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

/** The object of a cluster of its own. */
function newCluster(): {
  readonly stub: DurableObjectStub
  open(watch?: Partial<WatchOptions>): Promise<Client>
  create(name: string, labels?: Record<string, string>): Promise<void>
} {
  const stub = env.CONTROL.getByName(`${crypto.randomUUID()}/control`)
  return {
    stub,
    async open(watch = {}) {
      const { headers } = operationInit({ verb: 'watch', target, watch: { ...everything, ...watch } })
      const { webSocket } = await stub.fetch(collectionUrl, { headers: { ...headers, upgrade: 'websocket' } })
      if (webSocket === null) throw new Error('no socket was opened')
      return new Client(webSocket)
    },
    async create(name, labels) {
      const operation: Operation = { verb: 'create', target, write: { manager: 'test', dryRun: false } }
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels }, spec: {}, status: {} }
      const answer = await stub.fetch(collectionUrl, operationInit(operation, JSON.stringify(object)))
      expect(answer.status).toBe(201)
      await answer.text()
    },
  }
}

const labelled = { labelSelector: 'shown=yes', sendInitialEvents: true, allowWatchBookmarks: true }
const shown = { shown: 'yes' }

test('an idle socket outlives the memory of its object, and the next write reaches it', async () => {
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

test('what was committed and not sent when the object left memory is sent when it wakes', async () => {
  const { stub, open, create } = newCluster()
  const client = await open(labelled)
  expect(await client.next()).toBe('BOOKMARK')
  await create('one', shown)
  expect(await client.next()).toBe('ADDED one')
  // As if the object had been lost between the commit and the sending.
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

test('the alarm ends a socket whose time is over, after a last bookmark', async () => {
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
