/** The control object of a cluster: the collections that decide about other requests, and the namespace controller. */
import { shared } from '../clusters/admission-configuration.ts'
import type { ControlMetrics } from '../clusters/collection-metrics.ts'
import { definitionResponse } from '../clusters/definition-text.ts'
import { controlledCollections, groupResourceOf } from '../clusters/placement.ts'
import { accountHeader, accountParameter, settledHeader, stateParameter } from '../clusters/policy.ts'
import { controllersOf, type Environment } from '../config/environment.ts'
import type { AlarmPart } from '../controllers/alarms.ts'
import { isBootstrapKey } from '../controllers/bootstrap/collections.ts'
import { BootstrapMarker } from '../controllers/bootstrap/marker.ts'
import { Definitions } from '../controllers/crd/definitions.ts'
import { DefinitionController } from '../controllers/crd/wiring.ts'
import { kindOfKey } from '../controllers/garbage-collector/kinds.ts'
import { NamespaceController } from '../controllers/namespace/wiring.ts'
import type { Reconciler } from '../controllers/outbox.ts'
import { PolicyParts } from '../controllers/policy-parts.ts'
import { QuotaLedger } from '../controllers/resource-quota/ledger.ts'
import type { QuotaControl } from '../controllers/resource-quota/messages.ts'
import type { Presence } from '../controllers/resource-quota/plan.ts'
import { askUsage } from '../controllers/resource-quota/remote-control.ts'
import { QuotaController } from '../controllers/resource-quota/wiring.ts'
import { ensureDefaultServiceAccount } from '../controllers/service-account/default-account.ts'
import { KnownAccounts } from '../controllers/service-account/known-accounts.ts'
import { ensureRootCertificate } from '../controllers/service-account/root-certificate.ts'
import { TokenSigner } from '../controllers/token-signer.ts'
import { definitionPrefix } from '../crd/definition.ts'
import type { Registry } from '../registry/registry.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { StoreEvent } from '../storage/store.ts'
import { prefixName, StoreObject } from './collection.ts'
import { ControlWorkqueues } from './control-workqueues.ts'
import { type ControlPaths, controlPaths } from './inner-paths.ts'

/** The storage key of the certificate that was last published to all namespaces. */
const certificateKey = 'root-certificate'

/** The inner paths of control objects. */
const ownPaths = controlPaths()

/** One per cluster. */
export class Control extends StoreObject {
  readonly #namespaces: NamespaceController
  /** Whether the namespace controller is enabled here; an external controller may do its work instead. */
  readonly #deletesContent: boolean
  readonly #policyParts: PolicyParts
  readonly #definitions: Definitions
  readonly #definitionController: DefinitionController
  readonly #signer: TokenSigner
  readonly #workqueues: ControlWorkqueues
  readonly #bootstrapMarker: BootstrapMarker
  readonly #accounts: KnownAccounts
  readonly #quotas: QuotaController

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#accounts = new KnownAccounts(this.collections)
    this.#definitions = new Definitions(this.store)
    this.#policyParts = new PolicyParts(ctx.storage, this.store, this.#definitions)
    this.#bootstrapMarker = new BootstrapMarker(ctx.storage, (key) => isBootstrapKey(this.name, this.registry, key))
    const enabled = controllersOf(environment)
    this.#workqueues = new ControlWorkqueues({
      storage: ctx.storage,
      registry: this.registry,
      definitions: this.#definitions,
      enabled,
      attempt: (part) => this.alarms.attempt(part),
      runSoon: (part) => this.#runSoon(part),
    })
    this.#namespaces = new NamespaceController(ctx, this.registry, this.collections, (group, resource) =>
      this.#definitions.storageKind(`${resource}.${group}`),
    )
    this.#definitionController = new DefinitionController(
      ctx.storage,
      this.registry,
      this.collections,
      this.#definitions,
      async (group, resource) => this.#namespaces.isRegistered(group, resource),
    )
    this.#deletesContent = enabled.has('namespace-controller')
    this.#signer = new TokenSigner(ctx.storage)
    this.#quotas = this.#quotaController()
  }

  #quotaController(): QuotaController {
    const { storage } = this.ctx
    return new QuotaController({
      storage,
      registry: () => this.registry,
      ledger: new QuotaLedger(storage, () => this.registry),
      presenceOf: (collection) => this.#presenceOf(collection),
      ask: (collection, question) =>
        controlledCollections.has(collection)
          ? this.usage.answer(question)
          : askUsage(this.collections.collection(...groupResourceOf(collection)), question),
      wake: () => void this.armAlarm(),
      waitUntil: (work) => this.ctx.waitUntil(work),
      counts: controllersOf(this.env).has('resourcequota-controller'),
    })
  }

  /** Returns whether a collection of namespaced objects exists, and whether it has ever held any. */
  #presenceOf(collection: string): Presence {
    const kind = kindOfKey(`${collection}/`) ?? this.#definitions.storageKind(collection)
    if (kind?.namespaced !== true || !kind.verbs.has('list')) return 'unknown'
    return controlledCollections.has(collection) || this.#namespaces.isRegistered(...groupResourceOf(collection))
      ? 'held'
      : 'empty'
  }

  protected override quotaControl(): QuotaControl {
    return this.#quotas
  }

  protected override async answerPath(request: Request): Promise<Response> {
    return ownPaths.fetch(request, this.paths())
  }

  protected override paths(): ControlPaths {
    return {
      ...super.paths(),
      metrics: () => this.metrics(),
      policy: (known) => this.#policy(known),
      accountsDeleted: async () => {
        this.#accounts.forget()
        return new Response(null, { status: 204 })
      },
      admission: () => this.#admission(),
      register: (collection) => this.#register(collection),
      quotas: this.#quotas,
      health: () => this.#health(),
      definition: (which) => this.#definition(this.#nameOf(which)),
      signToken: (claims) => this.#signer.sign(claims),
      tokenKeys: () => this.#signer.published(),
    }
  }

  protected override async perform(request: Request): Promise<Response> {
    const response = await super.perform(request)
    // The create request of a definition is answered only after the definition is usable.
    if (this.#definitionController.isBusy) {
      await this.#definitionController.whenSettled()
      await this.armAlarm()
    }
    return response
  }

  protected override registryOptions(): Partial<Registry> {
    return { rbac: () => this.#policyParts.rbac, admissionConfiguration: () => shared(this.#policyParts.admission) }
  }

  protected override reconcilers(): Readonly<Record<string, Reconciler>> {
    return {
      // The default objects of a namespace are in other collections.
      [namespaceCreated.slice(0, -1)]: async (name) => {
        if (this.store.get(`namespaces/${name}`) === undefined) return true
        const enabled = controllersOf(this.env)
        if (enabled.has('serviceaccount-controller')) await ensureDefaultServiceAccount(this.collections, name)
        if (enabled.has('root-ca-certificate-publisher-controller'))
          await ensureRootCertificate(this.collections, name, this.env.ROOT_CERTIFICATE ?? '')
        return true
      },
    }
  }

  protected override applied(keys: readonly string[]): void {
    this.#bootstrapMarker.changed(keys)
    this.#policyParts.changed(keys)
    if (this.#definitions.changed(keys)) this.#noticeDefinitions(keys)
    this.#workqueues.changed(keys)
  }

  /** Starts the controllers. Objects are read only if this release runs for the first time or bootstrap objects have changed. */
  protected override async bootstrap(): Promise<void> {
    const isKnown = this.#bootstrapMarker.isSet
    if (!isKnown) {
      await super.bootstrap()
      this.#policyParts.changed([])
      this.#workqueues.changed([])
      this.#namespaces.findTerminating()
      this.#definitionController.findDeleted()
    }
    await this.#workqueues.start()
    this.#publishCertificate()
    this.#quotas.start()
    if (!isKnown) this.#bootstrapMarker.set()
    await this.armAlarm()
  }

  /** Runs a part of the alarm's work after the current turn, which may be that of a commit. */
  #runSoon(part: AlarmPart): void {
    this.ctx.waitUntil(
      Promise.resolve()
        .then(() => this.alarms.attempt(part))
        .then(() => this.armAlarm()),
    )
  }

  /** Publishes a changed certificate to all namespaces. */
  #publishCertificate(): void {
    const certificate = this.env.ROOT_CERTIFICATE ?? ''
    if (this.ctx.storage.kv.get<string>(certificateKey) === certificate) return
    for (const name of this.#namespaces.names()) this.outbox.add(`${namespaceCreated}${name}`)
    this.ctx.storage.kv.put(certificateKey, certificate)
  }

  protected override async metrics(): Promise<ControlMetrics> {
    const { watches, alarms } = await super.metrics()
    const objects = this.countObjects([...controlledCollections])
    return { objects, watches, alarms, collections: this.#namespaces.collections() }
  }

  /** Registers a collection that is about to hold its first object. */
  async #register(text: string): Promise<Response> {
    const { group, resource } = await this.#namespaces.register(text)
    return Response.json(this.#quotas.rangesOf(prefixName(group, resource)))
  }

  #noticeDefinitions(keys: readonly string[]): void {
    this.#quotas.defined(keys.filter((key) => key.startsWith(definitionPrefix)).map((key) => key.slice(definitionPrefix.length)))
    for (const key of keys) {
      if (key.startsWith(definitionPrefix)) this.#definitionController.enqueue(key.slice(definitionPrefix.length))
    }
  }

  /** Returns the name of the requested definition, which is given by name, or by group and kind. */
  #nameOf(query: URLSearchParams): string {
    return query.get('name') ?? this.#definitions.nameOfKind(query.get('group') ?? '', query.get('kind') ?? '') ?? ''
  }

  /** Answers a definition with its schemas, for Durable Objects and Workers that hold or serve its objects. */
  async #definition(name: string): Promise<Response> {
    await this.ctx.storage.sync()
    const stored = this.store.get(definitionPrefix + name)
    const tag = this.#definitions.summary(name)?.tag
    if (stored === undefined || tag === undefined) return new Response(null, { status: 404 })
    return definitionResponse({ tag, text: stored.value })
  }

  /** Answers the parts of the snapshot that the requesting Worker does not have, and the ServiceAccount that it asks for. */
  async #policy(query: URLSearchParams): Promise<Response> {
    const place = query.get(accountParameter)
    const account = place === null ? undefined : await this.#accounts.find(place)
    if (query.get(stateParameter) === 'settled') await this.#definitionController.whenSettled()
    // A write that is not yet durable could be lost after it was read.
    await this.ctx.storage.sync()
    const headers: Record<string, string> = {
      ...(!this.#definitionController.isBusy && { [settledHeader]: '1' }),
      ...(place !== null && { [accountHeader]: JSON.stringify(account ?? null) }),
    }
    return Response.json(this.#policyParts.changesSince(query), { headers })
  }

  /** Answers the admission configuration, for the Durable Objects of collections. */
  async #admission(): Promise<Response> {
    // A write that is not yet durable could be lost after it was read.
    await this.ctx.storage.sync()
    return Response.json(this.#policyParts.admission)
  }

  /** Checks the storage by a read and a sync. */
  async #health(): Promise<Response> {
    this.ctx.storage.sql.exec('SELECT 1').one()
    await this.ctx.storage.sync()
    return new Response('ok')
  }

  /** Enqueues a terminating namespace, whether a client or the garbage collector deleted it. */
  protected override changed(event: StoreEvent): void {
    super.changed(event)
    this.#quotas.changed(event)
    const { key, value } = event.object
    if (!this.#deletesContent || !key.startsWith('namespaces/') || !value.includes('"deletionTimestamp":')) return
    this.#namespaces.enqueue(key.slice('namespaces/'.length))
    void this.armAlarm()
  }

  protected override alarmParts(): readonly AlarmPart[] {
    const namespaces = this.#deletesContent ? [this.#namespaces] : []
    return [...super.alarmParts(), ...namespaces, this.#definitionController, this.#quotas, ...this.#workqueues.parts]
  }
}
