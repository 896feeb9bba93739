/**
 * The quota controller, in the control object: keeps the status of quotas equal to the use of their namespaces. Rounds run one after
 * another. A round asks the collections for the use of all namespaces in which something has changed, and for the reservations that
 * their commits have used. The reasons are in docs/decisions/quota-reservations.md.
 */

import type { ResourceQuota } from '../../catalog/generated/types/core.v1.ts'
import type { LimitedRanges, ReserveAnswer, ReserveMessage, UsageAnswer, UsageQuestion } from '../../clusters/quota-messages.ts'
import { logError } from '../../meta/log.ts'
import { equalLists } from '../../registry/admission/quota/resource-list.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { StoreEvent } from '../../storage/store.ts'
import type { AlarmPart } from '../alarms.ts'
import type { Kernel } from '../kernel.ts'
import { limits, QuotaLedger, quotaKeys, quotaPrefix, quotasOf, type Reservation } from './ledger.ts'
import { type Changed, countedQuotas, type Plan, type Presence, planOf, useOf } from './plan.ts'
import { collectionOf, namespaceOf, type QuotaControl } from './quota-control.ts'
import { countedStatus } from './reconcile.ts'

/** Keys of namespaces whose quotas have changed, in the storage of the Durable Object. */
const syncKey = 'quota/sync/'
/** The storage key of the mode in which all quotas were counted at last. */
export const modeKey = 'quota/mode'
/** The field manager of the status that is counted. */
const manager = 'kube-controller-manager'
/** The pause in milliseconds before collections are asked which reservations they have used. */
const settling = 10_000
/** The age in milliseconds from which an unused reservation is lost: the request that has made it has ended. */
const lifetime = 30_000
/** The pause in milliseconds before a failed round is repeated. */
const pause = 2000

/** The collections whose objects quotas count. */
export interface CountedCollections {
  /** Whether a collection exists and has ever held objects. */
  readonly presenceOf: (collection: string) => Presence
  /** Asks a collection, which may be in this object. */
  readonly ask: (collection: string, question: UsageQuestion) => Promise<UsageAnswer>
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The controller of one cluster's quotas. */
export class QuotaController implements QuotaControl, AlarmPart {
  readonly name = 'quotas'
  readonly #kernel: Kernel
  readonly #ledger: QuotaLedger
  readonly #collections: CountedCollections
  /** Whether the use is counted here; an external controller may do it instead. Reservations are made in both cases. */
  readonly #counts: boolean
  #pending = new Map<string, Changed>()
  #waiting: Waiting[] = []
  #isRunning = false
  #retryAt = 0
  /** The error of the last round, if it has failed. */
  #failure: unknown
  /** The time at which collections are asked for used reservations; undefined if there are no reservations. */
  #settleAt: number | undefined
  /** Reservations up to this one are from before a restart: their requests have ended. */
  #lostThrough = 0

  constructor(kernel: Kernel, collections: CountedCollections) {
    this.#kernel = kernel
    this.#ledger = new QuotaLedger(kernel)
    this.#collections = collections
    this.#counts = kernel.controllers.has('resourcequota-controller')
  }

  #now(): number {
    return this.#kernel.now()
  }

  /** Continues the work from before a restart. Called when the object has started. */
  start(): void {
    const { store, ctx } = this.#kernel
    const { storage } = ctx
    const mode = this.#counts ? 'own' : 'external'
    for (const [key] of storage.kv.list({ prefix: syncKey })) this.#enqueue(key.slice(syncKey.length), 'all')
    if (storage.kv.get(modeKey) !== mode) {
      for (const key of quotaKeys(store, '')) this.#noteChange(namespaceOf(key.slice(0, key.lastIndexOf('/') + 1)))
      storage.kv.put(modeKey, mode)
    }
    if (this.#ledger.reservations().size === 0) return
    this.#lostThrough = store.resourceVersion
    this.#settleAt = 0
  }

  async reserve(message: ReserveMessage): Promise<ReserveAnswer> {
    const answer = await this.#ledger.reserve(message)
    if (answer.reservation !== undefined && this.#settleAt === undefined) {
      this.#settleAt = this.#now() + settling
      void this.#kernel.alarms.arm()
    }
    return answer
  }

  release(reservation: number): Promise<void> {
    return this.#ledger.release(reservation)
  }

  async recount(ranges: readonly string[]): Promise<LimitedRanges> {
    const done = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    for (const range of ranges) this.#enqueue(namespaceOf(range), new Set([collectionOf(range)]))
    this.#kernel.ctx.waitUntil(this.#run())
    await done
    const { store } = this.#kernel
    const isLimited = (range: string): boolean =>
      quotasOf(store, store, namespaceOf(range)).some(({ quota }) => limits(quota, collectionOf(range)))
    return { limited: ranges.filter(isLimited), revision: store.resourceVersion }
  }

  /** Returns the ranges of a collection that quotas limit. */
  rangesOf(collection: string): LimitedRanges {
    const { store } = this.#kernel
    const namespaces = new Set<string>()
    for (const key of quotaKeys(store, '')) {
      const stored = store.get(key)
      if (stored !== undefined && limits(asQuota(objectOf(stored)), collection)) namespaces.add(key.split('/')[1] ?? '')
    }
    return { limited: [...namespaces].map((name) => `${collection}/${name}/`), revision: store.resourceVersion }
  }

  /** Enqueues, within the commit, the namespace of a new quota, or of one whose limits have changed. */
  changed({ type, object, previous }: StoreEvent): void {
    if (!object.key.startsWith(quotaPrefix) || type === 'DELETED') return
    if (previous !== undefined) {
      const [before, after] = [previous, object].map((stored) => JSON.stringify(objectOf(stored).spec))
      if (before === after) return
    }
    this.#noteChange(object.key.split('/')[1] ?? '')
    void this.#kernel.alarms.arm()
    // The change is reported before its commit ends: the round begins after it.
    this.#kernel.ctx.waitUntil(Promise.resolve().then(() => this.#run()))
  }

  /** Counts the objects of new definitions, which quotas may limit already. */
  defined(names: readonly string[]): void {
    const { store } = this.#kernel
    for (const key of quotaKeys(store, '')) {
      const value = store.get(key)?.value ?? ''
      if (names.some((name) => value.includes(`"count/${name}"`))) this.#noteChange(key.split('/')[1] ?? '')
    }
    if (this.#pending.size > 0) this.#kernel.ctx.waitUntil(this.#run())
  }

  #noteChange(namespace: string): void {
    this.#kernel.ctx.storage.kv.put(syncKey + namespace, true)
    this.#enqueue(namespace, 'all')
  }

  #enqueue(namespace: string, changed: Changed): void {
    const before = this.#pending.get(namespace)
    const both = before === 'all' || changed === 'all' ? 'all' : new Set([...(before ?? []), ...changed])
    this.#pending.set(namespace, both)
  }

  /** Returns the time of the next work; undefined if none is expected. */
  nextAlarm(): number | undefined {
    // A round that runs continues by itself; the alarm is for the case that it is interrupted.
    if (this.#isRunning) return this.#now() + pause
    return this.#pending.size > 0 ? this.#retryAt : this.#settleAt
  }

  /** Does the work that is due. Rejects if it has to be repeated. */
  async work(now: number): Promise<void> {
    const due = this.nextAlarm()
    if (due === undefined || due > now) return
    await this.#run()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Runs rounds until nothing is left to do. */
  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (this.#pending.size > 0 || this.#waiting.length > 0 || (this.#settleAt ?? Number.POSITIVE_INFINITY) <= this.#now()) {
        if (!(await this.#round())) break
      }
    } finally {
      this.#isRunning = false
      void this.#kernel.alarms.arm()
    }
  }

  /** Runs one round. Returns whether it succeeded; otherwise its work is pending again. */
  async #round(): Promise<boolean> {
    const [pending, waiting] = [this.#pending, this.#waiting]
    this.#pending = new Map()
    this.#waiting = []
    try {
      const { store } = this.#kernel
      const plans = [...pending].map(([namespace, changed]) => {
        const quotas = quotasOf(store, store, namespace).map(({ quota }) => quota)
        return planOf(namespace, quotas, changed, this.#collections.presenceOf)
      })
      const failures = await this.#countAll(plans)
      if (failures.length > 0) throw failures[0]
      for (const { resolve } of waiting) resolve()
      this.#retryAt = 0
      this.#failure = undefined
      return true
    } catch (error) {
      logError('the use of quotas was not counted', error)
      for (const [namespace, changed] of pending) this.#enqueue(namespace, changed)
      for (const { reject } of [...waiting, ...this.#waiting.splice(0)]) reject(error)
      this.#retryAt = this.#now() + pause
      this.#failure = error
      return false
    }
  }

  /** Counts the planned namespaces, writes the status of their quotas, and settles reservations. Returns the errors. */
  async #countAll(plans: readonly Plan[]): Promise<unknown[]> {
    const ledger = this.#ledger
    const { storage } = this.#kernel.ctx
    const reservations = ledger.reservations()
    const questions = this.#questionsFor(plans, reservations)
    const answers = new Map<string, UsageAnswer>()
    const failures: unknown[] = []
    const ask = async ([collection, question]: [string, UsageQuestion]): Promise<void> => {
      try {
        answers.set(collection, await this.#collections.ask(collection, question))
      } catch (error) {
        failures.push(error)
      }
    }
    await Promise.all([...questions].map(ask))
    const used = new Set([...answers.values()].flatMap((answer) => answer.used))
    for (const plan of plans) await this.#write(plan, answers, used)
    for (const reservation of used) ledger.settle(reservation)
    for (const [collection, { voided }] of questions) {
      if (!answers.has(collection)) continue
      for (const reservation of voided) if (!used.has(reservation)) await ledger.release(reservation)
    }
    this.#settleAt = ledger.reservations().size === 0 ? undefined : this.#now() + settling
    if (failures.length > 0) return failures
    for (const { namespace } of plans) if (!this.#pending.has(namespace)) storage.kv.delete(syncKey + namespace)
    return []
  }

  /** Returns the questions to collections: those that are counted, and those with reservations. */
  #questionsFor(plans: readonly Plan[], reservations: ReadonlyMap<number, Reservation>): Map<string, UsageQuestion> {
    const { resourceVersion: revision } = this.#kernel.store
    const collections = new Set([...reservations.values()].map(({ request }) => request.collection))
    for (const plan of plans) {
      for (const [collection, presence] of plan.collections) if (presence === 'held') collections.add(collection)
    }
    const isLost = ([id, { at }]: [number, Reservation]): boolean => id <= this.#lostThrough || this.#now() - at > lifetime
    return new Map(
      [...collections].map((collection) => {
        const counted = plans.filter((plan) => plan.collections.get(collection) === 'held')
        const own = [...reservations].filter(([, { request }]) => request.collection === collection)
        const ranges = counted.map((plan) => [
          `${collection}/${plan.namespace}/`,
          this.#counts ? countedQuotas(plan, collection) : [],
        ])
        const question = {
          collection,
          ranges: Object.fromEntries(ranges) as UsageQuestion['ranges'],
          outstanding: own.map(([id]) => id),
          voided: own.filter(isLost).map(([id]) => id),
          revision,
        }
        return [collection, question]
      }),
    )
  }

  /** Writes the counted status of a namespace's quotas. A quota that has changed since is counted in the next round. */
  async #write(plan: Plan, answers: ReadonlyMap<string, UsageAnswer>, used: ReadonlySet<number>): Promise<void> {
    const ledger = this.#ledger
    if (!this.#counts || plan.quotas.length === 0) return
    const { store } = this.#kernel
    await store.write((transaction) => {
      const outstanding = [...ledger.reservations()].filter(
        ([id, { request }]) => request.namespace === plan.namespace && !used.has(id),
      )
      const requests = outstanding.map(([, { request }]) => request)
      for (const { stored, quota } of quotasOf(store, transaction, plan.namespace)) {
        const planned = plan.quotas.find(({ metadata }) => metadata.uid === quota.metadata.uid)
        if (planned === undefined || !equalLists(planned.spec.hard, quota.spec.hard)) continue
        const status = countedStatus(quota, useOf(plan, planned, answers), requests)
        if (status !== undefined) ledger.writeStatus(transaction, stored, status, manager)
      }
    })
  }
}

const asQuota = (object: object): ResourceQuota => {
  const quota = object as ResourceQuota
  return { ...quota, spec: quota.spec ?? {}, status: quota.status ?? {} }
}
