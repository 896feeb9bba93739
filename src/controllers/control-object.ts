/** The cluster's control object: the collections that decide about other requests, and what namespaces' deletion takes. */
import { type ControlMetrics, metricsUrl } from '../clusters/collection-metrics.ts'
import { operationOf } from '../clusters/operation.ts'
import { controlledCollections } from '../clusters/placement.ts'
import type { Registry } from '../registry/registry.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { StoreEvent } from '../storage/store.ts'
import { aggregateClusterRoles, aggregationPrefix } from './cluster-role-aggregation/wiring.ts'
import { earliest, outboxPrefix, StoreObject } from './collection-object.ts'
import type { Environment } from './environment.ts'
import { flowControlPrefixes, updateFlowSchemaStatus } from './flow-schema-status/wiring.ts'
import { messageUrl } from './garbage-collector/messages.ts'
import { Looks } from './looks.ts'
import { NamespaceController } from './namespace/wiring.ts'
import { PolicyParts } from './policy-parts.ts'
import { ensureDefaultServiceAccount } from './service-accounts.ts'

/** How long after a failure the outbox is tried again, in milliseconds. */
const outboxRetry = 2000

/** One a cluster. */
export class Control extends StoreObject {
  readonly #namespaces: NamespaceController
  readonly #policyParts: PolicyParts
  /** Entries of before a restart are looked for once. */
  #outboxDue: number | undefined = 0
  readonly #aggregation: Looks
  readonly #flowControl: Looks

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#policyParts = new PolicyParts(this.store)
    this.#aggregation = new Looks(ctx, 'aggregation of cluster roles', () => aggregateClusterRoles(this.registry))
    this.#flowControl = new Looks(ctx, 'status of flow schemas', () => updateFlowSchemaStatus(this.registry))
    this.#namespaces = new NamespaceController(ctx, this.registry, this.objects)
  }

  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/policy') return this.#policy(url.searchParams)
    if (url.pathname === '/collections') return this.#namespaces.register(await request.text())
    if (url.pathname === '/health') return this.#health()
    if (request.url === messageUrl || request.url === metricsUrl) return super.fetch(request)
    const { target, verb } = operationOf(request)
    const response = await super.fetch(request)
    if (target.resource === 'namespaces' && verb === 'create') {
      this.#outboxDue ??= Date.now()
      await this.armAlarm()
    }
    return response
  }

  protected override surroundings(): Pick<Registry, 'rbac'> {
    return { rbac: () => this.#policyParts.rbac }
  }

  protected override applied(keys: readonly string[]): void {
    this.#policyParts.changed(keys)
    if (keys.some((key) => key.startsWith(aggregationPrefix))) this.#aggregation.begin()
    if (keys.some((key) => flowControlPrefixes.some((prefix) => key.startsWith(prefix)))) this.#flowControl.begin()
  }

  protected override async started(): Promise<void> {
    await this.#aggregation.first()
    // Nobody waits for a condition that only tells people of a mistake.
    this.#flowControl.open()
    this.#flowControl.begin()
  }

  protected override async metrics(): Promise<ControlMetrics> {
    const { watches } = await super.metrics()
    const objects = this.countObjects([...controlledCollections])
    return { objects, watches, collections: await this.#namespaces.collections() }
  }

  /** The parts of the snapshot that the asker does not have. */
  async #policy(known: URLSearchParams): Promise<Response> {
    // What is read before the first write is durable may still be lost.
    await this.ctx.storage.sync()
    return Response.json(this.#policyParts.changesSince(known))
  }

  /** Storage answers: a row is written, made durable and read. */
  async #health(): Promise<Response> {
    this.ctx.storage.sql.exec('SELECT 1').one()
    await this.ctx.storage.sync()
    return new Response('ok')
  }

  /** Whoever deletes a namespace, a client or the garbage collector: its content has to go. */
  protected override changed(event: StoreEvent): void {
    super.changed(event)
    const { key, value } = event.object
    if (!key.startsWith('namespaces/') || !value.includes('"deletionTimestamp":')) return
    this.#namespaces.noticed(key.slice('namespaces/'.length))
    void this.armAlarm()
  }

  protected override nextAlarm(now: number): number | undefined {
    return earliest(super.nextAlarm(now), this.#namespaces.nextAlarm(), this.#outboxDue)
  }

  protected override async work(): Promise<void> {
    await super.work()
    await this.#namespaces.work()
    await this.#drainOutbox()
  }

  /** Does what commits have noted. An entry goes when its work is done; what fails is tried again. */
  async #drainOutbox(): Promise<void> {
    const entries = await this.ctx.storage.list({ prefix: outboxPrefix + namespaceCreated })
    this.#outboxDue = undefined
    for (const key of entries.keys()) {
      const name = key.slice(outboxPrefix.length + namespaceCreated.length)
      try {
        if (this.store.get(`namespaces/${name}`) !== undefined) await ensureDefaultServiceAccount(this.objects, name)
        await this.ctx.storage.delete(key)
      } catch (error) {
        console.error(`service account of ${name}:`, error)
        this.#outboxDue = Date.now() + outboxRetry
      }
    }
  }
}
