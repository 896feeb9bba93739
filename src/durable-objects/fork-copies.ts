/**
 * The collections that a fork has still to copy into one of its Durable Objects. A collection is copied as a whole when it is first
 * listed, watched or written to; until then single objects are read from the parent.
 */

import { CollectionClient } from '../clusters/collection-client.ts'
import type { Fork, PastObject, PastState } from '../clusters/fork-messages.ts'
import { send } from '../clusters/message.ts'
import { objectProtocol } from '../clusters/object-protocol.ts'
import { placementOfText, placeText } from '../clusters/owner-messages.ts'
import { groupResourceOf, nameInCluster, type Placement, placementNamed } from '../clusters/placement.ts'
import type { InnerStub } from '../clusters/protocol.ts'
import { isForkedToken } from '../controllers/cluster/forked-secrets.ts'
import type { ObjectUse } from '../controllers/cluster/use.ts'
import { type Holding, keepStorageVersions, storageVersionsOf } from '../controllers/crd/collection-definition.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { utf8Length } from '../go/text.ts'
import { ApiError, internalError } from '../meta/errors.ts'
import { logError } from '../meta/log.ts'
import { replaceObject } from '../storage/archive-statements.ts'
import type { Database } from '../storage/database.ts'
import { keyRange } from '../storage/key-range.ts'
import { selectLastKey } from '../storage/log-statements.ts'
import type { Stored } from '../storage/store.ts'

/** The prefix of the storage keys of copies. They belong to the place and not to the contents: backups leave them alone. */
export const copyPrefix = 'fork-copy/'

/** The most that is written at once: this number of objects, and about this number of characters. */
const batchObjects = 500
const batchCharacters = 4 * 1024 * 1024

/** Objects that were written so shortly before the fork may have work that was not finished. */
const unfinishedMilliseconds = 60_000

/** The progress of one copy. */
type Progress = { readonly state: 'open'; readonly past: PastState } | { readonly state: 'copied' }

/** The progress of a collection whose objects have come from another place. */
export const copied: Progress = { state: 'copied' }

/** Yields the lines of a response. */
async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}

/** Returns the stored form of a line. */
const storedOf = ({ key, version, labels, value }: PastObject): Stored => ({ key, resourceVersion: version, labels, value })

/** Records the places that hold dependents of copied objects: the same as in the parent, in the cluster of the object. */
export function introduceAll({ cluster, events }: Kernel, { dependentPlaces }: PastState): void {
  for (const { prefix, place } of dependentPlaces) {
    events.introduced(placeText(placementOfText(cluster, place)), prefix)
  }
}

/** Reads all objects of the parent's collections at a version. */
export async function* pastObjects(
  stub: InnerStub,
  { uid }: Pick<Fork, 'uid'>,
  { prefixes, version, after }: { prefixes: readonly string[]; version: number; after: string },
): AsyncGenerator<PastObject> {
  const { body } = await send(stub, objectProtocol.pastObjects, { uid, prefix: prefixes, version, after })
  for await (const line of linesOf(body)) yield JSON.parse(line) as PastObject
}

/** Collects objects in batches that fit into memory, whatever the size of the objects. */
export async function* batchesOf(objects: AsyncIterable<PastObject>): AsyncGenerator<readonly PastObject[]> {
  let batch: PastObject[] = []
  let characters = 0
  for await (const object of objects) {
    characters += object.value.length
    if (batch.push(object) < batchObjects && characters < batchCharacters) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** Reads the state of the parent's collections at the time of the fork, besides their objects. */
export function pastState(
  stub: InnerStub,
  { uid, time }: Pick<Fork, 'uid' | 'time'>,
  prefixes: readonly string[],
): Promise<PastState> {
  return send(stub, objectProtocol.past, { uid, prefix: prefixes, time })
}

/** Writes a copied object. */
export function writePastObject(database: Database, object: PastObject): Stored {
  const stored = storedOf(object)
  replaceObject(database.sql, stored, object.at)
  return stored
}

/** Whether an object may have work: it was written so shortly before the fork that it was not finished, or has lost its token. */
export const isUnfinished = (object: PastObject, { time }: Fork): boolean =>
  object.at > time - unfinishedMilliseconds || isForkedToken(object)

/** The copies of the collections of one Durable Object. */
export class ForkCopies {
  readonly #kernel: Kernel
  readonly #use: ObjectUse | undefined
  readonly #finished: (prefix: string) => Promise<void>
  readonly #fork: Fork
  readonly #pending: Set<string>
  readonly #running = new Map<string, Promise<void>>()
  readonly #opening = new Map<string, Promise<PastState>>()
  readonly #parent: InnerStub

  /**
   * @param copied the fork, and the collections that are still to be copied
   * @param use the usage of the cluster, which may leave no room
   * @param finished continues after the objects of a collection have been copied
   */
  constructor(
    kernel: Kernel,
    { fork, prefixes }: { readonly fork: Fork; readonly prefixes: readonly string[] },
    use: ObjectUse | undefined,
    finished: (prefix: string) => Promise<void>,
  ) {
    this.#kernel = kernel
    this.#use = use
    this.#finished = finished
    this.#fork = fork
    this.#pending = new Set(prefixes)
    this.#parent = parentStub(kernel, fork, placementNamed(nameInCluster(fork.parent, kernel.name)))
  }

  /** Whether anything is still to be copied. */
  get isPending(): boolean {
    return this.#pending.size > 0
  }

  /** Whether the objects of a collection are still to be copied. */
  has(prefix: string): boolean {
    return this.#pending.has(prefix)
  }

  /** Copies a collection, unless it was copied. Concurrent callers share one copy. @throws ApiError 500 if the parent has lost it */
  copy(prefix: string): Promise<void> {
    if (!this.#pending.has(prefix)) return Promise.resolve()
    const running =
      this.#running.get(prefix) ??
      this.#copy(prefix)
        .catch((error: unknown) => this.#failed(prefix, error))
        .finally(() => this.#running.delete(prefix))
    this.#running.set(prefix, running)
    return running
  }

  /** Copies all that is still to be copied, one collection after the other. */
  async complete(): Promise<void> {
    for (const prefix of [...this.#pending]) await this.copy(prefix)
  }

  /**
   * Reads an object of a collection that is not being copied.
   * @returns 'copied' if the object's own collection must be read
   */
  async read(prefix: string, key: string): Promise<Stored | undefined | 'copied'> {
    if (!this.#pending.has(prefix)) return 'copied'
    if (this.#running.has(prefix)) {
      await this.copy(prefix)
      return 'copied'
    }
    const { version } = await this.open(prefix)
    const question = { uid: this.#fork.uid, prefix: [prefix], version, key }
    const object = await send(this.#parent, objectProtocol.pastObject, question)
    return object && storedOf(object)
  }

  /** Determines the version of the parent's collection. Concurrent callers share one request. */
  open(prefix: string): Promise<PastState> {
    const opening = this.#opening.get(prefix) ?? this.#open(prefix).finally(() => this.#opening.delete(prefix))
    this.#opening.set(prefix, opening)
    return opening
  }

  async #open(prefix: string): Promise<PastState> {
    const { kv } = this.#kernel.ctx.storage
    const known = kv.get<Progress>(copyPrefix + prefix)
    if (known?.state === 'open') return known.past
    const past = await pastState(this.#parent, this.#fork, [prefix])
    kv.put<Progress>(copyPrefix + prefix, { state: 'open', past })
    const epochs = storageVersionsOf(past.storageVersions?.value)
    if (epochs !== undefined) keepStorageVersions(this.#kernel.ctx.storage, prefix, holdingOf(this.#kernel.name), epochs)
    return past
  }

  async #copy(prefix: string): Promise<void> {
    const { database, ctx, events } = this.#kernel
    const past = await this.open(prefix)
    // A copy that was interrupted continues after its last object.
    const after = selectLastKey(database.sql, keyRange(`${prefix}/`))
    database.makeTables()
    const rest = pastObjects(this.#parent, this.#fork, { prefixes: [prefix], version: past.version, after })
    for await (const batch of batchesOf(rest)) await this.#write(prefix, batch)
    ctx.storage.transactionSync(() => {
      introduceAll(this.#kernel, past)
      events.copied(prefix, past.version, this.#fork.time)
      ctx.storage.kv.put<Progress>(copyPrefix + prefix, copied)
    })
    this.#pending.delete(prefix)
    await this.#finished(prefix)
  }

  async #write(prefix: string, objects: readonly PastObject[]): Promise<void> {
    const { ctx, database, events } = this.#kernel
    const [group, resource] = groupResourceOf(prefix)
    const bytes = objects.reduce((sum, { value }) => sum + utf8Length(value), 0)
    const write = (): void =>
      ctx.storage.transactionSync(() => {
        for (const object of objects) events.arrived(writePastObject(database, object), isUnfinished(object, this.#fork))
      })
    if (this.#use === undefined) write()
    else await this.#use.writeRows({ group, resource }, { objects: objects.length, bytes }, write)
  }

  #failed(prefix: string, error: unknown): never {
    // The cluster has no room for the objects. A higher limit lets the copy continue.
    if (error instanceof ApiError && error.code === 403) throw error
    logError(`${prefix} could not be copied from the cluster ${this.#fork.parent}`, error)
    if (error instanceof ApiError && error.code < 500) {
      throw internalError(
        `the cluster ${this.#fork.parent} no longer has the objects of ${prefix}, which this fork needs: ${error.message}`,
      )
    }
    const message = `the objects of ${prefix} are not yet copied from the cluster ${this.#fork.parent}`
    throw new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 })
  }
}

/** A control object keeps definitions by the names of their collections, also if it holds only one of custom resources. */
export const holdingOf = (name: string): Holding => (placementNamed(name).class === 'control' ? 'several' : 'one')

/** Returns the stub of an object of the parent. */
export function parentStub({ env, name, store }: Kernel, { parent, jurisdiction }: Fork, placement: Placement): InnerStub {
  const caller = { name, clock: store }
  const cluster = { name: parent, placement: undefined, ids: new Map(), caller, jurisdiction, isLocated: true } as const
  return new CollectionClient(env, { ...cluster }).get(placement)
}

/** Returns whether a copy was begun or finished in an object. */
export function progressOf({ kv }: Pick<DurableObjectStorage, 'kv'>, prefix: string): Progress['state'] | undefined {
  return kv.get<Progress>(copyPrefix + prefix)?.state
}
