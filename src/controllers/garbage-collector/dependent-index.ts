/** The dependents' half of the garbage collector: keeps, deletes or orphans the objects of its collection that have owners. */

import type { DependenceAnswer } from '../../clusters/owner-messages.ts'
import { logError } from '../../meta/log.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'
import { ownerOf, ownerOfText, ownerRange, ownerText } from '../../meta/owner.ts'
import { removeIn } from '../../registry/delete.ts'
import { foregroundFinalizer } from '../../registry/finalizers.ts'
import { objectOf } from '../../registry/stored-object.ts'
import {
  advanceOwner,
  beginPass,
  type DeletionPhase,
  type DueOwner,
  endPass,
  hasDeletedDependent,
  notifyOwners,
  type OwnerState,
  selectDependence,
  selectDependents,
  selectDueOwners,
  selectOwnerState,
} from '../../storage/owner-statements.ts'
import type { Transaction } from '../../storage/store.ts'
import type { AdmissionOfWrite } from '../admitted-writes.ts'
import type { CollectorContext } from './context.ts'
import { prefixOfKey } from './kinds.ts'
import { reconcile, retryDelay, type Step } from './reconcile.ts'
import { type Outcome, ReviewedWrites, refused, unblocked } from './reviewed-writes.ts'
import { writeMetadata } from './write-metadata.ts'

/** The maximum number of objects in one commit, so that other writes of the collection come in between. */
const batchObjects = 100
/** The time for writes with admission before other work gets its turn, in milliseconds: webhooks may be slow. */
const reviewMilliseconds = 5000
/** The maximum number of commits before other work gets its turn. */
const turns = 50

/** Knowledge about the owners and the dependents of a batch of objects. */
interface Knowledge {
  /** The states of owners, as they are looked up. */
  readonly states: Map<string, OwnerState | undefined>
  /** Whether the objects have dependents, by uid; undefined if it does not matter. */
  readonly dependence: ReadonlyMap<string, DependenceAnswer> | undefined
}

/** The dependents' half for one collection. */
export class DependentIndex {
  readonly #context: CollectorContext
  /** Returns the places that may hold dependents of this collection's objects. */
  readonly #placesOf: (prefix: string) => ReadonlySet<string>

  constructor(context: CollectorContext, placesOf: (prefix: string) => ReadonlySet<string>) {
    this.#context = context
    this.#placesOf = placesOf
  }

  /**
   * Handles a notification of an owner's collection.
   * @returns the uids without dependents here
   */
  ownersDeleted(place: string, phase: DeletionPhase, uids: readonly string[], now: number): string[] {
    return uids.filter((uid) => notifyOwners(this.#context.sql, ownerRange(uid), phase, place, now) === 0)
  }

  /** Counts the dependents here of another collection's objects. */
  count(uids: readonly string[]): DependenceAnswer[] {
    const { sql } = this.#context
    return uids.map((uid) => {
      const range = ownerRange(uid)
      const { some } = selectDependence(sql, range)
      return { some, foreground: some && hasDeletedDependent(sql, range, `"${foregroundFinalizer}"`) }
    })
  }

  /** Processes the dependents of owners that are due, up to a limit. */
  async work(now: number): Promise<void> {
    const admission = this.#context.writes.admissionOnce()
    for (let turn = 0; turn < turns; turn++) {
      const [owner] = selectDueOwners(this.#context.sql, now, 'known', 1)
      if (owner === undefined) return
      await this.#process(owner, admission)
    }
  }

  async #process(owner: DueOwner, admission: () => Promise<AdmissionOfWrite>): Promise<void> {
    const { sql, registry } = this.#context
    if (owner.after === '') beginPass(sql, owner)
    const keys = selectDependents(sql, owner.owner, owner.after, batchObjects)
    const last = keys.at(-1)
    try {
      if (last === undefined) await this.#finish(owner)
      else {
        const outcome = await this.#handle(owner, keys, await admission())
        advanceOwner(sql, { ...owner, after: last, incomplete: outcome === 'again' }, registry.now())
      }
    } catch (error) {
      logError(`garbage collection: dependents of ${owner.owner}`, error)
      advanceOwner(sql, { ...owner, attempt: owner.attempt + 1 }, registry.now() + retryDelay(owner.attempt))
    }
  }

  /**
   * Finishes an owner after all its dependents have been processed. Remaining dependents have finalizers; their deletion makes
   * the owner due again.
   */
  async #finish(owner: DueOwner): Promise<void> {
    const { sql, registry, place } = this.#context
    const { state, attempt } = owner
    if (owner.incomplete && owner.after !== '') {
      advanceOwner(sql, { ...owner, after: '', attempt: attempt + 1 }, registry.now() + retryDelay(attempt))
      return
    }
    const { uid } = ownerOfText(owner.owner)
    const { some, blocking } = selectDependence(sql, ownerRange(uid))
    const isDone = state === 'orphan' ? !some : !blocking
    if (isDone && (state === 'orphan' || state === 'foreground')) {
      await this.#context.send(owner.place, { do: 'done', place, phase: state, uid })
    }
    endPass(sql, owner)
  }

  async #handle(owner: DueOwner, keys: readonly string[], admission: AdmissionOfWrite): Promise<Outcome> {
    const dependence = owner.state === 'foreground' ? await this.#dependenceOf(keys) : undefined
    const knowledge: Knowledge = { states: new Map(), dependence }
    const { registry } = this.#context
    const reviewed = new ReviewedWrites(this.#context, admission)
    const others = keys.filter((key) => reviewed.mayMatch(key))
    const plain = others.length === 0 ? keys : keys.filter((key) => !others.includes(key))
    let outcome: Outcome = plain.length === 0 ? 'done' : await this.#commit(owner, plain, knowledge)
    const end = Date.now() + reviewMilliseconds
    for (const key of others) {
      if (Date.now() > end) return 'again'
      const stored = registry.store.get(key)
      if (stored === undefined) continue
      const { metadata } = objectOf(stored)
      if ((await reviewed.take(key, metadata, this.#stepOf(owner, metadata, knowledge))) === 'again') outcome = 'again'
    }
    return outcome
  }

  /** Handles objects that no policy or webhook may match, in one commit. */
  #commit(owner: DueOwner, keys: readonly string[], knowledge: Knowledge): Promise<Outcome> {
    return this.#context.registry.store.write((transaction) => {
      let outcome: Outcome = 'done'
      for (const key of keys) {
        const existing = transaction.get(key)
        if (existing === undefined) continue
        const object = objectOf(existing)
        const step = this.#stepOf(owner, object.metadata, knowledge)
        if (this.#take(transaction, key, object, step) === 'again') outcome = 'again'
      }
      return outcome
    })
  }

  /** Finds out by uid whether the objects have dependents. */
  async #dependenceOf(keys: readonly string[]): Promise<ReadonlyMap<string, DependenceAnswer>> {
    const { registry } = this.#context
    const found = new Map<string, DependenceAnswer>()
    const byPrefix = new Map<string, string[]>()
    for (const key of keys) {
      const stored = registry.store.get(key)
      if (stored === undefined) continue
      const { uid = '' } = objectOf(stored).metadata
      found.set(uid, { some: false, foreground: false })
      byPrefix.set(prefixOfKey(key), [...(byPrefix.get(prefixOfKey(key)) ?? []), uid])
    }
    for (const [prefix, uids] of byPrefix) {
      for (const place of this.#placesOf(prefix)) {
        const answers = await this.#context.send(place, { do: 'count', uids })
        for (const [i, uid] of uids.entries()) {
          const [before, answer] = [found.get(uid), answers[i]]
          if (answer === undefined) continue
          const some = before?.some === true || answer.some
          found.set(uid, { some, foreground: before?.foreground === true || answer.foreground })
        }
      }
    }
    return found
  }

  /** Decides the step for an object with this metadata. */
  #stepOf(owner: DueOwner, metadata: ObjectMeta, { states, dependence }: Knowledge): Step {
    if (owner.state === 'orphan') return { do: 'drop references', uids: new Set([ownerOfText(owner.owner).uid]) }
    const { ownerReferences = [], namespace = '', uid = '' } = metadata
    const references = ownerReferences.map((reference) => {
      const text = ownerText(ownerOf(reference, namespace))
      if (!states.has(text)) states.set(text, selectOwnerState(this.#context.sql, text))
      return { uid: reference.uid, state: states.get(text) }
    })
    return reconcile(metadata, references, dependence?.get(uid))
  }

  #take(transaction: Transaction, key: string, object: KubernetesObject, step: Step): Outcome {
    if (step.do === 'nothing') return 'done'
    if (step.do === 'wait') return 'again'
    if (step.do === 'drop references') return this.#dropReferences(transaction, key, object, step.uids)
    try {
      const { registry } = this.#context
      const kind = this.#context.kinds.ofKey(key)
      const existing = transaction.get(key)
      if (kind === undefined || existing === undefined) return 'again'
      if (step.unblock) {
        object.metadata.ownerReferences = unblocked(object.metadata.ownerReferences ?? [])
        writeMetadata({ registry, transaction, kind }, existing, object)
      }
      const latest = transaction.get(key)
      if (latest !== undefined) {
        const options = { propagationPolicy: step.policy }
        removeIn({ registry, transaction, kind: kind.asStored() }, { existing: latest, options, dryRun: false })
      }
      return 'done'
    } catch (error) {
      return refused(key, error)
    }
  }

  #dropReferences(transaction: Transaction, key: string, object: KubernetesObject, uids: ReadonlySet<string>): Outcome {
    const kind = this.#context.kinds.ofKey(key)
    const existing = transaction.get(key)
    if (kind === undefined || existing === undefined) return 'again'
    const { metadata } = object
    const left = (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid))
    if (left.length === 0) delete metadata.ownerReferences
    else metadata.ownerReferences = left
    try {
      writeMetadata({ registry: this.#context.registry, transaction, kind }, existing, object)
      return 'done'
    } catch (error) {
      return refused(key, error)
    }
  }
}
