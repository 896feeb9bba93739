/** The Durable Object of one collection. */

import type { Kind } from '../catalog/kind.ts'
import { controlProtocol } from '../clusters/control-protocol.ts'
import type { ChangedHistory, Fork, KeptHistory } from '../clusters/fork-messages.ts'
import { exchange, send } from '../clusters/message.ts'
import type { NamespacePhase } from '../clusters/namespace-facts.ts'
import type { Operation } from '../clusters/operation.ts'
import { clusterOf, defaultCluster } from '../clusters/placement.ts'
import { clusterUidHeader, collectionUrl, withHeaders } from '../clusters/protocol.ts'
import type { CollectionRegistration } from '../clusters/registration-messages.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import { type Environment, historyOf } from '../config/environment.ts'
import { CollectionDefinition } from '../controllers/crd/collection-definition.ts'
import { ApiError, ClusterReplaced } from '../meta/errors.ts'
import type { Registry } from '../registry/registry.ts'
import { collectionStateOf } from './collection-state.ts'
import { progressOf } from './fork-copies.ts'
import { CollectionHistory } from './object-history.ts'
import { collectionOf, knownName } from './object-name.ts'
import { Registrations } from './registration.ts'
import { StoreObject } from './store-object.ts'

/** One group-resource of one cluster, over all namespaces. */
export class Collection extends StoreObject {
  declare protected readonly history: CollectionHistory
  readonly #registrations: Registrations
  readonly #definition: CollectionDefinition
  #learned: Promise<void> | 'learned' | undefined
  /** The uid of the cluster, once the control object has confirmed it. */
  #cluster: string | undefined

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#registrations = new Registrations({ storage: ctx.storage, send: (registration) => this.#tellControl(registration) })
    const { group, resource } = collectionOf(this.placed.name)
    this.#definition = new CollectionDefinition(
      ctx.storage,
      this.collections,
      `${resource}.${group}`,
      collectionStateOf({
        store: this.store,
        copies: this.copies,
        outside: this.webhooks,
        isUsed: () => this.database.hasTables,
      }),
    )
  }

  /** Whether it is known that the collection does not have to be copied from another cluster. */
  get #isSettled(): boolean {
    if (clusterOf(this.placed.name) === defaultCluster) return true
    const progress = progressOf(this.ctx.storage, this.#prefix)
    return progress === 'copied' || (progress === undefined && this.database.hasTables)
  }

  get #prefix(): string {
    return this.prefixes[0] ?? ''
  }

  /** A collection of a fork begins when its objects have been copied. */
  protected override isInUse(): boolean {
    return this.#isSettled
  }

  override async fetch(request: Request): Promise<Response> {
    const uid = request.headers.get(clusterUidHeader)
    if (uid !== null && uid !== this.#cluster && !(await this.#isOf(uid))) return errorResponse(new ClusterReplaced())
    // A cluster that is being deleted, or restored, answers no questions.
    const message = request.url === collectionUrl ? undefined : this.receiver.messageOf(request)
    if (message?.answeredWhile.includes('uncopied') !== true) await this.#known()
    return super.fetch(request)
  }

  protected override isOfCluster(uid: string | undefined): boolean {
    return uid === undefined || uid === this.#cluster
  }

  /** Resolves when it is known whether the collection has to be copied. All requests and the alarm share one copy. */
  #known(): Promise<void> | undefined {
    this.#learned ??= this.#isSettled ? 'learned' : this.#learn()
    return this.#learned === 'learned' ? undefined : this.#learned
  }

  /** Asks the control object whether the collection has to be copied from another cluster. */
  async #learn(): Promise<void> {
    try {
      const fork = await this.#origin()
      if (fork === undefined) await this.begin()
      else this.copies.begin(fork, [this.#prefix])
      this.#learned = 'learned'
    } catch (error) {
      this.#learned = undefined
      throw error
    }
  }

  /** Returns the fork if the collection is still to be copied. In a cluster that does not exist there is nothing to copy. */
  async #origin(): Promise<Fork | undefined> {
    try {
      return await send(this.collections.control(), controlProtocol.forkOrigin, { prefix: this.#prefix })
    } catch (error) {
      const isBegun = progressOf(this.ctx.storage, this.#prefix) !== undefined
      if (!isBegun && error instanceof ApiError && error.code === 404) return undefined
      throw error
    }
  }

  protected override makeHistory(): CollectionHistory {
    return new CollectionHistory({
      kv: this.ctx.storage.kv,
      isNamed: clusterOf(knownName(this.database)) !== defaultCluster,
      setting: historyOf(this.env),
      ask: () => this.#askForHistory(),
    })
  }

  /** Asks the control object which history has to be kept; undefined if the cluster does not exist any more. */
  async #askForHistory(): Promise<KeptHistory | undefined> {
    try {
      return await send(this.collections.control(), controlProtocol.keptHistory, { prefix: this.#prefix, relies: true })
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined
      throw error
    }
  }

  protected override async historyChanged({ historySeconds }: ChangedHistory): Promise<void> {
    this.history.changed(historySeconds)
    await this.armAlarm()
  }

  protected override settleCopy(prefix: string, version: number, time: number): void {
    super.settleCopy(prefix, version, time)
    this.database.endHistory(version, time)
  }

  protected override async arrived(prefix: string): Promise<void> {
    this.store.reopen()
    await super.arrived(prefix)
  }

  override async alarm(): Promise<void> {
    await this.#known()
    await this.copies.copy()
    await super.alarm()
  }

  /** Whether the cluster of this object has the uid. Its control object knows; it ends this object with the cluster. */
  async #isOf(uid: string): Promise<boolean> {
    const control = withHeaders(this.collections.control(), { [clusterUidHeader]: uid })
    const response = await exchange(control, controlProtocol.health, undefined)
    await response.body?.cancel()
    if (response.ok) this.#cluster = uid
    return response.ok
  }

  protected override customKindOf(group: string, version: string, resource: string): Kind | undefined {
    return this.#definition.kindOf(group, version, resource)
  }

  protected override storedCustomKind(prefix: string): Kind | undefined {
    const kind = this.#definition.storageKind
    return kind?.storage.prefix === prefix ? kind : undefined
  }

  protected override async perform(operation: Operation, request: Request, registry: Registry): Promise<Response> {
    if (operation.definition !== undefined) await this.#definition.require(operation.definition)
    return super.perform(operation, request, registry)
  }

  /** A create waits until the control object has registered the collection, so that namespace deletions find its objects. */
  protected override registryOptions(): Partial<Registry> {
    return {
      namespacePhase: ({ kind: { group, version, resource }, namespace, lookups }) =>
        this.#registrations.phaseOf({ group, version, resource }, namespace, lookups),
    }
  }

  protected override revokeRegistration(namespace: string): void {
    this.#registrations.revoke(namespace)
  }

  async #tellControl(registration: CollectionRegistration): Promise<NamespacePhase | null> {
    this.#definition.store()
    const answer = await send(this.collections.control(), controlProtocol.register, registration)
    const { phase = 'Active', ...ranges } = answer
    if (registration.isFirst && phase === 'Active') this.usage.limit(ranges)
    return phase
  }
}
