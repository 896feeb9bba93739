/** The cluster's control object: the collections that decide about other requests, and what namespaces' deletion takes. */
import { tokenKeyPaths } from '../auth/service-accounts/token-keys.ts'
import { defaultCluster } from '../clusters/placement.ts'
import type { JsonObject } from '../meta/json-value.ts'
import type { Registry } from '../registry/registry.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { StoreEvent } from '../storage/store.ts'
import { aggregateClusterRoles, aggregationPrefix } from './cluster-role-aggregation/wiring.ts'
import { earliest, StoreObject } from './collection-object.ts'
import type { Environment } from './environment.ts'
import { NamespaceController } from './namespace/wiring.ts'
import type { Work } from './outbox.ts'
import { PolicyParts } from './policy-parts.ts'
import { ensureDefaultServiceAccount } from './service-account/default-account.ts'
import { ensureRootCertificate } from './service-account/root-certificate.ts'
import { TokenSigner } from './token-signer.ts'

/** Under which key the certificate is kept that all namespaces have been told of. */
const certificateKey = 'root-certificate'

/** One a cluster. */
export class Control extends StoreObject {
  readonly #namespaces: NamespaceController
  readonly #policyParts: PolicyParts
  readonly #signer: TokenSigner
  /** Until the first look, which comes of itself, no other is begun. */
  #aggregating = true

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#policyParts = new PolicyParts(this.store)
    this.#namespaces = new NamespaceController(ctx, this.registry, this.objects)
    this.#signer = new TokenSigner(ctx.storage)
  }

  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/policy') return this.#policy(url.searchParams)
    if (url.pathname === '/collections') return this.#namespaces.register(await request.text())
    if (url.pathname === '/health') return this.#health()
    if (url.pathname === tokenKeyPaths.sign) return new Response(await this.#signer.sign((await request.json()) as JsonObject))
    if (url.pathname === tokenKeyPaths.keys) return Response.json(await this.#signer.published())
    return super.fetch(request)
  }

  protected override surroundings(): Pick<Registry, 'rbac'> {
    return { rbac: () => this.#policyParts.rbac }
  }

  protected override works(): Readonly<Record<string, Work>> {
    return {
      // What each namespace has from the beginning is in other collections.
      [namespaceCreated.slice(0, -1)]: async (name) => {
        if (this.store.get(`namespaces/${name}`) === undefined) return true
        await ensureDefaultServiceAccount(this.objects, defaultCluster, name)
        await ensureRootCertificate(this.objects, defaultCluster, name, this.env.ROOT_CERTIFICATE ?? '')
        return true
      },
    }
  }

  protected override applied(keys: readonly string[]): void {
    this.#policyParts.changed(keys)
    if (keys.some((key) => key.startsWith(aggregationPrefix))) this.#aggregate()
  }

  protected override async started(): Promise<void> {
    this.#aggregating = false
    await aggregateClusterRoles(this.registry)
    this.#publishCertificate()
    await this.armAlarm()
  }

  /** Another certificate than before has to be in all namespaces. */
  #publishCertificate(): void {
    const certificate = this.env.ROOT_CERTIFICATE ?? ''
    if (this.ctx.storage.kv.get<string>(certificateKey) === certificate) return
    for (const name of this.#namespaces.names()) this.outbox.note(`${namespaceCreated}${name}`)
    this.ctx.storage.kv.put(certificateKey, certificate)
  }

  /** In the background; several changes at once are looked at together. */
  #aggregate(): void {
    if (this.#aggregating) return
    this.#aggregating = true
    // What has changed is not told here but when the commit ends: the look comes after it.
    const look = Promise.resolve().then(() => {
      this.#aggregating = false
      return aggregateClusterRoles(this.registry)
    })
    this.ctx.waitUntil(look.catch((error: unknown) => console.error('aggregation of cluster roles:', error)))
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
    return earliest(super.nextAlarm(now), this.#namespaces.nextAlarm())
  }

  protected override async work(): Promise<void> {
    await super.work()
    await this.#namespaces.work()
  }
}
