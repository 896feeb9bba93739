/**
 * The restore of one Durable Object. Lines of a backup wait in a table of their own, while the object serves its contents; when all
 * lines of the cluster are there, its control object has every object emptied and then filled. A restore is stored: it survives a
 * restart, and one that is never finished is forgotten after a while.
 */

import type { ArchiveSignatures } from '../../auth/archive-signatures.ts'
import type {
  BackupState,
  FillContents,
  RaiseVersion,
  RecoverStorage,
  StageAnswer,
  StagedContents,
} from '../../clusters/backup-messages.ts'
import { defaultCluster, placementNamed } from '../../clusters/placement.ts'
import type { AlarmPart } from '../../controllers/alarms.ts'
import { withoutTokens } from '../../controllers/cluster/forked-secrets.ts'
import type { ObjectUse } from '../../controllers/cluster/use.ts'
import { type Epoch, keepStorageVersions } from '../../controllers/crd/collection-definition.ts'
import { isDerivedKey } from '../../controllers/derived-keys.ts'
import { prefixOfKey } from '../../controllers/garbage-collector/kinds.ts'
import type { Kernel } from '../../controllers/kernel.ts'
import { tokenKeysKey } from '../../controllers/token-signer.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import { nextSlice } from '../../meta/slices.ts'
import { newUid } from '../../meta/uid.ts'
import {
  countObjects,
  createStaged,
  deleteContents,
  dropStaged,
  replaceObject,
  sizeOfStaged,
  stageObject,
  takeStaged,
} from '../../storage/archive-statements.ts'
import { selectLastResourceVersion } from '../../storage/log-statements.ts'
import type { Stored } from '../../storage/store.ts'
import { copied, copyPrefix } from '../fork-copies.ts'
import { isOfPlace } from './place-keys.ts'
import { type RestoredLine, restoredLine } from './restored-objects.ts'

/** The storage keys of the restore, of the id of the last one that has ended here, and of the hold. */
const stateKey = 'restore/state'
const endedKey = 'restore/ended'
const heldKey = 'restore'
/** The beginning of all keys of restores. */
const keyPrefix = 'restore'
/** The storage keys of waiting entries. */
const stagedKeys = 'restore/token-keys'
const stagedEpochs = 'restore/storage-versions/'

/** How long lines wait for the end of their restore, in milliseconds. */
export const longestRestore = 3_600_000

/** Parsing and checking about this many characters takes a slice. */
const sliceCharacters = 256 * 1024
/** The objects, and about the bytes, that are filled in at once. */
const batchObjects = 200
const batchBytes = 512 * 1024

/** `waiting`: lines arrive, and the contents are served. `empty`: the contents are deleted, and will be filled from the lines. */
type Restore =
  | { readonly phase: 'waiting'; readonly id: string; readonly since: number }
  | { readonly phase: 'empty'; readonly id: string; readonly floor: number }

/** The object answers nothing else, because others of its cluster are being taken back. Earlier releases store it for restores. */
interface Held {
  readonly names: readonly string[]
  readonly floor: number
}

/** The contents of a Durable Object. */
export interface ObjectContents {
  /** The collections in the object: `<resource>[.<group>]`. */
  prefixes(): readonly string[]
  /** Whether the object may hold a collection `<resource>[.<group>]`. */
  mayHold(collection: string): boolean
  /** The names of the cluster's objects that are known here, for the control object; otherwise undefined. */
  names(): readonly string[] | undefined
}

/** The parts of the Durable Object that a restore depends on. */
export interface RestoredObjectParts {
  readonly signatures: ArchiveSignatures
  readonly contents: ObjectContents
  /** The usage of the cluster; undefined in the default cluster. */
  readonly use: ObjectUse | undefined
}

/** 503 ServiceUnavailable: the contents of the cluster are being replaced. */
export const beingRestored = (): ApiError =>
  new ApiError(503, 'ServiceUnavailable', 'the cluster is being restored from a backup', { retryAfterSeconds: 5 })

/** Restores one Durable Object. */
export class Restoration implements AlarmPart {
  readonly name = 'restore'
  readonly #kernel: Kernel
  readonly #parts: RestoredObjectParts
  readonly #incarnation = newUid()
  #restore: Restore | undefined
  readonly #held: Held | undefined
  /** The last request with lines: they are taken one after another. */
  #staging: Promise<unknown> = Promise.resolve()

  constructor(kernel: Kernel, parts: RestoredObjectParts) {
    this.#kernel = kernel
    this.#parts = parts
    const { kv } = kernel.ctx.storage
    const entries = new Map(kv.list<unknown>({ prefix: keyPrefix }))
    this.#restore = entries.get(stateKey) as Restore | undefined
    this.#held = entries.get(heldKey) as Held | undefined
  }

  get #isDefault(): boolean {
    return this.#kernel.cluster === defaultCluster
  }

  /** Whether the contents are being replaced or taken back: the object answers nothing else and does no work. */
  get isRestoring(): boolean {
    return this.#restore?.phase === 'empty' || this.#held !== undefined
  }

  /** Whether a restore was the last one that has ended here. */
  hasEnded(id: string): boolean {
    return this.#kernel.ctx.storage.kv.get(endedKey) === id
  }

  async state(): Promise<BackupState> {
    const { store, database, alarms } = this.#kernel
    // The alarm that was set by the contents before a restore may have gone with them.
    if (!this.isRestoring) await alarms.arm()
    const objectNames = this.#parts.contents.names()
    return {
      resourceVersion: store.resourceVersion,
      objects: database.hasTables ? countObjects(database.sql) : 0,
      incarnation: this.#incarnation,
      ...(this.#restore?.phase === 'waiting' && { staged: sizeOfStaged(database.sql).objects }),
      ...(this.isRestoring && { restoring: { names: this.#held?.names ?? [] } }),
      ...(objectNames !== undefined && { names: objectNames }),
    }
  }

  /**
   * Lets lines wait for the end of their restore. Lines of another restore are forgotten, lines with the same key are replaced, so
   * that a request may be repeated.
   * @returns the number of objects that are left out
   * @throws ApiError 400 for lines of another object, 403 beyond a limit, 503 while contents are being replaced
   */
  stage(id: string, body: string, clusters: 'signed' | 'unsigned'): Promise<StageAnswer> {
    const staged = this.#staging.then(() => this.#stage(id, body, clusters))
    this.#staging = staged.catch(() => undefined)
    return staged
  }

  async #stage(id: string, body: string, clusters: 'signed' | 'unsigned'): Promise<StageAnswer> {
    if (!/^[0-9a-zA-Z-]{1,64}$/.test(id)) throw badRequest('a restore needs an id')
    if (this.#restore?.phase === 'empty') throw beingRestored()
    const lines: Exclude<RestoredLine, 'left out'>[] = []
    let leftOut = 0
    let characters = 0
    for (const text of body.split('\n')) {
      if (text === '') continue
      characters += text.length
      if (characters > sliceCharacters) {
        characters = 0
        await nextSlice()
      }
      const line = restoredLine(text, this.#recipient(clusters))
      if (line !== 'left out') lines.push(line)
      else if (text.startsWith('{"object":')) leftOut++
    }
    this.#write(id, lines)
    await this.#kernel.ctx.storage.sync()
    await this.#kernel.alarms.arm()
    return { leftOut }
  }

  #recipient(clusters: 'signed' | 'unsigned') {
    const { name } = this.#kernel
    const { contents, signatures } = this.#parts
    const holds = (collection: string): boolean => contents.mayHold(collection)
    const isControl = placementNamed(name).class === 'control'
    return { isDefault: this.#isDefault, isControl, holds, signatures, clusters }
  }

  #write(id: string, lines: readonly Exclude<RestoredLine, 'left out'>[]): void {
    const { ctx, database, now } = this.#kernel
    const { kv } = ctx.storage
    database.makeTables()
    const begun: Restore | undefined = this.#restore?.id === id ? undefined : { phase: 'waiting', id, since: now() }
    ctx.storage.transactionSync(() => {
      if (begun !== undefined) {
        this.#forget()
        kv.put<Restore>(stateKey, begun)
      }
      createStaged(database.sql)
      for (const line of lines) {
        if ('object' in line) this.#stageObject(line.object)
        else if ('tokenKeys' in line) kv.put(stagedKeys, line.tokenKeys)
        else kv.put(stagedEpochs + line.collection, line.storageVersions)
      }
      this.#parts.use?.admitContents(this.#staged())
    })
    if (begun !== undefined) this.#restore = begun
  }

  #stageObject(object: Stored): void {
    try {
      stageObject(this.#kernel.database.sql, object)
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('UNIQUE'))) throw error
      throw badRequest(`two objects have the resourceVersion ${object.resourceVersion}`)
    }
  }

  #staged(): StagedContents {
    const { ctx, database } = this.#kernel
    return { ...sizeOfStaged(database.sql), hasTokenKeys: ctx.storage.kv.get(stagedKeys) !== undefined }
  }

  /** Returns what waits for a restore. */
  staged(id: string): StagedContents {
    const restore = this.#restore
    if (restore?.phase === 'waiting' && restore.id === id) return this.#staged()
    return { objects: 0, bytes: 0, hasTokenKeys: false }
  }

  /** Forgets the waiting lines. Call it in a transaction. */
  #forget(): void {
    const { ctx, database } = this.#kernel
    const { kv } = ctx.storage
    dropStaged(database.sql)
    for (const [key] of [...kv.list({ prefix: `${keyPrefix}/` })]) if (key !== endedKey) kv.delete(key)
  }

  /**
   * Deletes the contents and restarts the object, so that nothing of them stays in memory: the request fails. Repeating it for the
   * same restore deletes nothing.
   * @param alongside runs in the transaction
   */
  async empty(id: string, alongside: () => void = () => undefined): Promise<void> {
    const { ctx, database, store, events } = this.#kernel
    const { kv } = ctx.storage
    // An object that was never written to has nothing to delete and nothing to fill.
    const isDone = this.hasEnded(id) || (this.#restore?.phase === 'empty' && this.#restore.id === id)
    if (isDone || !database.hasTables) return
    store.closeWatches('')
    const floor = Math.max(store.resourceVersion, this.#held?.floor ?? 0)
    ctx.storage.transactionSync(() => {
      if (this.#restore?.id !== id) this.#forget()
      deleteContents(database.sql)
      for (const [key] of [...kv.list()]) if (!isOfPlace(key) && !key.startsWith(keyPrefix)) kv.delete(key)
      for (const [key] of [...kv.list({ prefix: copyPrefix })]) kv.put(key, copied)
      events.emptied()
      alongside()
      createStaged(database.sql)
      kv.put<Restore>(stateKey, { phase: 'empty', id, floor })
    })
    await this.#restart('a restore has begun')
  }

  /** Takes the waiting lines as contents, and restarts the object: the request fails. Repeating it changes nothing. */
  async fill({ id, atLeast, keepsTokens }: FillContents): Promise<void> {
    const { ctx, database } = this.#kernel
    const restore = this.#restore
    if (this.hasEnded(id) || !database.hasTables) return
    if (restore?.phase !== 'empty' || restore.id !== id) {
      throw new ApiError(409, 'Conflict', `the restore ${id} of ${this.#kernel.name} has not begun, or another one has`)
    }
    while (this.#fillBatch(keepsTokens)) await nextSlice()
    const last = selectLastResourceVersion(database.sql) ?? 0
    ctx.storage.transactionSync(() => this.#end(id, Math.max(restore.floor, atLeast, last) + 1))
    await this.#restart('a restore has ended')
  }

  /** Takes some of the waiting objects. @returns whether there may be more */
  #fillBatch(keepsTokens: boolean): boolean {
    const { ctx, database, now, events } = this.#kernel
    return ctx.storage.transactionSync(() => {
      const objects = takeStaged(database.sql, batchObjects, batchBytes)
      for (const staged of objects) {
        const object = keepsTokens ? staged : withoutTokens(staged)
        replaceObject(database.sql, object, now())
        events.arrived(object, true)
      }
      // The objects may be of an earlier definition of their collection, as those of a fork.
      for (const prefix of new Set(objects.map(({ key }) => prefixOfKey(key)))) ctx.storage.kv.put(copyPrefix + prefix, copied)
      return objects.length > 0
    })
  }

  #end(id: string, resourceVersion: number): void {
    const { ctx, database, name, events } = this.#kernel
    const { kv } = ctx.storage
    for (const [key, epochs] of [...kv.list<readonly Epoch[]>({ prefix: stagedEpochs })]) {
      const collection = key.slice(stagedEpochs.length)
      keepStorageVersions(ctx.storage, collection, collection === '' ? 'one' : 'several', epochs)
    }
    const keys = kv.get(stagedKeys)
    if (keys !== undefined && placementNamed(name).class === 'control') kv.put(tokenKeysKey, keys)
    database.endHistory(resourceVersion)
    this.#forget()
    kv.delete(heldKey)
    kv.put(endedKey, id)
    events.restored()
  }

  /** Returns when waiting lines are forgotten, in milliseconds since the epoch; undefined without any. */
  nextAlarm(): number | undefined {
    return this.#restore?.phase === 'waiting' ? this.#restore.since + longestRestore : undefined
  }

  work(now: number): void {
    const due = this.nextAlarm()
    if (due === undefined || due > now) return
    this.#kernel.ctx.storage.transactionSync(() => this.#forget())
    this.#restore = undefined
  }

  /** Refuses all requests but those of this file, because other objects are taken back. Restarts the object. */
  async hold(names: readonly string[]): Promise<void> {
    this.#requireDefault()
    const { ctx, store } = this.#kernel
    store.closeWatches('')
    ctx.storage.kv.put<Held>(heldKey, { names, floor: store.resourceVersion })
    await this.#restart('the cluster is held')
  }

  /** Takes the storage back to a time and restarts the object. @throws ApiError 501 if the runtime cannot do it */
  async recover({ at }: RecoverStorage): Promise<void> {
    this.#requireDefault()
    const { storage } = this.#kernel.ctx
    try {
      await storage.onNextSessionRestoreBookmark(await storage.getBookmarkForTime(at))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (/does not implement/.test(why)) throw new ApiError(501, 'NotImplemented', why)
      throw badRequest(`the storage of ${this.#kernel.name} cannot be taken back: ${why}`)
    }
    this.#kernel.store.closeWatches('')
    await this.#restart('the storage is taken back')
  }

  /** Raises the resourceVersion, deletes what is derived from objects, and restarts the object. */
  async raise({ atLeast }: RaiseVersion): Promise<void> {
    this.#requireDefault()
    const { ctx, database, store } = this.#kernel
    const { kv } = ctx.storage
    store.closeWatches('')
    database.makeTables()
    ctx.storage.transactionSync(() => {
      database.endHistory(Math.max(store.resourceVersion, atLeast) + 1)
      for (const [key] of [...kv.list()]) if (key === heldKey || isDerivedKey(key)) kv.delete(key)
    })
    await this.#restart('the resourceVersion was raised')
  }

  #restart(reason: string): Promise<void> {
    return this.#kernel.restart(reason)
  }

  /** The storage of a named cluster at an earlier time may be that of another cluster with its name. */
  #requireDefault(): void {
    if (this.#isDefault) return
    throw new ApiError(
      403,
      'Forbidden',
      'only the deployment itself is taken back to a time: fork the named cluster at that time',
    )
  }
}
