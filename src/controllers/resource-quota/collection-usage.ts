/**
 * A collection's part in quotas: reserves the use of new objects, counts the use of its objects, and reports changes of it. The
 * reasons are in docs/decisions/quota-reservations.md.
 */

import type { LimitedRanges, QuotaAnswer, QuotaRequest, UsageAnswer, UsageQuestion } from '../../clusters/quota-messages.ts'
import { logError } from '../../meta/log.ts'
import type { ObjectLookup } from '../../meta/lookups.ts'
import { evaluatorOf } from '../../registry/admission/quota/evaluators/evaluators.ts'
import type { QuotaReservations } from '../../registry/quota-reservations.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { StoreEvent } from '../../storage/store.ts'
import type { AlarmPart } from '../alarms.ts'
import type { Kernel } from '../kernel.ts'
import { countUse } from './count-use.ts'
import { collectionOf, type QuotaControl, rangeOf } from './quota-control.ts'

/** Keys of this class's rows in the storage of the Durable Object. */
const limitedKey = 'quota/limited/'
const changedKey = 'quota/changed/'
export const usedKey = 'quota/used/'

/** The collection of a used reservation. Earlier releases have stored `true`. */
type UsedRow = string | true

/** Changes within this time are reported together, in milliseconds. */
const gathering = 25
/** The longest pause after a report, in milliseconds. */
const longestPause = 30_000
/** The number of objects whose count costs one millisecond of pause: counting takes only a small part of the time. */
const objectsPerPause = 2
/** The maximum number of ranges in one report. */
const reportedRanges = 100

/** The use of quotas by the objects of one Durable Object. */
export class CollectionUsage implements QuotaReservations, AlarmPart {
  readonly name = 'quota-usage'
  readonly #kernel: Kernel
  readonly #control: QuotaControl
  /** The ranges that quotas limit, with the version of the control object that has told it. */
  readonly #limited: Map<string, number>
  /** The ranges whose use has changed since it was reported, with the number of changes. */
  readonly #changed: Map<string, number>
  /** Reservations that were declared lost. */
  readonly #voided = new Set<number>()
  /** The keys of objects that are being created with a reservation. */
  readonly #reserved = new Set<string>()
  /** The time before which no report is sent. */
  #notBefore = 0
  #counted = 0

  /** @param control the side of the control object */
  constructor(kernel: Kernel, control: QuotaControl) {
    this.#kernel = kernel
    this.#control = control
    this.#limited = new Map(this.#rows<number>(limitedKey))
    this.#changed = new Map(this.#rows<boolean>(changedKey).map(([range]) => [range, 1]))
  }

  #rows<T>(prefix: string): [string, T][] {
    return [...this.#kernel.ctx.storage.kv.list<T>({ prefix })].map(([key, value]) => [key.slice(prefix.length), value])
  }

  isLimited(collection: string, namespace: string): boolean {
    return this.#limited.size > 0 && this.#limited.has(`${collection}/${namespace}/`)
  }

  lookup(request: QuotaRequest, dryRun: boolean): ObjectLookup<QuotaAnswer> {
    const resolve: ObjectLookup<QuotaAnswer>['resolve'] = async () => {
      const answer = await this.#control.reserve({ request, dryRun })
      this.#forget([`${request.collection}/${request.namespace}/`], answer)
      const { reservation } = answer
      return { result: answer, ...(reservation !== undefined && { release: () => this.#release(reservation) }) }
    }
    return { where: 'object', key: `quota ${dryRun} ${JSON.stringify(request)}`, resolve }
  }

  isUsable(reservation: number): boolean {
    return !this.#voided.has(reservation)
  }

  use(reservation: number, collection: string, created?: string): void {
    this.#kernel.ctx.storage.kv.put<UsedRow>(usedKey + reservation, collection)
    if (created !== undefined) this.#reserved.add(created)
  }

  /** Gives a reservation back, unless the commit has used it. */
  #release(reservation: number): void {
    if (this.#kernel.ctx.storage.kv.get(usedKey + reservation) !== undefined) return
    this.#control.release(reservation).catch((error: unknown) => logError('a reservation of quota was not given back yet', error))
  }

  /** Records that quotas limit these ranges. */
  limit({ limited, revision }: LimitedRanges): void {
    for (const range of limited) {
      if ((this.#limited.get(range) ?? -1) >= revision) continue
      this.#limited.set(range, revision)
      this.#kernel.ctx.storage.kv.put(limitedKey + range, revision)
    }
  }

  /** Forgets those of the ranges that quotas do not limit any more, unless a newer message says that they do. */
  #forget(ranges: readonly string[], { limited, revision }: LimitedRanges): void {
    for (const range of ranges) {
      const known = this.#limited.get(range)
      if (known === undefined || known > revision || limited.includes(range)) continue
      this.#limited.delete(range)
      this.#kernel.ctx.storage.kv.delete(limitedKey + range)
    }
  }

  /** Records, within the commit, that the use of a range has changed. */
  changed(event: StoreEvent): void {
    if (this.#limited.size === 0) return
    const { key } = event.object
    const range = rangeOf(key)
    // The use of a new object with a reservation is known already.
    if (this.#reserved.delete(key)) return
    if (!this.#limited.has(range) || !changesUse(event, this.#kernel.now())) return
    if (this.#changed.size === 0) this.#notBefore = Math.max(this.#notBefore, this.#kernel.now() + gathering)
    this.#changed.set(range, (this.#changed.get(range) ?? 0) + 1)
    this.#kernel.ctx.storage.kv.put(changedKey + range, true)
    void this.#kernel.alarms.arm()
  }

  /** Returns the time of the next report; undefined if there is nothing to report. */
  nextAlarm(): number | undefined {
    return this.#changed.size === 0 ? undefined : this.#notBefore
  }

  /** Reports ranges whose use has changed, if that is due. Rejects if the report has to be repeated. */
  async work(now: number): Promise<void> {
    if (this.#changed.size === 0 || this.#notBefore > now) return
    const reported = new Map([...this.#changed].slice(0, reportedRanges))
    this.#counted = 0
    const ranges = [...reported.keys()]
    this.#forget(ranges, await this.#control.recount(ranges))
    for (const [range, changes] of reported) {
      if (this.#changed.get(range) !== changes) continue
      this.#changed.delete(range)
      this.#kernel.ctx.storage.kv.delete(changedKey + range)
    }
    this.#notBefore = this.#kernel.now() + Math.min(this.#counted / objectsPerPause, longestPause)
  }

  /**
   * Answers the use of ranges at one moment. From this moment on, new objects in these ranges need reservations. Resolves when all
   * that it includes is durable.
   */
  async answer({ collection, ranges, outstanding, voided, revision }: UsageQuestion): Promise<UsageAnswer> {
    const { storage } = this.#kernel.ctx
    this.limit({ limited: Object.keys(ranges), revision })
    const used = this.#usedOf(collection, new Set(outstanding), revision)
    for (const reservation of voided) if (!used.includes(reservation)) this.#voided.add(reservation)
    const usage: Record<string, UsageAnswer['usage'][string]> = {}
    const { store } = this.#kernel
    const { resourceVersion } = store
    for (const [range, quotas] of Object.entries(ranges)) {
      const { objects, use } = await countUse({ store, range, resourceVersion, quotas, now: this.#kernel.now() })
      usage[range] = use
      this.#counted += objects
    }
    await storage.sync()
    return { usage, used }
  }

  /**
   * Returns the used reservations of a collection: those of others in this object are counted at other moments. Deletes the rows of
   * all that the control object no longer counts as outstanding.
   */
  #usedOf(collection: string | undefined, outstanding: ReadonlySet<number>, revision: number): number[] {
    const used: number[] = []
    for (const [text, row] of this.#rows<UsedRow>(usedKey)) {
      if (row !== true && collection !== undefined && row !== collection) continue
      const reservation = Number(text)
      if (reservation > revision || outstanding.has(reservation)) used.push(reservation)
      else this.#kernel.ctx.storage.kv.delete(usedKey + text)
    }
    return used
  }
}

/** Whether a change of one object may change the use of quotas. */
function changesUse({ type, object, previous }: StoreEvent, now: number): boolean {
  const evaluator = evaluatorOf(collectionOf(object.key))
  if (evaluator === undefined) return false
  if (type !== 'MODIFIED' || previous === undefined) return true
  if (evaluator.isByNumber) return false
  const [before, after] = [previous, object].map((stored) => JSON.stringify(evaluator.factsOf(objectOf(stored), now)))
  return before !== after
}
