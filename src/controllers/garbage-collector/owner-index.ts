/**
 * The owners' half of the garbage collector: notifies the places that hold dependents, and removes the finalizers of deleted
 * owners.
 */
import type { Kind } from '../../catalog/kind.ts'
import { metadataText } from '../../catalog/stored-value.ts'
import type { OwnerAnswer, OwnerLookup } from '../../clusters/owner-messages.ts'
import { logError } from '../../meta/log.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../registry/finalizers.ts'
import { objectOf } from '../../registry/stored-object.ts'
import {
  type DeletionPhase,
  type DueDeletion,
  deleteDeletion,
  deleteDeletions,
  hasDeletionsElsewhere,
  insertDeletion,
  insertDependentPlace,
  postponeDeletion,
  selectDependentPlaces,
  selectDueDeletions,
  selectKeysEndingIn,
} from '../../storage/owner-statements.ts'
import type { Stored, StoreEvent } from '../../storage/store.ts'
import type { AdmissionOfWrite } from '../admitted-writes.ts'
import type { CollectorContext } from './context.ts'
import { placeInKind, prefixOfKey } from './kinds.ts'
import { reminderDelay, retryDelay } from './reconcile.ts'
import { ReviewedWrites } from './reviewed-writes.ts'
import { writeMetadata } from './write-metadata.ts'

/** The maximum number of owners in one message. */
const messageOwners = 500
/** The maximum number of objects with the same name in different namespaces that are searched for an owner. */
const namesakes = 100

const finalizers: Readonly<Record<Exclude<DeletionPhase, 'gone'>, string>> = {
  foreground: foregroundFinalizer,
  orphan: orphanFinalizer,
}

/** Returns the deletion phase of an object by its finalizers: waiting until its dependents are orphaned, or deleted. */
function phaseOf(metadata: ObjectMeta | undefined): Exclude<DeletionPhase, 'gone'> | undefined {
  if (metadata?.deletionTimestamp === undefined) return undefined
  if (metadata.finalizers?.includes(orphanFinalizer) === true) return 'orphan'
  return metadata.finalizers?.includes(foregroundFinalizer) === true ? 'foreground' : undefined
}

const metadataOf = (stored: Stored | undefined): ObjectMeta | undefined =>
  stored === undefined ? undefined : (JSON.parse(metadataText(stored.value)) as ObjectMeta)

/** The owners' half for one collection. */
export class OwnerIndex {
  readonly #context: CollectorContext
  /** The places that hold dependents of a collection's objects, by collection. */
  readonly #places = new Map<string, Set<string>>()

  constructor(context: CollectorContext) {
    this.#context = context
    for (const { prefix, place } of selectDependentPlaces(context.sql)) this.#placesOf(prefix).add(place)
  }

  /** The places that hold dependents of the collection's objects. */
  #placesOf(prefix: string): Set<string> {
    const places = this.#places.get(prefix) ?? new Set<string>()
    this.#places.set(prefix, places)
    return places
  }

  /** Returns the places that may hold dependents of the collection's objects. */
  placesOf(prefix: string): ReadonlySet<string> {
    return this.#placesOf(prefix)
  }

  /** Records that a place holds dependents. */
  introduce(place: string, prefixes: readonly string[]): void {
    for (const prefix of prefixes) {
      insertDependentPlace(this.#context.sql, prefix, place)
      this.#placesOf(prefix).add(place)
    }
  }

  /**
   * Records, within the commit, the places to notify of a deletion, and when.
   * @returns whether a place has to be notified
   */
  changed(event: StoreEvent, at: number): boolean {
    const { type, object } = event
    if (type === 'DELETED') return this.#gone(object, at)
    if (!object.value.includes('"deletionTimestamp":')) return false
    const metadata = metadataOf(object)
    const phase = phaseOf(metadata)
    if (phase === undefined || phase === phaseOf(metadataOf(event.previous))) return false
    this.#wait(object.key, metadata?.uid ?? '', phase, at)
    return true
  }

  #gone(object: Stored, at: number): boolean {
    const places = this.#placesOf(prefixOfKey(object.key))
    // The object may have waited for its dependents, and its finalizer may have been removed by a client.
    if (places.size === 0 && !object.value.includes('"deletionTimestamp":')) return false
    const uid = metadataOf(object)?.uid ?? ''
    deleteDeletions(this.#context.sql, uid)
    for (const place of places) insertDeletion(this.#context.sql, { uid, place, key: object.key, phase: 'gone' }, at)
    return places.size > 0
  }

  /** Records that the owner waits for the notified places, and afterwards for the removal of its finalizer. */
  #wait(key: string, uid: string, phase: Exclude<DeletionPhase, 'gone'>, at: number): void {
    const { sql } = this.#context
    deleteDeletions(sql, uid)
    for (const place of this.#placesOf(prefixOfKey(key))) insertDeletion(sql, { uid, place, key, phase }, at)
    insertDeletion(sql, { uid, place: '', key, phase }, at)
  }

  /** Answers the state of owners. An owner that waits for its dependents then also waits for the asking place. */
  ask(place: string, owners: readonly OwnerLookup[], now: number): OwnerAnswer[] {
    return owners.map(({ uid, key }) => {
      const metadata = metadataOf(this.#context.registry.store.get(key))
      if (metadata?.uid !== uid) return this.#isElsewhere(uid, key) ? { state: 'gone', elsewhere: true } : { state: 'gone' }
      if (phaseOf(metadata) !== 'foreground') return { state: 'solid' }
      insertDeletion(this.#context.sql, { uid, place, key, phase: 'foreground' }, now + reminderDelay(0))
      return { state: 'foreground' }
    })
  }

  /** Whether the owner exists in another namespace: the mistake behind most references across namespaces. */
  #isElsewhere(uid: string, key: string): boolean {
    const { sql, registry } = this.#context
    const kind = this.#context.kinds.ofKey(key)
    if (kind?.namespaced !== true) return false
    const { prefix } = kind.storage
    const end = `/${placeInKind(kind, key).name}`
    const keys = selectKeysEndingIn(sql, { from: `${prefix}/`, to: `${prefix}0` }, end, namesakes)
    return keys.some((other) => other !== key && metadataOf(registry.store.get(other))?.uid === uid)
  }

  /** Records that a place has processed its dependents. */
  done(place: string, uid: string, phase: DeletionPhase, now: number): void {
    const { sql } = this.#context
    deleteDeletion(sql, { uid, place, phase })
    if (!hasDeletionsElsewhere(sql, uid)) postponeDeletion(sql, { uid, place: '', phase, attempt: -1 }, now)
  }

  /** Notifies the places that are due, and finishes owners for which no place has anything left to do. */
  async work(now: number): Promise<void> {
    const due = selectDueDeletions(this.#context.sql, now, messageOwners)
    const messages = new Map<string, DueDeletion[]>()
    for (const deletion of due) {
      if (deletion.place === '') continue
      const name = `${deletion.phase} ${deletion.place}`
      const others = messages.get(name)
      if (others === undefined) messages.set(name, [deletion])
      else others.push(deletion)
    }
    await Promise.all([...messages.values()].map((deletions) => this.#tell(deletions)))
    const admission = this.#context.writes.admissionOnce()
    for (const deletion of due) if (deletion.place === '') await this.#finish(deletion, admission)
  }

  async #tell(deletions: readonly DueDeletion[]): Promise<void> {
    const { sql, registry, place: own } = this.#context
    const [first] = deletions
    if (first === undefined) return
    const { place, phase } = first
    try {
      const free = new Set(
        await this.#context.send(place, { do: 'tell', place: own, phase, uids: deletions.map(({ uid }) => uid) }),
      )
      for (const deletion of deletions) {
        if (phase === 'gone') deleteDeletion(sql, deletion)
        else if (free.has(deletion.uid)) this.done(place, deletion.uid, phase, registry.now())
        else postponeDeletion(sql, deletion, registry.now() + reminderDelay(deletion.attempt))
      }
    } catch (error) {
      logError(`garbage collection: ${place} could not be told`, error)
      for (const deletion of deletions) postponeDeletion(sql, deletion, registry.now() + retryDelay(deletion.attempt))
    }
  }

  /** Removes the finalizer unless a place has not finished; that place's answer makes the owner due again. */
  async #finish(deletion: DueDeletion, admission: () => Promise<AdmissionOfWrite>): Promise<void> {
    const { sql, registry } = this.#context
    const { uid, key, phase } = deletion
    if (hasDeletionsElsewhere(sql, uid)) {
      postponeDeletion(sql, { ...deletion, attempt: -1 }, null)
      return
    }
    const kind = this.#context.kinds.ofKey(key)
    try {
      if (kind !== undefined && phase !== 'gone') {
        const reviewed = new ReviewedWrites(this.#context, await admission())
        if (reviewed.mayMatch(key)) await this.#requestWithout(reviewed, kind, key, uid, finalizers[phase])
        else await this.#removeFinalizer(kind, key, uid, finalizers[phase])
      }
      deleteDeletion(sql, deletion)
    } catch (error) {
      logError(`garbage collection: ${key} could not be let go`, error)
      postponeDeletion(sql, deletion, registry.now() + retryDelay(deletion.attempt))
    }
  }

  /** Removes the finalizer by an operation that policies or webhooks admit. */
  async #requestWithout(reviewed: ReviewedWrites, kind: Kind, key: string, uid: string, finalizer: string): Promise<void> {
    const metadata = metadataOf(this.#context.registry.store.get(key))
    if (metadata?.uid !== uid || metadata.finalizers?.includes(finalizer) !== true) return
    await reviewed.patch(kind, key, metadata, { finalizers: metadata.finalizers.filter((name) => name !== finalizer) })
  }

  #removeFinalizer(kind: Kind, key: string, uid: string, finalizer: string): Promise<void> {
    const { registry } = this.#context
    return registry.store.write((transaction) => {
      const existing = transaction.get(key)
      if (existing === undefined) return
      const object = objectOf(existing)
      const { metadata } = object
      if (metadata.uid !== uid || metadata.finalizers?.includes(finalizer) !== true) return
      metadata.finalizers = metadata.finalizers.filter((name) => name !== finalizer)
      writeMetadata({ registry, transaction, kind }, existing, object)
    })
  }
}
