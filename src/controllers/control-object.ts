/** The cluster's control object: the collections that decide about other requests, and what namespaces' deletion takes. */
import { operationOf } from '../clusters/operation.ts'
import type { NamespacePhase, PolicySnapshot } from '../clusters/policy.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { StoreEvent } from '../storage/store.ts'
import { earliest, outboxPrefix, StoreObject } from './collection-object.ts'
import type { Environment } from './environment.ts'
import { messageUrl } from './garbage-collector/messages.ts'
import { NamespaceController } from './namespace/wiring.ts'
import { ensureDefaultServiceAccount } from './service-accounts.ts'

/** How long after a failure the outbox is tried again, in milliseconds. */
const outboxRetry = 2000

/** Namespaces that one page of the snapshot reads. */
const pageRows = 1000

/** One a cluster. */
export class Control extends StoreObject {
  readonly #namespaces: NamespaceController
  /** Entries of before a restart are looked for once. */
  #outboxDue: number | undefined = 0

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#namespaces = new NamespaceController(ctx, this.registry, this.objects)
  }

  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/policy') return this.#policy(Number(url.searchParams.get('version')))
    if (url.pathname === '/collections') return this.#namespaces.register(await request.text())
    if (url.pathname === '/health') return this.#health()
    if (request.url === messageUrl) return super.fetch(request)
    const { target, verb } = operationOf(request)
    const response = await super.fetch(request)
    if (target.resource === 'namespaces' && verb === 'create') {
      this.#outboxDue ??= Date.now()
      await this.armAlarm()
    }
    return response
  }

  /** The snapshot, or 304 where the asker has it. */
  async #policy(known: number): Promise<Response> {
    const { store } = this
    // What is read before the first write is durable may still be lost.
    await this.ctx.storage.sync()
    if (known === store.resourceVersion) return new Response(null, { status: 304 })
    const snapshot: PolicySnapshot = { version: store.resourceVersion, namespaces: this.#phases() }
    return Response.json(snapshot)
  }

  #phases(): Record<string, NamespacePhase> {
    const phases: [string, NamespacePhase][] = []
    for (let after = ''; ; ) {
      const page = this.store.list({ prefix: 'namespaces/', after, limit: pageRows, resourceVersion: this.store.resourceVersion })
      for (const { key, value } of page.items) {
        phases.push([key.slice('namespaces/'.length), value.includes('"deletionTimestamp":') ? terminatingOf(value) : 'Active'])
      }
      if (!page.more) return Object.fromEntries(phases)
      after = page.items.at(-1)?.key ?? after
    }
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

/** The text is a quick sign only: it might stand in an annotation. */
function terminatingOf(value: string): NamespacePhase {
  const { metadata } = JSON.parse(value) as { metadata: { deletionTimestamp?: string } }
  return metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating'
}
