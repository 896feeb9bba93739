/** Queries owners in their collections: once for each owner, when an object first refers to it. */

import type { OwnerAnswer, OwnerLookup } from '../../clusters/owner-messages.ts'
import { logError } from '../../meta/log.ts'
import { type Owner, ownerOfText } from '../../meta/owner.ts'
import { keyOf, objectOf } from '../../registry/stored-object.ts'
import {
  advanceOwner,
  type DueOwner,
  insertSubscription,
  resolveOwner,
  scheduleUnknownOwners,
  selectDependents,
  selectDueOwners,
  selectSubscriptions,
} from '../../storage/owner-statements.ts'
import type { CollectorContext } from './context.ts'
import { placeInKind } from './kinds.ts'
import { retryDelay, unknownKindDelay } from './reconcile.ts'

/** The maximum number of owners in one message. */
const messageOwners = 200
/** The maximum number of Events because of one misplaced owner. */
const maximumEvents = 20

/** A lookup of an owner under the only key that it can have. */
interface OwnerQuery {
  readonly due: DueOwner
  readonly owner: Owner
  readonly prefix: string
  readonly query: OwnerLookup
}

/** The lookups and subscriptions of one collection. */
export class OwnerQueries {
  readonly #context: CollectorContext
  /** `<apiVersion> <kind>` of owners for which no subscription is needed any more. */
  readonly #settled = new Set<string>()
  /** The collections to which this one has subscribed. */
  readonly #subscribed: Set<string>

  constructor(context: CollectorContext) {
    this.#context = context
    this.#subscribed = new Set(selectSubscriptions(context.sql))
  }

  /**
   * Whether this collection is subscribed to deletions in the owners' collection, or the kind does not exist. The subscription is
   * made before the first object with such an owner is stored.
   */
  isSubscribed(apiVersion: string, kindName: string): boolean {
    const name = `${apiVersion} ${kindName}`
    if (this.#settled.has(name)) return true
    const { kinds } = this.#context
    const kind = kinds.ofOwner(apiVersion, kindName)
    if (kind === undefined) return !kinds.isToBeLearnt(apiVersion, kindName)
    if (!this.#subscribed.has(kind.storage.prefix)) return false
    this.#settled.add(name)
    return true
  }

  /** Subscribes to the owners' collection. Resolves when the subscription is durable on both sides. */
  async subscribe(apiVersion: string, kindName: string): Promise<void> {
    await this.#context.kinds.learn(apiVersion, kindName)
    const kind = this.#context.kinds.ofOwner(apiVersion, kindName)
    if (kind === undefined || this.#subscribed.has(kind.storage.prefix)) return
    const { prefix } = kind.storage
    const place = this.#context.placeOf(kind.storage)
    await this.#context.send(place, { do: 'introduce', place: this.#context.place, prefixes: [prefix] })
    insertSubscription(this.#context.sql, prefix)
    this.#subscribed.add(prefix)
    // Objects that were stored before the owners' kind existed wait for it.
    scheduleUnknownOwners(this.#context.sql, this.#context.registry.now())
  }

  /** Queries the owners that are due. */
  async work(now: number): Promise<void> {
    const questions = new Map<string, OwnerQuery[]>()
    for (const due of selectDueOwners(this.#context.sql, now, 'unknown', messageOwners)) {
      const owner = ownerOfText(due.owner)
      await this.#context.kinds.learn(owner.apiVersion, owner.kind).catch(() => undefined)
      const kind = this.#context.kinds.ofOwner(owner.apiVersion, owner.kind)
      if (kind === undefined) this.#postpone(due, now + unknownKindDelay(due.attempt))
      else if (kind.namespaced && owner.namespace === '') resolveOwner(this.#context.sql, due.owner, 'invalid', '', null)
      else {
        const place = this.#context.placeOf(kind.storage)
        const query = { uid: owner.uid, key: keyOf(kind, owner.namespace, owner.name) }
        const question: OwnerQuery = { due, owner, prefix: kind.storage.prefix, query }
        const others = questions.get(place)
        if (others === undefined) questions.set(place, [question])
        else others.push(question)
      }
    }
    await Promise.all([...questions].map(([place, query]) => this.#ask(place, query)))
  }

  #postpone(due: DueOwner, at: number): void {
    advanceOwner(this.#context.sql, { ...due, attempt: due.attempt + 1 }, at)
  }

  async #ask(place: string, questions: readonly OwnerQuery[]): Promise<void> {
    const { registry, place: own } = this.#context
    try {
      for (const { owner } of questions) await this.subscribe(owner.apiVersion, owner.kind)
      const answers = await this.#context.send(place, { do: 'ask', place: own, owners: questions.map(({ query }) => query) })
      for (const [i, question] of questions.entries()) {
        const answer = answers[i]
        if (answer !== undefined) await this.#resolve(place, question, answer)
      }
    } catch (error) {
      logError(`garbage collection: ${place} does not answer`, error)
      for (const { due } of questions) this.#postpone(due, registry.now() + retryDelay(due.attempt))
    }
  }

  async #resolve(place: string, { due, owner }: OwnerQuery, { state, elsewhere }: OwnerAnswer): Promise<void> {
    const { sql, registry } = this.#context
    if (elsewhere === true) await this.#reportNamespace(due.owner, owner)
    resolveOwner(sql, due.owner, state, place, state === 'solid' ? null : registry.now())
  }

  /** Reports an owner in another namespace: dependents are deleted, and an Event in their namespace says why. */
  async #reportNamespace(text: string, { apiVersion, kind: ownerKind, namespace, name: ownerName, uid }: Owner): Promise<void> {
    const { sql, registry } = this.#context
    const reference = `[${apiVersion}/${ownerKind}, namespace: ${namespace}, name: ${ownerName}, uid: ${uid}]`
    const message = `ownerRef ${reference} does not exist in namespace "${namespace}"`
    for (const key of selectDependents(sql, text, '', maximumEvents)) {
      const stored = registry.store.get(key)
      const kind = this.#context.kinds.ofKey(key)
      if (stored === undefined || kind === undefined) continue
      const { name } = placeInKind(kind, key)
      const ownUid = objectOf(stored).metadata.uid ?? ''
      await this.#context.report({ apiVersion: kind.apiVersion, kind: kind.kind, namespace, name, uid: ownUid, message })
    }
  }
}
