/**
 * The controller of CustomResourceDefinitions: accepts names, establishes definitions, and deletes the instances of a deleted
 * definition before the definition itself.
 */

import { orderFields } from '../../catalog/field-order.ts'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { allObjects, type Operation } from '../../clusters/operation.ts'
import {
  type CustomResourceDefinition,
  cleanupFinalizer,
  type DefinitionStatus,
  definitionPrefix,
  isTrue,
} from '../../crd/definition.ts'
import { hasInvalidCaBundle } from '../../crd/validation/conversion.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { logError } from '../../meta/log.ts'
import { serverManager } from '../../meta/managers.ts'
import type { Registry } from '../../registry/registry.ts'
import { type Outline, writeStatusIn } from '../../registry/status-write.ts'
import type { AlarmPart } from '../alarms.ts'
import { DueItems } from '../due-items.ts'
import type { Kernel } from '../kernel.ts'
import { approvalCondition, hasCondition, terminating, withCondition } from './conditions.ts'
import type { Definitions } from './definitions.ts'
import { type Condition, decideNames } from './names.ts'

/** The field manager under which kube-apiserver writes the status. */
const manager = serverManager
/** The pauses between two checks for remaining instances, in milliseconds: `soon` for the first ten seconds, then `later`, doubled. */
const soon = 500
const soonAttempts = 20
const later = 5_000
const longest = 60_000
/** Changed definitions are reconciled at once by the request that changed them; by the alarm only if that failed. */
const missedAfter = 5_000

/** Returns the pause before the next check for remaining instances, in milliseconds. */
const pauseAfter = (attempt: number): number =>
  attempt < soonAttempts ? soon : Math.min(later * 2 ** Math.min(attempt - soonAttempts, 10), longest)

const established: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
}

const invalidCaBundle: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
}

/** The collections of custom resources. */
export interface DefinedCollections {
  /** Whether a collection has ever been written to. */
  readonly hasHeldObjects: (group: string, resource: string) => boolean
  /** Ends the watches of a collection, because its definition is gone. */
  readonly endWatches: (group: string, resource: string) => Promise<void>
}

export class DefinitionController implements AlarmPart {
  readonly name = 'definitions'
  readonly #registry: Registry
  readonly #objects: CollectionClient
  readonly #definitions: Definitions
  readonly #collections: DefinedCollections
  /** Definitions that have changed and have not been reconciled; stored, unlike the queue. */
  readonly #changed: DueItems
  /** Deleted definitions whose instances remain, and deleted or changed ones whose watches remain. */
  readonly #due: DueItems
  /** Definitions that have changed and have not been reconciled. */
  readonly #queue = new Set<string>()
  /** The generations of the definitions that were reconciled. */
  readonly #generations = new Map<string, number>()
  #settling: Promise<void> | undefined

  constructor({ ctx, registry, client }: Kernel, definitions: Definitions, collections: DefinedCollections) {
    this.#collections = collections
    this.#registry = registry
    this.#objects = client
    this.#definitions = definitions
    this.#changed = new DueItems(ctx.storage, 'changed-definitions')
    this.#due = new DueItems(ctx.storage, 'deleted-definitions')
  }

  /** Enqueues a changed definition. Call it in the turn of the commit. */
  enqueue(name: string): void {
    this.#queue.add(name)
    if (!this.#changed.has(name)) this.#changed.set(name, { at: this.#registry.now() + missedAfter, attempt: 0 })
  }

  /** Finds the deleted definitions that an earlier release has not recorded as due. */
  findDeleted(): void {
    for (const name of this.#definitions.deleted()) this.#due.set(name, { at: 0, attempt: 0 })
  }

  /**
   * Resolves when all changed definitions have their names: a definition must be usable as soon as its create request is
   * answered.
   */
  whenSettled(): Promise<void> {
    this.#settling ??= this.#work().finally(() => {
      this.#settling = undefined
    })
    return this.#settling
  }

  /** Whether changed definitions have not been reconciled. */
  get isBusy(): boolean {
    return this.#queue.size > 0 || this.#settling !== undefined
  }

  nextAlarm(): number | undefined {
    const [changed, due] = [this.#changed.nextAlarm(), this.#due.nextAlarm()]
    return changed === undefined || due === undefined ? (changed ?? due) : Math.min(changed, due)
  }

  /** Reconciles every definition that is due. */
  async work(now: number): Promise<void> {
    for (const [name] of this.#changed.dueAt(now)) this.#queue.add(name)
    await this.whenSettled()
    for (const [name, { attempt }] of this.#due.dueAt(this.#registry.now())) {
      const isDone = await this.#cleanUp(name).catch((error: unknown) => {
        logError(`instances of ${name}`, error)
        return false
      })
      if (isDone) this.#due.delete(name)
      else this.#due.set(name, { at: this.#registry.now() + pauseAfter(attempt), attempt: attempt + 1 })
    }
    // Deleted definitions have released their names.
    await this.whenSettled()
  }

  async #work(): Promise<void> {
    while (this.#queue.size > 0) {
      const names = [...this.#queue]
      // If one fails, the alarm repeats it and those after it.
      this.#queue.clear()
      for (const name of names) {
        await this.#reconcile(name)
        // Its own status updates have enqueued it again, until one reconciliation changes nothing.
        if (!this.#queue.has(name)) this.#changed.delete(name)
      }
    }
  }

  async #reconcile(name: string): Promise<void> {
    const definition = this.#definitions.get(name)
    if (definition === undefined) return this.#forget(name)
    if (definition.metadata.deletionTimestamp !== undefined && !this.#due.has(name)) this.#due.set(name, { at: 0, attempt: 0 })
    this.#noticeChange(name, definition.metadata.generation ?? 1)
    const decision = decideNames(definition, this.#definitions.takenIn(definition.spec.group))
    if (decision !== undefined) {
      await this.#updateStatus(name, (status, now) => {
        const named = { ...status, acceptedNames: decision.acceptedNames }
        return withCondition(withCondition(named, decision.namesAccepted, now), decision.established, now)
      })
      this.#releaseNames(name)
    }
    await this.#establish(name)
    const approval = approvalCondition(definition)
    if (approval !== undefined && !hasCondition(definition, approval)) {
      await this.#updateStatus(name, (status, now) => withCondition(status, approval, now))
    }
  }

  async #establish(name: string): Promise<void> {
    const definition = this.#definitions.get(name)
    if (definition === undefined || !isTrue(definition, 'NamesAccepted') || isTrue(definition, 'Established')) return
    const condition = hasInvalidCaBundle(definition.spec.conversion) ? invalidCaBundle : established
    if (!hasCondition(definition, condition))
      await this.#updateStatus(name, (status, now) => withCondition(status, condition, now))
  }

  /** Notices a change of the spec: like kube-apiserver, which makes its storage again, the watches end, so that clients watch again. */
  #noticeChange(name: string, generation: number): void {
    const before = this.#generations.get(name)
    this.#generations.set(name, generation)
    if (generation > 1 && before !== generation && !this.#due.has(name))
      this.#due.set(name, { at: this.#registry.now() + soon, attempt: 0 })
  }

  /** Releases the names of a definition that is gone. Its watches end after a pause, in which they get the last events. */
  #forget(name: string): void {
    this.#generations.delete(name)
    this.#due.set(name, { at: this.#registry.now() + soon, attempt: 0 })
    this.#releaseNames(name)
  }

  /** Enqueues the definitions of the group that wait for names, because names may have become free. */
  #releaseNames(name: string): void {
    const group = name.slice(name.indexOf('.') + 1)
    for (const other of this.#definitions.waitingIn(group)) if (other !== name) this.#queue.add(other)
  }

  /**
   * Deletes the instances, then removes the finalizer of the definition.
   * @returns whether the clean-up is complete
   */
  async #cleanUp(name: string): Promise<boolean> {
    const definition = this.#definitions.get(name)
    if (definition?.metadata.deletionTimestamp === undefined) return this.#endWatches(name)
    if (definition.metadata.finalizers?.includes(cleanupFinalizer) !== true) return true
    await this.#updateStatus(name, (status, now) => withCondition(status, terminating.inProgress, now))
    const isEstablished = isTrue(definition, 'Established')
    if (isEstablished && !(await this.#deleteInstances(definition))) return false
    const condition = isEstablished ? terminating.completed : terminating.neverEstablished
    await this.#update(name, (found, now) => {
      found.status = withCondition(found.status ?? emptyStatus(), condition, now)
      found.metadata.finalizers = (found.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer)
    })
    // The watches end at the next attempt, when they have got the last events.
    return false
  }

  /** Ends the watches of a definition that is gone or has changed. */
  async #endWatches(name: string): Promise<boolean> {
    const dot = name.indexOf('.')
    const [group, resource] = [name.slice(dot + 1), name.slice(0, dot)]
    await this.#collections.endWatches(group, resource)
    return true
  }

  /** @returns whether all instances are gone */
  async #deleteInstances(definition: CustomResourceDefinition): Promise<boolean> {
    const kind = this.#definitions.storageKind(definition.metadata.name ?? '')
    // A collection that was never written to is not touched: creating its database would cost more than all the rest.
    if (kind === undefined || !this.#collections.hasHeldObjects(kind.group, kind.resource)) return true
    const target = {
      group: kind.group,
      version: kind.version,
      resource: kind.resource,
      subresource: '',
      namespace: '',
      name: '',
    }
    await this.#perform(kind, {
      verb: 'deletecollection',
      unconverted: true,
      target,
      list: allObjects,
      delete: {},
      dryRun: false,
    })
    const left = await this.#perform(kind, { verb: 'list', unconverted: true, target, list: { ...allObjects, limit: 1 } })
    const { items } = await left.json<{ items: unknown[] }>()
    return items.length === 0
  }

  #perform(kind: Kind, operation: Operation): Promise<Response> {
    return this.#objects.perform(kind, operation)
  }

  #updateStatus(name: string, change: (status: DefinitionStatus, now: number) => DefinitionStatus): Promise<void> {
    return this.#update(name, (definition, now) => {
      definition.status = change(definition.status ?? emptyStatus(), now)
    })
  }

  /** Updates status and metadata as text, without parsing the schemas, which are large. */
  async #update(name: string, change: (definition: Changed, now: number) => void): Promise<void> {
    const kind = kindOf('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    if (kind === undefined) return
    const changed = (outline: Outline): void => {
      change(outline as Changed, this.#registry.now())
      const { status } = outline
      const type = kind.type.kind === 'struct' ? kind.type.fields.get('status')?.type : undefined
      if (type !== undefined && status !== undefined) orderFields(type, status as JsonValue)
    }
    await this.#registry.store.write((transaction) => {
      const stored = transaction.get(definitionPrefix + name)
      if (stored === undefined) return
      if (!writeStatusIn(this.#registry, transaction, stored, { kind, manager, change: changed })) {
        throw new Error(`the definition ${name} is not stored as definitions are`)
      }
    })
  }
}

/** The parts of a definition that this controller changes. */
type Changed = Pick<CustomResourceDefinition, 'metadata' | 'status'>

const emptyStatus = (): DefinitionStatus => ({ conditions: [], acceptedNames: { plural: '', kind: '' }, storedVersions: [] })
