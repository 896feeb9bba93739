/** The ledger of quotas in the control object: charges writes to the quotas of their namespace, and keeps the reservations. */
import type { ResourceQuota, ResourceQuotaStatus } from '../../catalog/generated/types/core.v1.ts'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { admissionSettings } from '../../config/admission/settings.ts'
import { serverManager } from '../../meta/managers.ts'
import { checkRequest, type QuotaRequest } from '../../registry/admission/quota/check.ts'
import { evaluatorOf } from '../../registry/admission/quota/evaluators/evaluators.ts'
import type { Registry } from '../../registry/registry.ts'
import { objectOf } from '../../registry/stored-object.ts'
import { updateIn } from '../../registry/update.ts'
import type { Store, Stored, Transaction } from '../../storage/store.ts'
import type { ReserveAnswer, ReserveMessage } from './messages.ts'
import { releasedStatus } from './reconcile.ts'

/** The prefix of the keys of quotas. */
export const quotaPrefix = 'resourcequotas/'

/** Keys of reservations in the storage of the Durable Object. */
const reservationKey = 'quota/reservation/'

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

/** The ledger of one cluster. */
export class QuotaLedger {
  readonly #storage: DurableObjectStorage
  readonly #registry: () => Registry

  constructor(storage: DurableObjectStorage, registry: () => Registry) {
    this.#storage = storage
    this.#registry = registry
  }

  /** Returns all reservations. */
  reservations(): Map<number, Reservation> {
    const rows = this.#storage.kv.list<Reservation>({ prefix: reservationKey })
    return new Map([...rows].map(([key, row]) => [Number(key.slice(reservationKey.length)), row]))
  }

  /** Checks a write against the quotas and charges it to them, in one commit. */
  reserve({ request, dryRun }: ReserveMessage): Promise<ReserveAnswer> {
    return this.#registry().store.write((transaction) => this.#reserveIn(transaction, request, dryRun))
  }

  #reserveIn(transaction: Transaction, request: QuotaRequest, dryRun: boolean): ReserveAnswer {
    const { store, now } = this.#registry()
    const { collection, namespace } = request
    const quotas = quotasOf(store, transaction, namespace)
    const range = `${collection}/${namespace}/`
    const limited = quotas.some(({ quota }) => limits(quota, collection)) ? [range] : []
    const answer = { limited, revision: store.resourceVersion }
    const evaluator = evaluatorOf(collection)
    if (evaluator === undefined) return answer
    const checked = quotas.map(({ quota }) => quota)
    const { refusal, ...decision } = checkRequest(checked, request, evaluator, admissionSettings().limitedResources)
    if (refusal !== undefined) return { ...answer, refusal }
    const { used } = decision as { used: ReadonlyMap<string, Record<string, string>> }
    if (dryRun || used.size === 0) return answer
    let reservation = 0
    for (const { stored, quota } of quotas) {
      const after = used.get(quota.metadata.name ?? '')
      if (after === undefined) continue
      reservation = this.writeStatus(transaction, stored, { ...quota.status, used: { ...after } }, serverManager)
    }
    transaction.alongside(() => this.#storage.kv.put<Reservation>(reservationKey + reservation, { request, at: now() }))
    return { ...answer, reservation }
  }

  /** Gives back the charges of a reservation that nothing has used. */
  async release(reservation: number): Promise<void> {
    const { store } = this.#registry()
    await store.write((transaction) => {
      const found = this.#storage.kv.get<Reservation>(reservationKey + reservation)
      if (found === undefined) return
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
    updateIn({ registry: this.#registry(), transaction, kind, target, write }, { existing: stored, object })
    return transaction.get(stored.key)?.resourceVersion ?? 0
  }
}
