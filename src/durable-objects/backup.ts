/** The backup of one Durable Object: its contents as a stream of lines, and their replacement by those of a backup. */
import { createHash } from 'node:crypto'
import type { BackupState, BeginRestore, FinishRestore, RaiseVersion, RecoverStorage } from '../clusters/backup-messages.ts'
import { isRecordKey } from '../controllers/cluster/record.ts'
import { isDerivedKey } from '../controllers/derived-keys.ts'
import { ApiError, badRequest } from '../meta/errors.ts'
import { newUid } from '../meta/uid.ts'
import { objectLines, stateLines, writeLines } from '../storage/archive.ts'
import { countObjects, deleteContents } from '../storage/archive-statements.ts'
import type { Database } from '../storage/database.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import { forkKey } from './cluster-fork.ts'
import { copyPrefix } from './fork-copies.ts'
import { isHoldKey } from './fork-holds.ts'
import { historyKey } from './object-history.ts'

/** The storage key of the restore that has begun and not ended. */
const restoreKey = 'restore'

/** Whether an entry belongs to the place and not to the contents: backups and restores leave it alone. */
const isOfPlace = (key: string): boolean =>
  isRecordKey(key) || key === forkKey || isHoldKey(key) || key === historyKey || key.startsWith(copyPrefix)

const isArchivedKey = (key: string): boolean => key !== restoreKey && !isOfPlace(key) && !isDerivedKey(key)

interface Restore {
  readonly id: string
  readonly names: readonly string[]
  /** The greatest resourceVersion that a client can have seen. */
  readonly floor: number
}

/** The parts of the Durable Object that a backup needs. */
export interface BackupHost {
  readonly name: string
  readonly ctx: DurableObjectState
  readonly database: Database
  readonly store: () => SqliteStore
  /** The prefixes of the object's collections. */
  readonly prefixes: () => readonly string[]
  /** The names of the cluster's objects that are known here, for the control object; otherwise undefined. */
  readonly names: () => readonly string[] | undefined
  readonly endWatches: () => void
  readonly armAlarm: () => Promise<void>
  /** Ends this instance. The runtime fails its requests, this one included, and makes a new one for the next request. */
  readonly restart: (reason: string) => Promise<Response>
}

/** Streams chunks as they are read, until the last one. Calls `ended` once, also when a chunk cannot be made. */
function streamOf(next: () => readonly [Uint8Array, 'more' | 'last'], ended: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        try {
          const [bytes, position] = next()
          controller.enqueue(bytes)
          if (position === 'more') return
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        ended()
      },
      cancel: ended,
    },
    { highWaterMark: 0 },
  )
}

/** 503 ServiceUnavailable: the contents of the cluster are being replaced. */
export const beingRestored = (): ApiError =>
  new ApiError(503, 'ServiceUnavailable', 'the cluster is being restored from a backup', { retryAfterSeconds: 5 })

/** Backs up and restores one Durable Object. A restore is stored: it survives a restart of the object. */
export class Backup {
  readonly #host: BackupHost
  readonly #incarnation = newUid()
  #restore: Restore | undefined
  #readers = 0

  constructor(host: BackupHost) {
    this.#host = host
    this.#restore = host.ctx.storage.kv.get<Restore>(restoreKey)
  }

  /** Whether a restore has begun and not ended: the object answers nothing else and does no work. */
  get isRestoring(): boolean {
    return this.#restore !== undefined
  }

  /** Whether a backup is being read. Its history must not be compacted meanwhile. */
  get isBeingRead(): boolean {
    return this.#readers > 0
  }

  async state(): Promise<BackupState> {
    const { store, database, names } = this.#host
    // The alarm that was set by the contents before a restore may have gone with them.
    if (!this.isRestoring) await this.#host.armAlarm()
    const known = names()
    return {
      resourceVersion: store().resourceVersion,
      objects: database.hasTables ? countObjects(database.sql) : 0,
      incarnation: this.#incarnation,
      ...(this.#restore !== undefined && { restoring: { id: this.#restore.id, names: this.#restore.names } }),
      ...(known !== undefined && { names: known }),
    }
  }

  /** Returns a stream of the contents at one resourceVersion; 204 if nothing was ever written. */
  async read(): Promise<Response> {
    const { ctx, database, name, store, prefixes } = this.#host
    if (this.isRestoring) throw beingRestored()
    if (!database.hasTables) return new Response(null, { status: 204 })
    const { resourceVersion } = store()
    const first = `${JSON.stringify({ section: name, resourceVersion })}\n`
    const state = stateLines(ctx.storage, database, isArchivedKey)
    const objects = objectLines(store(), prefixes(), resourceVersion)
    this.#readers++
    try {
      // A write that is not yet durable could be lost after it was read.
      await ctx.storage.sync()
      return new Response(this.#stream([first, ...state], objects))
    } catch (error) {
      this.#readers--
      throw error
    }
  }

  /** Streams lines, and an end line with their number and their hash. */
  #stream(state: readonly string[], objects: Iterator<string[]>): ReadableStream<Uint8Array> {
    const hash = createHash('sha256')
    const encoder = new TextEncoder()
    let pending: readonly string[] | undefined = state
    let count = 0
    /** Returns the next bytes, and whether they are the last ones. */
    const next = (): readonly [Uint8Array, 'more' | 'last'] => {
      const page = pending === undefined ? objects.next() : { done: false, value: pending }
      pending = undefined
      if (page.done === true) {
        const end = { end: this.#host.name, objects: count, sha256: hash.digest('hex') }
        return [encoder.encode(`${JSON.stringify(end)}\n`), 'last']
      }
      const lines: readonly string[] = page.value
      if (lines !== state) count += lines.length
      const bytes = encoder.encode(lines.join(''))
      hash.update(bytes)
      return [bytes, 'more']
    }
    return streamOf(next, () => void this.#readers--)
  }

  /**
   * Begins a restore and restarts the object, so that nothing of its former contents stays in memory: the request fails.
   * Repeating the same restore deletes nothing.
   */
  async begin({ id, names, contents }: BeginRestore): Promise<Response> {
    const { ctx, database, store, endWatches } = this.#host
    if (this.#restore?.id === id) return new Response(null, { status: 204 })
    const restore: Restore = { id, names, floor: Math.max(store().resourceVersion, this.#restore?.floor ?? 0) }
    endWatches()
    database.makeTables()
    ctx.storage.transactionSync(() => {
      if (contents === 'delete') {
        deleteContents(database.sql)
        for (const [key] of [...ctx.storage.kv.list()]) if (!isOfPlace(key)) ctx.storage.kv.delete(key)
      }
      ctx.storage.kv.put(restoreKey, restore)
    })
    return this.#host.restart('a restore has begun')
  }

  /** Writes lines of a backup. @throws ApiError 400 for other lines, 409 if this restore has not begun */
  async write(id: string, body: string): Promise<Response> {
    this.#require(id)
    writeLines(
      this.#host.ctx.storage,
      this.#host.database,
      body.split('\n').filter((line) => line !== ''),
      Date.now(),
    )
    await this.#host.ctx.storage.sync()
    return new Response(null, { status: 204 })
  }

  /** Ends a restore: raises the resourceVersion and restarts the object. @throws ApiError 409 if objects are missing */
  async finish({ id, objects, atLeast }: FinishRestore): Promise<Response> {
    const { floor } = this.#require(id)
    const { ctx, database } = this.#host
    const found = countObjects(database.sql)
    if (found !== objects) throw new ApiError(409, 'Conflict', `${this.#host.name} has ${found} objects instead of ${objects}`)
    ctx.storage.transactionSync(() => {
      database.endHistory(Math.max(floor, atLeast) + 1)
      ctx.storage.kv.delete(restoreKey)
    })
    return this.#host.restart('a restore has ended')
  }

  /** Takes the storage back to a time and restarts the object. @throws ApiError 501 if the runtime cannot do it */
  async recover({ at }: RecoverStorage): Promise<Response> {
    const { storage } = this.#host.ctx
    try {
      await storage.onNextSessionRestoreBookmark(await storage.getBookmarkForTime(at))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (/does not implement/.test(why)) throw new ApiError(501, 'NotImplemented', why)
      throw badRequest(`the storage of ${this.#host.name} cannot be taken back: ${why}`)
    }
    this.#host.endWatches()
    return this.#host.restart('the storage is taken back')
  }

  /** Raises the resourceVersion, deletes what is derived from objects, and restarts the object. */
  async raise({ atLeast }: RaiseVersion): Promise<Response> {
    const { ctx, database, store, endWatches } = this.#host
    endWatches()
    database.makeTables()
    ctx.storage.transactionSync(() => {
      database.endHistory(Math.max(store().resourceVersion, atLeast) + 1)
      for (const [key] of [...ctx.storage.kv.list()]) if (key === restoreKey || isDerivedKey(key)) ctx.storage.kv.delete(key)
    })
    return this.#host.restart('the resourceVersion was raised')
  }

  #require(id: string): Restore {
    if (this.#restore?.id === id) return this.#restore
    throw new ApiError(409, 'Conflict', `the restore ${id} of ${this.#host.name} has not begun, or another one has`)
  }
}
