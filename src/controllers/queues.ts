/** The controllers of one Durable Object, with their queues. */

import { type PlacedObject, prefixOfCollection } from '../clusters/placement.ts'
import type { ControllerName } from '../config/controllers.ts'
import { isEnabled } from '../config/feature-gates.ts'
import type { StoreEvent } from '../storage/store.ts'
import type { Alarms } from './alarms.ts'
import type { ControlledCollection, Controller, QueueName, Reconciler } from './controller.ts'
import { firstTimes, Queue } from './queue.ts'

/** The parts of a Durable Object that its queues depend on. */
export interface QueuedParts {
  readonly object: PlacedObject
  readonly storage: DurableObjectStorage
  readonly alarms: Alarms
  readonly now: () => number
  readonly enabled: ReadonlySet<ControllerName>
}

type Declaration = Omit<Controller<never>, 'open'>

/** A controller that runs in the object. */
interface OpenController {
  readonly declaration: Declaration
  readonly reconciler: Reconciler
  readonly queue: Queue
}

const collectionOf = ({ group, resource }: ControlledCollection): string => prefixOfCollection(group, resource)

/**
 * The queues of one Durable Object.
 *
 * @example
 * ```ts
 * queues.open(collectionControllers, kernel) // while the object is opened
 * queues.add(forkProgress, '') // in the turn of a commit
 * ```
 */
export class Queues {
  readonly #parts: QueuedParts
  /** The times of the first keys when the object was opened. */
  readonly #times: ReadonlyMap<string, number>
  readonly #open = new Map<string, OpenController>()
  /** The controllers by the key prefixes that they watch, which end with the first slash of a key. */
  readonly #watching = new Map<string, OpenController[]>()
  /** The queues that writes wait for. */
  readonly #awaited: Queue[] = []

  constructor(parts: QueuedParts) {
    this.#parts = parts
    this.#times = firstTimes(parts.storage)
  }

  /** Opens those of the controllers that are enabled and belong to this object. */
  open<Context>(controllers: readonly Controller<Context>[], context: Context): void {
    const { storage, now } = this.#parts
    for (const { open, ...declaration } of controllers) {
      if (!this.#isHere(declaration)) continue
      const reconciler = open(context)
      const controller = { declaration, reconciler, queue: new Queue(storage, now, declaration, reconciler, this.#times) }
      this.#open.set(declaration.name, controller)
      if (declaration.awaitedBy === 'write') this.#awaited.push(controller.queue)
      const { at, watches = at === undefined ? [] : [`${collectionOf(at)}/`] } = declaration
      for (const prefix of watches) this.#watching.set(prefix, [...(this.#watching.get(prefix) ?? []), controller])
    }
  }

  #isHere({ at, enabledBy, featureGate }: Declaration): boolean {
    const { enabled, object } = this.#parts
    if (featureGate !== undefined && !isEnabled(featureGate)) return false
    if (enabledBy !== undefined && !enabledBy.some((name) => enabled.has(name))) return false
    const { name, placement } = object
    return at === undefined || placement === 'one-object' || name.endsWith(`/${at.group}/${at.resource}`)
  }

  /** The parts of the alarm's work. */
  get jobs(): readonly Queue[] {
    return [...this.#open.values()].map(({ queue }) => queue)
  }

  /** Adds a key as part of the writes of this turn, unless its controller is off. @param after the milliseconds until it is due */
  add({ name }: QueueName, key: string, after?: number): void {
    this.#open.get(name)?.queue.add(key, after)
  }

  /** Whether a key waits. */
  has({ name }: QueueName, key: string): boolean {
    return this.#open.get(name)?.queue.has(key) === true
  }

  /** Whether keys are due or being reconciled. */
  isBusy({ name }: QueueName): boolean {
    const open = this.#open.get(name)
    return open !== undefined && this.#parts.alarms.isBusy(open.queue)
  }

  /** Resolves when the keys that are due have been reconciled. */
  async settle({ name }: QueueName): Promise<void> {
    const { alarms } = this.#parts
    const open = this.#open.get(name)
    if (open !== undefined && alarms.isBusy(open.queue)) await alarms.attempt(open.queue)
  }

  /** Resolves when the work has been done that writes wait for. */
  async settleWrites(): Promise<void> {
    const { alarms } = this.#parts
    for (const queue of this.#awaited) if (alarms.isBusy(queue)) await alarms.attempt(queue)
  }

  /** Adds the keys of the work that may have been missed. */
  findMissed(): void {
    for (const { reconciler, queue } of this.#open.values()) for (const key of reconciler.missed?.() ?? []) queue.add(key)
  }

  /**
   * Adds the keys that follow from a start. Resolves when the work has been done that requests wait for.
   * @param isWanted whether a collection starts
   */
  async start(isWanted: (collection: string) => boolean): Promise<void> {
    const starting = [...this.#open.values()].filter(({ declaration: { at } }) => at === undefined || isWanted(collectionOf(at)))
    for (const { reconciler, queue } of starting) for (const key of reconciler.atStart?.() ?? []) queue.add(key)
    for (const { declaration } of starting) if (declaration.awaitedBy === 'start') await this.settle(declaration)
  }

  /** Adds the keys that follow from a change, within its commit. */
  changed(event: StoreEvent): void {
    const { key } = event.object
    const watching = this.#watching.get(key.slice(0, key.indexOf('/') + 1)) ?? []
    for (const { reconciler, queue } of watching) for (const item of reconciler.keys?.(event) ?? ['']) queue.add(item)
  }

  /** Adds the keys of the work that may not have been finished where an object comes from. */
  arrived(event: StoreEvent, isUnfinished: boolean): void {
    if (isUnfinished) this.changed(event)
  }
}
