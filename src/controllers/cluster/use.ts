/**
 * The usage of a named cluster in one of its Durable Objects: counts objects, enforces the limits of the cluster, and reports the
 * usage after changes. Nothing is counted by reading all objects unless the object was evicted before its last report.
 */

import type { ClusterLimits, ClusterUse, UseAnswer } from '../../clusters/cluster-terms.ts'
import { ApiError, forbidden, type GroupResource, tooManyRequestsMessage } from '../../meta/errors.ts'
import type { AllowedWrite, ClusterAllowance } from '../../registry/cluster-allowance.ts'
import { countObjects } from '../../storage/archive-statements.ts'
import type { StoreEvent } from '../../storage/store.ts'
import type { AlarmPart } from '../alarms.ts'
import type { Kernel } from '../kernel.ts'

/** The storage key of the last report. */
export const useKey = 'cluster-use'

/** The milliseconds after a change until the usage is reported. */
const reportDelay = 5_000
/** Bytes have changed if they differ by more than this part: each report is a write. */
const notableBytes = 0.1

/** The last report, and the answer to it. */
interface Reported {
  readonly use: ClusterUse
  /** The version of the store when the objects were counted. */
  readonly resourceVersion: number
  readonly answer: UseAnswer
}

/** The way of reports about the usage of a cluster. */
export interface UseReports {
  /** Reports the usage: a collection to its control object, a control object to the holder of the Cluster objects. */
  readonly report: (use: ClusterUse) => Promise<UseAnswer>
  /** Returns limits and the usage of other objects, if this object knows them itself. */
  readonly current?: () => UseAnswer
  /** Whether anybody wants reports. */
  readonly isReported: () => boolean
}

const nothingKnown: UseAnswer = { limits: {}, others: { objects: 0, bytes: 0 } }

/** The usage of one Durable Object of a named cluster. */
export class ObjectUse implements AlarmPart, ClusterAllowance {
  readonly name = 'cluster-use'
  readonly #kernel: Kernel
  readonly #reports: UseReports
  #reported: Reported | undefined
  /** The number of objects; undefined until it is needed. */
  #objects: number | undefined
  /** The changes of the group of writes that is being committed: its events, and objects more or fewer. */
  #pending = { events: 0, objects: 0 }
  #dueAt: number | undefined

  constructor(kernel: Kernel, reports: UseReports) {
    this.#kernel = kernel
    this.#reports = reports
    this.#reported = kernel.ctx.storage.kv.get<Reported>(useKey)
    if (this.#reported !== undefined && this.#reported.resourceVersion < kernel.store.resourceVersion) this.#dueAt = kernel.now()
  }

  /** Counts a change within its commit. */
  changed({ type }: StoreEvent): void {
    this.#pending.events++
    if (type === 'ADDED') this.#pending.objects++
    if (type === 'DELETED') this.#pending.objects--
    this.#dueAt ??= this.#kernel.now() + (this.#reported === undefined ? 0 : reportDelay)
  }

  /** Takes the changes of a group that is committed; without keys, anything may have changed. */
  applied(keys: readonly string[]): void {
    // After a group that was rolled back, or lost, the numbers differ: the objects are counted again.
    const isWhole = keys.length === this.#pending.events
    if (this.#objects !== undefined) this.#objects = isWhole ? this.#objects + this.#pending.objects : undefined
    this.#pending = { events: 0, objects: 0 }
  }

  /** Returns the usage of this object. */
  current(): ClusterUse {
    const { ctx, database, store } = this.#kernel
    if (this.#objects === undefined) {
      const { resourceVersion } = store
      const isKnown = this.#reported !== undefined && this.#reported.resourceVersion === resourceVersion
      // Rows of a commit in progress are counted when it is applied.
      const counted = database.hasTables ? countObjects(database.sql) - this.#pending.objects : 0
      this.#objects = isKnown ? (this.#reported?.use.objects ?? 0) : counted
    }
    return { objects: this.#objects, bytes: ctx.storage.sql.databaseSize }
  }

  /** Returns the limits, and the usage of the other objects of the cluster. */
  #answer(): UseAnswer {
    return this.#reports.current?.() ?? this.#reported?.answer ?? nothingKnown
  }

  admitWrite(resource: GroupResource, name: string, { isNew, growth }: AllowedWrite): void {
    const refusal = this.#refusal(resource, name, isNew ? 1 : 0, growth)
    if (refusal === undefined) return
    // The limits may be higher meanwhile, which an object learns by reporting.
    this.#dueAt ??= this.#kernel.now() + reportDelay
    throw refusal
  }

  /**
   * Writes rows that are no writes of verbs, such as the copies of a fork or the lines of a restore, within the limits of the cluster.
   * @param rows the number of new objects, and their bytes
   * @param write writes them, in a transaction
   * @throws ApiError 403 if the cluster would exceed a limit: then nothing is written
   */
  async writeRows(resource: GroupResource, rows: ClusterUse, write: () => void): Promise<void> {
    const refusal = (): ApiError | undefined => this.#refusal(resource, '', rows.objects, () => rows.bytes)
    // An object that has never reported does not know the limits, and they may have been changed since the last report.
    const isUnsure = this.#reported === undefined || refusal() !== undefined
    if (isUnsure && this.#reports.current === undefined && this.#reports.isReported()) await this.#report()
    const refused = refusal()
    if (refused !== undefined) throw refused
    try {
      write()
    } finally {
      this.#recount()
    }
  }

  /** Returns the error of a write that exceeds a limit; undefined if there is room for it. */
  #refusal(resource: GroupResource, name: string, objects: number, growth: () => number): ApiError | undefined {
    const { limits, others } = this.#answer()
    if (objects > 0 && limits.objects !== undefined) {
      const used = this.current().objects + this.#pending.objects + others.objects
      if (used + objects > limits.objects)
        return exceeded(resource, name, `objects=${objects}`, `objects=${used}`, `objects=${limits.objects}`)
    }
    if (limits.bytes !== undefined) {
      const bytes = growth()
      const used = this.#kernel.ctx.storage.sql.databaseSize + others.bytes
      if (bytes > 0 && used + bytes > limits.bytes)
        return exceeded(resource, name, `bytes=${bytes}`, `bytes=${used}`, `bytes=${limits.bytes}`)
    }
    return undefined
  }

  /** Counts the objects again: rows were written that are no changes of the store, whose version stays. */
  #recount(): void {
    this.#objects = undefined
    this.#pending = { events: 0, objects: 0 }
    this.#dueAt ??= this.#kernel.now()
    if (this.#reported !== undefined) this.note({ ...this.#reported, resourceVersion: 0 })
  }

  /**
   * Admits contents that replace those of the cluster.
   * @throws ApiError 403 if they alone exceed a limit
   */
  admitContents(contents: ClusterUse): void {
    requireRoom(this.#answer().limits, contents)
  }

  admitWatch(): void {
    const { watches } = this.#answer().limits
    if (watches === undefined || this.#kernel.store.watchers < watches) return
    throw new ApiError(429, 'TooManyRequests', tooManyRequestsMessage, { retryAfterSeconds: 1 })
  }

  /** Returns the time of the next report; undefined if nothing has changed. */
  nextAlarm(): number | undefined {
    return this.#reports.isReported() ? this.#dueAt : undefined
  }

  /** Reports the usage if that is due. Rejects if the report has to be repeated. */
  async work(now: number): Promise<void> {
    if (this.#dueAt === undefined || this.#dueAt > now) return
    const dueAt = this.#dueAt
    const resourceVersion = await this.#report()
    this.#dueAt = this.#dueAt === dueAt && this.#kernel.store.resourceVersion === resourceVersion ? undefined : now + reportDelay
  }

  /** Reports the usage, and takes the answer. Returns the version of the store at which it was counted. */
  async #report(): Promise<number> {
    const { resourceVersion } = this.#kernel.store
    const use = this.current()
    const reported = this.#reported
    const isNotable = reported === undefined || differs(reported.use, use) || this.#haveOthersChanged(reported)
    if (isNotable || this.#reports.current === undefined) {
      const answer = await this.#reports.report(use)
      this.note({ use: isNotable ? use : { ...use, bytes: reported.use.bytes }, resourceVersion, answer })
    } else this.note({ ...reported, resourceVersion })
    return resourceVersion
  }

  /** Whether the objects whose usage this object reports with its own have changed. */
  #haveOthersChanged({ answer }: Reported): boolean {
    return this.#reports.current !== undefined && differs(answer.others, this.#reports.current().others)
  }

  /** Takes notice that another object has reported to this one. */
  othersReported(): void {
    this.#dueAt ??= this.#kernel.now() + reportDelay
  }

  /** Records a usage that the receiver of reports knows. */
  note(reported: Reported): void {
    this.#reported = reported
    this.#kernel.ctx.storage.kv.put(useKey, reported)
  }

  /** Records the present usage as reported, because the caller tells it. Returns it. */
  told(): ClusterUse {
    const use = this.current()
    this.note({ use, resourceVersion: this.#kernel.store.resourceVersion, answer: this.#answer() })
    this.#dueAt = undefined
    return use
  }
}

const clusters: GroupResource = { group: 'edgeplane.dev', resource: 'clusters' }

/**
 * Checks that contents that replace those of a cluster are within its limits.
 * @throws ApiError 403 if they alone exceed one
 */
export function requireRoom(limits: ClusterLimits, contents: ClusterUse): void {
  for (const what of ['objects', 'bytes'] as const) {
    const [amount, limit] = [contents[what], limits[what]]
    if (limit !== undefined && amount > limit)
      throw exceeded(clusters, 'restore', `${what}=${amount}`, `${what}=0`, `${what}=${limit}`)
  }
}

function differs(before: ClusterUse, after: ClusterUse): boolean {
  return before.objects !== after.objects || Math.abs(after.bytes - before.bytes) > before.bytes * notableBytes
}

/** Returns the error of a write beyond a limit, with the words of kube-apiserver's quotas. */
function exceeded(resource: GroupResource, name: string, requested: string, used: string, limited: string): ApiError {
  const why = `exceeded quota: cluster, requested: ${requested}, used: ${used}, limited: ${limited}`
  return forbidden(resource, name, why)
}
