/** The control object of a cluster: the collections that decide about other requests, and the namespace controller. */
import { shared } from '../clusters/admission-configuration.ts'
import type { ControlMetrics } from '../clusters/collection-metrics.ts'
import { definitionResponse } from '../clusters/definition-text.ts'
import { controlledCollections, groupResourceOf } from '../clusters/placement.ts'
import { stateParameter } from '../clusters/policy.ts'
import { controllersOf, type Environment } from '../config/environment.ts'
import { ApiServiceRegistration, apiServicePrefix } from '../controllers/api-service-registration/wiring.ts'
import { aggregateClusterRoles, aggregationPrefix } from '../controllers/cluster-role-aggregation/wiring.ts'
import { Definitions } from '../controllers/crd/definitions.ts'
import { DefinitionController } from '../controllers/crd/wiring.ts'
import { flowControlPrefixes, updateFlowSchemaStatus } from '../controllers/flow-schema-status/wiring.ts'
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
import { ensureRootCertificate } from '../controllers/service-account/root-certificate.ts'
import { TokenSigner } from '../controllers/token-signer.ts'
import { updateValidatingPolicyStatus, validatingPolicyPrefix } from '../controllers/validating-admission-policy-status/wiring.ts'
import { Workqueue } from '../controllers/workqueue.ts'
import { definitionPrefix } from '../crd/definition.ts'
import type { Registry } from '../registry/registry.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { StoreEvent } from '../storage/store.ts'
import { earliest, prefixName, StoreObject } from './collection.ts'
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
  readonly #aggregation: Workqueue
  readonly #flowControl: Workqueue
  readonly #apiServices: Workqueue
  readonly #policyStatus: Workqueue
  readonly #registration: ApiServiceRegistration
  readonly #quotas: QuotaController

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#definitions = new Definitions(this.store)
    this.#policyParts = new PolicyParts(this.store, this.#definitions)
    this.#aggregation = new Workqueue(ctx, 'aggregation of cluster roles', () => aggregateClusterRoles(this.registry))
    this.#flowControl = new Workqueue(ctx, 'status of flow schemas', () => updateFlowSchemaStatus(this.registry))
    this.#registration = new ApiServiceRegistration(this.registry, () => this.#definitions.summaries())
    this.#apiServices = new Workqueue(ctx, 'API services of custom resources', () => this.#registration.register())
    this.#policyStatus = new Workqueue(ctx, 'status of validating admission policies', () =>
      updateValidatingPolicyStatus(this.registry, this.#definitions),
    )
    this.#namespaces = new NamespaceController(ctx, this.registry, this.collections, (group, resource) =>
      this.#definitions.storageKind(`${resource}.${group}`),
    )
    this.#definitionController = new DefinitionController(this.registry, this.collections, this.#definitions, (group, resource) =>
      this.#namespaces.hasHeldObjects(group, resource),
    )
    this.#deletesContent = controllersOf(environment).has('namespace-controller')
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
    this.#policyParts.changed(keys)
    const isOfDefinitions = this.#definitions.changed(keys)
    const isOfApiServices = keys.length === 0 || keys.some((key) => key.startsWith(apiServicePrefix))
    if (isOfDefinitions) this.#noticeDefinitions(keys)
    if (isOfApiServices) this.#registration.changed()
    if (isOfDefinitions || isOfApiServices) this.#apiServices.enqueue()
    if (keys.some((key) => key.startsWith(aggregationPrefix))) this.#aggregation.enqueue()
    if (keys.some((key) => flowControlPrefixes.some((prefix) => key.startsWith(prefix)))) this.#flowControl.enqueue()
    if (keys.some((key) => key.startsWith(validatingPolicyPrefix))) this.#policyStatus.enqueue()
  }

  protected override async started(): Promise<void> {
    if (controllersOf(this.env).has('clusterrole-aggregation-controller')) await this.#aggregation.runFirst()
    // Requests do not wait for a condition that only informs people of a mistake.
    this.#flowControl.open()
    this.#flowControl.enqueue()
    this.#apiServices.open()
    this.#apiServices.enqueue()
    if (controllersOf(this.env).has('validatingadmissionpolicy-status-controller')) {
      this.#policyStatus.open()
      this.#policyStatus.enqueue()
    }
    this.#publishCertificate()
    this.#quotas.start()
    await this.armAlarm()
  }

  /** Publishes a changed certificate to all namespaces. */
  #publishCertificate(): void {
    const certificate = this.env.ROOT_CERTIFICATE ?? ''
    if (this.ctx.storage.kv.get<string>(certificateKey) === certificate) return
    for (const name of this.#namespaces.names()) this.outbox.add(`${namespaceCreated}${name}`)
    this.ctx.storage.kv.put(certificateKey, certificate)
  }

  protected override async metrics(): Promise<ControlMetrics> {
    const { watches } = await super.metrics()
    const objects = this.countObjects([...controlledCollections])
    return { objects, watches, collections: await this.#namespaces.collections() }
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

  /** Answers the parts of the snapshot that the requesting Worker does not have. */
  async #policy(known: URLSearchParams): Promise<Response> {
    if (known.get(stateParameter) === 'settled') await this.#definitionController.whenSettled()
    // A write that is not yet durable could be lost after it was read.
    await this.ctx.storage.sync()
    return Response.json(this.#policyParts.changesSince(known))
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

  protected override nextAlarm(now: number): number | undefined {
    const namespaces = this.#deletesContent ? this.#namespaces.nextAlarm() : undefined
    return earliest(super.nextAlarm(now), namespaces, this.#definitionController.nextAlarm(), this.#quotas.nextAlarm())
  }

  protected override async work(): Promise<void> {
    await super.work()
    await this.#quotas.work(Date.now())
    if (this.#deletesContent) await this.#namespaces.reconcileDue()
    await this.#definitionController.reconcileDue()
  }
}
