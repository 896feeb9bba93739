/** The Durable Object of one collection. */
import type { Kind } from '../catalog/kind.ts'
import { backupPaths } from '../clusters/backup-messages.ts'
import { type ChangedHistory, type Fork, forkPaths, type KeptHistory } from '../clusters/fork-messages.ts'
import type { NamespacePhase } from '../clusters/namespace-facts.ts'
import type { Operation } from '../clusters/operation.ts'
import { clusterOf, defaultCluster } from '../clusters/placement.ts'
import { clusterUidHeader, collectionUrl, fetchInner, replacedResponse } from '../clusters/protocol.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import type { ControllerClients } from '../controllers/admitted-writes.ts'
import { CollectionDefinition } from '../controllers/crd/collection-definition.ts'
import { type CollectionRegistration, type RegistrationAnswer, registrationPath } from '../controllers/namespace/collections.ts'
import { ApiError } from '../meta/errors.ts'
import type { Registry } from '../registry/registry.ts'
import { collectionStateOf } from './collection-state.ts'
import { progressOf } from './fork-copies.ts'
import { dataPath } from './inner-paths.ts'
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

  constructor(ctx: DurableObjectState, environment: Environment, clients: ControllerClients) {
    super(ctx, environment, clients)
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
    if (uid !== null && uid !== this.#cluster && !(await this.#isOf(uid))) return replacedResponse()
    // A cluster that is being deleted, or restored, answers no questions.
    if (request.url !== collectionUrl + dataPath && !isRestoreRequest(request)) await this.#known()
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
    const path = `${forkPaths.origin}?${new URLSearchParams({ prefix: this.#prefix })}`
    try {
      const response = await fetchInner(this.collections.control(), path)
      return response.status === 204 ? undefined : ((await response.json()) as Fork)
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
      setting: objectSettings(this.env),
      ask: () => this.#askForHistory(),
    })
  }

  /** Asks the control object which history has to be kept; undefined if the cluster does not exist any more. */
  async #askForHistory(): Promise<KeptHistory | undefined> {
    const path = `${forkPaths.kept}?${new URLSearchParams({ prefix: this.#prefix, relies: '1' })}`
    try {
      return (await (await fetchInner(this.collections.control(), path)).json()) as KeptHistory
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
    const response = await this.collections.control().fetch(`${collectionUrl}/health`, { headers: { [clusterUidHeader]: uid } })
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
    const body = JSON.stringify(registration)
    const response = await fetchInner(this.collections.control(), registrationPath, { method: 'POST', body })
    const { phase = 'Active', ...ranges } = (await response.json()) as RegistrationAnswer
    if (registration.isFirst && phase === 'Active') this.usage.limit(ranges)
    return phase
  }
}

/** Whether a request brings contents: what the collection holds, or has still to copy, does not matter to it. */
function isRestoreRequest({ url }: Request): boolean {
  const { lines, staged, empty, fill } = backupPaths
  return [lines, staged, empty, fill].some((path) => url.startsWith(collectionUrl + path))
}
