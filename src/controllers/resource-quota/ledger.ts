/** The ledger of quotas in the control object: charges writes to the quotas of their namespace, and keeps the reservations. */

import type { ResourceQuota, ResourceQuotaStatus } from '../../catalog/generated/types/core.v1.ts'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { QuotaRefusal, QuotaRequest, ReserveAnswer, ReserveMessage } from '../../clusters/quota-messages.ts'
import type { AdmissionSettings } from '../../config/admission/settings.ts'
import { serverManager } from '../../meta/managers.ts'
import { checkRequest } from '../../registry/admission/quota/check.ts'
import { evaluatorOf } from '../../registry/admission/quota/evaluators/evaluators.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Store, Stored, Transaction } from '../../storage/store.ts'
import type { Kernel } from '../kernel.ts'
import { releasedStatus } from './reconcile.ts'

/** The prefix of the keys of quotas. */
export const quotaPrefix = 'resourcequotas/'

/** Keys of reservations in the storage of the Durable Object. */
export const reservationKey = 'quota/reservation/'

/** The number of quotas that are read at once. */
const pageQuotas = 500

/** A reservation that is not known to be used. */
export interface Reservation {
  readonly request: QuotaRequest
  /** The time at which it was made, in milliseconds since the epoch. */
  readonly at: number
}

/** A quota and its row. */
export interface StoredQuota {
  readonly stored: Stored
  readonly quota: ResourceQuota
}

/** Yields the keys of all quotas, or of those of one namespace. */
export function* quotaKeys(store: Store, namespace: string): Generator<string> {
  const prefix = namespace === '' ? quotaPrefix : `${quotaPrefix}${namespace}/`
  for (let after = '', more = true; more; ) {
    const page = store.listHeads({ prefix, after, limit: pageQuotas, resourceVersion: store.resourceVersion })
    for (const { key } of page.items) yield key
    after = page.items.at(-1)?.key ?? after
    more = page.more
  }
}

const quotaOf = (stored: Stored): ResourceQuota => {
  const quota = objectOf(stored) as ResourceQuota
  return { ...quota, spec: quota.spec ?? {}, status: quota.status ?? {} }
}

/** Returns the quotas of a namespace, in the order of their names, as the source has them. */
export function quotasOf(store: Store, source: Pick<Transaction, 'get'>, namespace: string): StoredQuota[] {
  const found: StoredQuota[] = []
  for (const key of quotaKeys(store, namespace)) {
    const stored = source.get(key)
    if (stored !== undefined) found.push({ stored, quota: quotaOf(stored) })
  }
  return found
}

/** Whether a quota limits objects of a collection, by its new or its present limits. */
export function limits({ spec, status }: ResourceQuota, collection: string): boolean {
  const evaluator = evaluatorOf(collection)
  return evaluator !== undefined && Object.keys({ ...spec.hard, ...status.hard }).some(evaluator.tracks)
}

/** Checks a write. `after` has the quotas with the charges of the write; it is undefined if the write is refused or charges nothing. */
function check(
  quotas: readonly ResourceQuota[],
  request: QuotaRequest,
  { limitedResources }: AdmissionSettings,
): { readonly refusal?: QuotaRefusal; readonly after?: readonly ResourceQuota[] } {
  const evaluator = evaluatorOf(request.collection)
  if (evaluator === undefined) return {}
  const decision = checkRequest(quotas, request, evaluator, limitedResources)
  if (decision.refusal !== undefined) return { refusal: decision.refusal }
  const { used } = decision
  if (used.size === 0) return {}
  const charged = (quota: ResourceQuota): ResourceQuota => {
    const after = used.get(quota.metadata.name ?? '')
    return after === undefined ? quota : { ...quota, status: { ...quota.status, used: { ...after } } }
  }
  return { after: quotas.map(charged) }
}

/** Writes that are checked in the same commit. */
class ReserveQueue {
  readonly messages: ReserveMessage[] = []
  readonly #waiting: { readonly resolve: (answer: ReserveAnswer) => void; readonly reject: (error: unknown) => void }[] = []

  add(message: ReserveMessage): Promise<ReserveAnswer> {
    this.messages.push(message)
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** @param answers in the order of the messages */
  resolve(answers: readonly ReserveAnswer[]): void {
    for (const [index, { resolve, reject }] of this.#waiting.entries()) {
      const answer = answers[index]
      if (answer === undefined) reject(new Error('a write was not checked'))
      else resolve(answer)
    }
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiting) reject(error)
  }
}

/** The ledger of one cluster. */
export class QuotaLedger {
  readonly #storage: DurableObjectStorage
  readonly #registry: Registry
  /** The rows of reservations; undefined until they were read. */
  #reservations: Map<number, Reservation> | undefined
  /** The writes that wait for the next commit, by namespace. */
  readonly #queues = new Map<string, ReserveQueue>()

  constructor({ ctx, registry }: Pick<Kernel, 'ctx' | 'registry'>) {
    this.#storage = ctx.storage
    this.#registry = registry
  }

  /** Returns all reservations by their numbers. */
  reservations(): ReadonlyMap<number, Reservation> {
    return this.#all()
  }

  #all(): Map<number, Reservation> {
    if (this.#reservations === undefined) {
      const rows = this.#storage.kv.list<Reservation>({ prefix: reservationKey })
      this.#reservations = new Map([...rows].map(([key, row]) => [Number(key.slice(reservationKey.length)), row]))
    }
    return this.#reservations
  }

  /**
   * Checks a write against the quotas and charges it to them, in one commit. Writes of a namespace that arrive together are charged one
   * after another, and the status of each quota is written once for all of them.
   */
  reserve(message: ReserveMessage): Promise<ReserveAnswer> {
    const { namespace } = message.request
    const queue = this.#queues.get(namespace)
    if (queue !== undefined) return queue.add(message)
    const added = new ReserveQueue()
    this.#queues.set(namespace, added)
    const answer = added.add(message)
    const work = this.#registry.store.write((transaction) => {
      this.#queues.delete(namespace)
      return this.#reserveIn(transaction, namespace, added.messages)
    })
    work.then(
      (answers) => added.resolve(answers),
      (error: unknown) => {
        // A commit may fail before it has run.
        if (this.#queues.get(namespace) === added) this.#queues.delete(namespace)
        added.reject(error)
      },
    )
    return answer
  }

  #reserveIn(transaction: Transaction, namespace: string, messages: readonly ReserveMessage[]): ReserveAnswer[] {
    const { store } = this.#registry
    const stored = quotasOf(store, transaction, namespace)
    let quotas: readonly ResourceQuota[] = stored.map(({ quota }) => quota)
    const answers = messages.map(({ request, dryRun }): ReserveAnswer => {
      const { collection } = request
      const limited = quotas.some((quota) => limits(quota, collection)) ? [`${collection}/${namespace}/`] : []
      const answer = { limited, revision: store.resourceVersion }
      const { refusal, after } = check(quotas, request, this.#registry.admissionSettings)
      if (refusal !== undefined) return { ...answer, refusal }
      if (dryRun || after === undefined) return answer
      quotas = after
      // A number that is taken before the versions of the quotas is never taken again, not even after a restart.
      return { ...answer, reservation: this.#record(transaction, request) }
    })
    for (const [index, { stored: row, quota }] of stored.entries()) {
      const status = quotas[index]?.status
      if (status !== undefined && status !== quota.status) this.writeStatus(transaction, row, status, serverManager)
    }
    return answers
  }

  #record(transaction: Transaction, request: QuotaRequest): number {
    const reservation = transaction.nextResourceVersion()
    const row: Reservation = { request, at: this.#registry.now() }
    transaction.alongside(() => {
      this.#storage.kv.put(reservationKey + reservation, row)
      this.#all().set(reservation, row)
    })
    return reservation
  }

  /** Gives back the charges of a reservation that nothing has used. */
  async release(reservation: number): Promise<void> {
    const { store } = this.#registry
    await store.write((transaction) => {
      // A commit that has failed may have left a reservation in memory.
      const found = this.#storage.kv.get<Reservation>(reservationKey + reservation)
      if (found === undefined) return this.settle(reservation)
      for (const { stored, quota } of quotasOf(store, transaction, found.request.namespace)) {
        const status = releasedStatus(quota, found.request)
        if (status !== undefined) this.writeStatus(transaction, stored, status, serverManager)
      }
      transaction.alongside(() => this.settle(reservation))
    })
  }

  /** Forgets a reservation whose charges stay. */
  settle(reservation: number): void {
    this.#storage.kv.delete(reservationKey + reservation)
    this.#all().delete(reservation)
  }

  /**
   * Writes the status of a quota.
   * @returns the resourceVersion of the quota afterwards
   */
  writeStatus(transaction: Transaction, stored: Stored, status: ResourceQuotaStatus, manager: string): number {
    const kind: Kind | undefined = kindOf('', 'v1', 'resourcequotas')
    if (kind === undefined) return 0
    const [, namespace = '', name = ''] = stored.key.split('/')
    const object = objectOf(stored)
    object.status = status
    const target = { group: '', version: 'v1', resource: 'resourcequotas', subresource: 'status', namespace, name }
    const write = { manager, dryRun: false, fromPatch: true } as const
    updateIn({ registry: this.#registry, transaction, kind, target, write }, { existing: stored, object })
    return transaction.get(stored.key)?.resourceVersion ?? 0
  }
}
