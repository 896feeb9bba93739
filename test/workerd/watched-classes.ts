/** StorageClasses of a new cluster, and watches of them, for tests. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { kindOf } from '../../src/catalog/scheme.ts'
import { CollectionClient } from '../../src/clusters/collection-client.ts'
import { type Operation, operationInit, type WatchOperation, type WatchOptions } from '../../src/clusters/operation.ts'
import { collectionUrl } from '../../src/clusters/protocol.ts'
import type { AnswerFields } from '../../src/encoding/answer-fields.ts'
import { bookmarksOf } from '../../src/encoding/encodings.ts'
import { type BridgeOptions, DEFAULT_BRIDGE_OPTIONS, WatchBridge } from '../../src/http/watches/bridge.ts'

import { newControl } from './new-control.ts'

const target = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses', subresource: '', namespace: '', name: '' }
const everything: WatchOptions = {
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  allowWatchBookmarks: false,
  timeoutSeconds: 600,
}
const write = { manager: 'test', dryRun: false }

function storageClass() {
  const kind = kindOf('storage.k8s.io', 'v1', 'storageclasses')
  if (kind === undefined) throw new Error('no StorageClasses')
  return kind
}
const kind = storageClass()

/** Returns the type of each event in lines of JSON, and its object's name or version. */
export function eventsIn(lines: string): string[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; object: { metadata: { name?: string; resourceVersion: string } } })
    .map(({ type, object }) => `${type} ${object.metadata.name ?? object.metadata.resourceVersion}`)
}

/** The client of one watch. It reads only when it is asked to. */
export class WatchReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #kept = Buffer.alloc(0)
  #failed = false

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader()
    this.#reader.closed.catch(() => {
      this.#failed = true
    })
  }

  failed(): boolean {
    return this.#failed
  }

  /** Returns the next so many bytes. */
  async bytes(count: number): Promise<Uint8Array> {
    while (this.#kept.byteLength < count) await this.#more()
    const bytes = this.#kept.subarray(0, count)
    this.#kept = this.#kept.subarray(count)
    return bytes
  }

  /** Returns the next line that is not a heartbeat. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#kept.indexOf('\n')
      if (end < 0) {
        await this.#more()
        continue
      }
      const line = Buffer.from(await this.bytes(end + 1)).toString()
      if (line.trim() !== '') return line
    }
  }

  /** Whether the stream ends without further bytes. */
  async ended(): Promise<boolean> {
    return this.#kept.byteLength === 0 && (await this.#reader.read()).done
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#reader.read()
    if (done) throw new Error('the watch has ended')
    this.#kept = Buffer.concat([this.#kept, value])
  }
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Makes a cluster. */
export async function newCluster(): Promise<{ readonly cluster: string; readonly client: CollectionClient }> {
  const cluster = crypto.randomUUID()
  const client = new CollectionClient(env, cluster)
  await newControl(cluster, 'collections')
  return { cluster, client }
}

/** Makes the StorageClasses of a new cluster. */
export async function newClasses() {
  const { cluster, client } = await newCluster()
  // A stub is of no use after its object has crashed.
  const stubOf = (): DurableObjectStub => env.COLLECTION.getByName(`${cluster}/storage.k8s.io/storageclasses`)
  const perform = async (operation: Operation, body?: string): Promise<{ status: number; text: string }> => {
    const answer = await stubOf().fetch(collectionUrl, operationInit(operation, body))
    return { status: answer.status, text: await answer.text() }
  }
  const open = (
    operation: WatchOperation,
    options: Partial<BridgeOptions> = {},
    isCut: () => boolean = () => false,
  ): Promise<ReadableStream<Uint8Array>> =>
    WatchBridge.begin(
      (sent) => (isCut() ? Promise.reject(new Error('the network is cut')) : client.openSocket(kind, sent)),
      operation,
      () => bookmarksOf({ kindOf, now: Date.now }, kind, operation),
      { ...DEFAULT_BRIDGE_OPTIONS, firstPause: 5, longestPause: 20, mostFailures: 1_000, ...options },
    )
  return {
    get stub(): DurableObjectStub {
      return stubOf()
    },
    open,
    watchOf: (watch: Partial<WatchOptions>, format: AnswerFields = {}): WatchOperation => ({
      verb: 'watch',
      target,
      watch: { ...everything, ...watch },
      ...format,
    }),
    async bridge(operation: WatchOperation, options?: Partial<BridgeOptions>, isCut?: () => boolean): Promise<WatchReader> {
      return new WatchReader(await open(operation, options, isCut))
    },
    /** Returns all bytes that a watch over a stream sends up to now. */
    async replay(operation: WatchOperation): Promise<Uint8Array> {
      const watch = { ...operation.watch, timeoutSeconds: 0.05, allowWatchBookmarks: false }
      const answer = await stubOf().fetch(collectionUrl, operationInit({ ...operation, watch }))
      if (answer.body === null) throw new Error('no stream')
      return collect(answer.body)
    },
    /** Ends the object at once, with its sockets. */
    async crash(): Promise<void> {
      await runInDurableObject(stubOf(), (_, state) => state.abort()).catch(() => undefined)
    },
    async version(): Promise<number> {
      const list = {
        labelSelector: '',
        fieldSelector: '',
        resourceVersion: '',
        resourceVersionMatch: '',
        limit: 1,
        continue: '',
      } as const
      const { text } = await perform({ verb: 'list', target, list })
      return Number((JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion)
    },
    /** Creates or updates a StorageClass with the label `shown`. */
    async put(name: string, shown: string, text = ''): Promise<void> {
      const object = {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name, labels: { shown }, annotations: { text } },
        provisioner: 'example.com/none',
        reclaimPolicy: 'Delete',
        volumeBindingMode: 'Immediate',
      }
      const patched = { metadata: { labels: { shown, at: String(Math.random()) } } }
      const update: Operation = {
        verb: 'patch',
        target: { ...target, name },
        write,
        patchType: 'merge',
        fieldValidation: 'Ignore',
      }
      const { status, text: answer } = await perform(update, JSON.stringify(patched))
      if (status === 200) return
      const created = await perform({ verb: 'create', target, write }, JSON.stringify(object))
      if (created.status !== 201) throw new Error(`${answer} ${created.text}`)
    },
    async remove(name: string): Promise<void> {
      const { status, text } = await perform({ verb: 'delete', target: { ...target, name }, delete: {}, dryRun: false })
      if (status !== 200) throw new Error(text)
    },
  }
}

export type WatchedClasses = Awaited<ReturnType<typeof newClasses>>
