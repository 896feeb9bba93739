/**
 * The kernel of a Durable Object: what every object of a cluster has. It is built in one straight function
 * (durable-objects/open-kernel.ts); features are built on top of it.
 */

import type { ClusterPlace } from '../clusters/cluster-terms.ts'
import type { CollectionClient } from '../clusters/collection-client.ts'
import type { Declaration } from '../clusters/message.ts'
import type { Operation } from '../clusters/operation.ts'
import type { ClusterPlacement } from '../clusters/placement.ts'
import type { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import type { WebhookTransport } from '../clusters/webhooks/transport.ts'
import type { ControllerName } from '../config/controllers.ts'
import type { Environment } from '../config/environment.ts'
import type { ObjectSettingValues } from '../config/settings.ts'
import type { Registry } from '../registry/registry.ts'
import type { StoreMetrics } from '../registry/store-metrics.ts'
import type { Database } from '../storage/database.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import type { Stored, StoreEvent } from '../storage/store.ts'
import type { WritesOf } from './admitted-writes.ts'
import type { AlarmPart, Alarms } from './alarms.ts'
import type { Queues } from './queues.ts'

/** The parts that every Durable Object of a cluster has. */
export interface Kernel {
  readonly ctx: DurableObjectState
  readonly env: Environment
  /** The settings of the deployment. */
  readonly settings: ObjectSettingValues
  /** The name of the object. */
  readonly name: string
  /** The name of its cluster. */
  readonly cluster: string
  /** The placement of the cluster. */
  readonly placement: ClusterPlacement
  readonly database: Database
  readonly store: SqliteStore
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
  readonly metrics: StoreMetrics
  /** The client of the cluster's collections. A request to the object itself is a call. */
  readonly client: CollectionClient
  /** Returns a client of another cluster's collections. @param place where they are; absent to find that out */
  readonly clusterClient: (name: string, place?: ClusterPlace) => CollectionClient
  /** The connections to other servers that are kept. */
  readonly pool: ConnectionPool
  readonly webhooks: WebhookTransport
  /** The dependencies of the verbs: those of the kernel, and those that features add. */
  readonly registry: Registry
  /** Makes the writes of a controller that policies and webhooks see. */
  readonly writesOf: WritesOf
  /** The controllers that are enabled. */
  readonly controllers: ReadonlySet<ControllerName>
  readonly alarms: Alarms
  /** The controllers that run in the object, with their queues. */
  readonly queues: Queues
  readonly events: ObjectEvents
  /** Whether this instance has ended: what it has in memory is no longer true. */
  readonly isEnding: boolean
  /** Ends this instance. The runtime fails its requests, this one included, and makes a new one for the next request. */
  readonly restart: (reason: string) => Promise<void>
}

/** The events of one Durable Object, to which its features react. */
export interface Reactions {
  /** A change, within its commit. */
  changed?(event: StoreEvent): void
  /** Changed keys in the turn of their commit; without keys, anything may have changed. */
  applied?(keys: readonly string[]): void
  /**
   * An object that has come from another place, in the transaction that writes it. Work that belongs to it may not have been
   * finished there if `isUnfinished`.
   */
  arrived?(event: StoreEvent, isUnfinished: boolean): void
  /** A place holds dependents of a collection's objects, which have come from another cluster. */
  introduced?(place: string, prefix: string): void
  /** All objects of a collection have come from another cluster, whose version was this one at that time; in a transaction. */
  copied?(prefix: string, version: number, time: number): void
  /** The contents are deleted before a restore; in the transaction. */
  emptied?(): void
  /** A restore has ended; in the transaction. */
  restored?(): void
}

/** A part of a Durable Object. */
export interface Feature extends Reactions {
  /** The parts of the alarm's work. */
  readonly jobs?: readonly AlarmPart[]
  /** The services that it adds to those of the verbs. */
  readonly registry?: Partial<Registry>
  /**
   * Lets a request pass, or answers it in place of its message or operation. Features are asked in their order.
   * @param message undefined for an operation, and for a message that this release does not know
   */
  admit?(request: Request, message: Declaration | undefined): Response | undefined | Promise<Response | undefined>
  /** Runs before an operation is performed. */
  prepare?(operation: Operation): Promise<void> | undefined
  /** Does the work of the alarm in place of the jobs, or resolves to false. */
  beforeAlarm?(): Promise<'done' | 'go on'>
}

/** The reactions of an object's features, in their order. */
export class ObjectEvents {
  readonly #changed: ((event: StoreEvent) => void)[] = []
  readonly #applied: ((keys: readonly string[]) => void)[] = []
  readonly #others: Reactions[] = []

  /** Adds the reactions of a feature. */
  add(reactions: Reactions): void {
    const { changed, applied } = reactions
    if (changed !== undefined) this.#changed.push((event) => reactions.changed?.(event))
    if (applied !== undefined) this.#applied.push((keys) => reactions.applied?.(keys))
    this.#others.push(reactions)
  }

  changed(event: StoreEvent): void {
    for (const react of this.#changed) react(event)
  }

  applied(keys: readonly string[]): void {
    for (const react of this.#applied) react(keys)
  }

  /** Tells that an object has come from another place. Call it in the transaction that writes it. */
  arrived(object: Stored, isUnfinished: boolean): void {
    const event: StoreEvent = { type: 'ADDED', object, previous: undefined }
    for (const reactions of this.#others) reactions.arrived?.(event, isUnfinished)
  }

  introduced(place: string, prefix: string): void {
    for (const reactions of this.#others) reactions.introduced?.(place, prefix)
  }

  copied(prefix: string, version: number, time: number): void {
    for (const reactions of this.#others) reactions.copied?.(prefix, version, time)
  }

  emptied(): void {
    for (const reactions of this.#others) reactions.emptied?.()
  }

  restored(): void {
    for (const reactions of this.#others) reactions.restored?.()
  }
}
