import { readConfiguredKeys } from '../auth/service-accounts/configured-keys.ts'
import type { Kind } from '../catalog/kind.ts'
import type { ResourceConfig } from '../catalog/resource-config.ts'
import { shared } from '../clusters/admission-configuration.ts'
import { backupPaths, type FinishRestore } from '../clusters/backup-messages.ts'
import { clusterRecordPath } from '../clusters/cluster-terms.ts'
import type { ControlMetrics } from '../clusters/collection-metrics.ts'
import type { ForkIdentity } from '../clusters/fork-messages.ts'
import { signpostPath } from '../clusters/jurisdiction.ts'
import type { Operation } from '../clusters/operation.ts'
import {
  type ClusterPlacement,
  clusterOf,
  defaultCluster,
  placementOfCollection,
  prefixOfCollection,
} from '../clusters/placement.ts'
import type { Parts } from '../clusters/policy-snapshot.ts'
import { clusterUidHeader, protocolPath, replacedResponse, unknownRequest } from '../clusters/protocol.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import { readAdmissionSettings } from '../config/admission/settings.ts'
import { emulationText, resourceConfigOfText } from '../config/emulation.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import type { ControllerClients } from '../controllers/admitted-writes.ts'
import type { AlarmPart } from '../controllers/alarms.ts'
import { countUnavailable, measureAvailability } from '../controllers/api-service-availability/metrics.ts'
import { isBootstrapKey } from '../controllers/bootstrap/collections.ts'
import { fillWithMadeObjects } from '../controllers/bootstrap/made-objects.ts'
import { BootstrapMarker } from '../controllers/bootstrap/marker.ts'
import { bootstrapCollections } from '../controllers/bootstrap/places.ts'
import { ClusterRecord } from '../controllers/cluster/record.ts'
import { CollectionDefinitions } from '../controllers/crd/collection-definition.ts'
import { Definitions } from '../controllers/crd/definitions.ts'
import type { CollectionRegistration, RegistrationAnswer } from '../controllers/namespace/collections.ts'
import type { Reconciler } from '../controllers/outbox.ts'
import { withOwnFacts } from '../controllers/own-facts.ts'
import { PolicyParts } from '../controllers/policy-parts.ts'
import type { QuotaControl } from '../controllers/resource-quota/messages.ts'
import { KnownAccounts } from '../controllers/service-account/known-accounts.ts'
import { TokenSigner } from '../controllers/token-signer.ts'
import { notFound } from '../meta/errors.ts'
import { phaseForCreate } from '../registry/policy/namespaces.ts'
import type { Registry } from '../registry/registry.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { StoreEvent } from '../storage/store.ts'
import { ClusterRestore, planKey } from './backup/cluster-restore.ts'
import { type ClusterCollections, OwnCollections, SeparateCollections } from './cluster-collections.ts'
import { ClusterLife, progressEntry } from './cluster-life.ts'
import type { UseReports } from './cluster-object.ts'
import { keepPlacement, placementOfCluster } from './cluster-placement.ts'
import { collectionStateOf } from './collection-state.ts'
import { ControlAnswers } from './control-answers.ts'
import { ControlControllers } from './control-controllers.ts'
import { DefaultObjects } from './default-objects.ts'
import { ownCollections } from './fork-holds.ts'
import { type ControlPaths, controlPaths } from './inner-paths.ts'
import { collectionOfPlace } from './object-copies.ts'
import type { ObjectHistory } from './object-history.ts'
import { RequestRecord } from './request-record.ts'
import { StoreObject } from './store-object.ts'

const definitionResource = 'customresourcedefinitions'

/** The inner paths of control objects. */
const ownPaths = controlPaths()

/** One per cluster. */
export class Control extends StoreObject {
  readonly #collections: ClusterCollections
  readonly #policyParts: PolicyParts
  readonly #definitions: Definitions
  readonly #signer: TokenSigner
  readonly #bootstrapMarker: BootstrapMarker
  readonly #accounts: KnownAccounts
  readonly #record: ClusterRecord
  readonly #controllers: ControlControllers
  readonly #life: ClusterLife
  readonly #answers: ControlAnswers
  readonly #defaultObjects: DefaultObjects
  readonly #requestRecord: RequestRecord
  readonly #restore: ClusterRestore
  /** The same object with another placement, which answers everything from the moment it is there. */
  #successor: Control | undefined
  readonly #clients: ControllerClients

  constructor(ctx: DurableObjectState, environment: Environment, clients: ControllerClients) {
    super(ctx, environment, clients)
    this.#clients = clients
    this.#requestRecord = new RequestRecord(ctx.storage)
    this.#record = new ClusterRecord(ctx.storage, this.placed.name)
    this.#accounts = new KnownAccounts(this.collections)
    this.#definitions = new Definitions(this.store)
    this.#signer = new TokenSigner(ctx.storage, readConfiguredKeys(objectSettings(this.env).serviceAccountKeys))
    this.#policyParts = new PolicyParts(
      ctx.storage,
      this.store,
      this.#definitions,
      this.#record,
      (name) => this.#controllers.availability.documentsOf(name),
      () => this.#emulation(),
    )
    this.#bootstrapMarker = new BootstrapMarker(ctx.storage, (key) => isBootstrapKey(this.registry, key), {
      controllers: objectSettings(environment).controllers,
      resources: emulationText(environment),
    })
    this.#collections = this.#collectionsOfCluster()
    this.#controllers = this.#controllersOfCluster()
    this.#life = this.#lifeOfCluster()
    this.#restore = this.#restoreOfCluster()
    this.#defaultObjects = new DefaultObjects({
      storage: ctx.storage,
      environment: this.env,
      store: this.store,
      collections: this.collections,
      writesOf: this.writesOf,
      outbox: this.outbox,
      isUnfinishedFork: () => this.#life.fork.remaining.length > 0,
    })
    this.#answers = new ControlAnswers({
      storage: ctx.storage,
      store: this.store,
      placement: this.placed.placement,
      record: this.#record,
      accounts: this.#accounts,
      definitions: this.#definitions,
      definitionController: this.#controllers.definitions,
      availability: this.#controllers.availability,
      policyParts: this.#policyParts,
      read: (request) => this.answerOperation(request),
    })
  }

  #lifeOfCluster(): ClusterLife {
    const { ctx, env, database, store, registry, history, alarms, outbox } = this
    const { name, placement } = this.placed
    return new ClusterLife({
      ctx,
      environment: env,
      name,
      placement,
      database,
      store,
      registry,
      past: this.copies.past,
      history,
      record: this.#record,
      policyParts: this.#policyParts,
      bootstrapMarker: this.#bootstrapMarker,
      collections: this.#collections,
      client: this.collections,
      alarms,
      outbox,
      use: this.clusterUse,
      copyHost: this.copies.host,
      resourceConfig: () => this.#resourceConfig(),
      clusterClient: (cluster) => this.clusterClient(cluster),
      openCopies: (fork, remaining) => this.copies.begin(fork, remaining),
      begin: () => this.begin(),
      armAlarm: () => this.armAlarm(),
      deleteAll: () => this.deleteAll(),
      reopened: () => this.#reopened(),
    })
  }

  #restoreOfCluster(): ClusterRestore {
    return new ClusterRestore({
      ctx: this.ctx,
      restoration: this.restoration,
      client: this.collections,
      limits: () => this.#record.terms?.limits ?? {},
      names: () => this.clusterNames(),
      adopt: (collections) => this.#collections.adopt(collections),
      completeForks: () => this.#life.completeForks(),
    })
  }

  #controllersOfCluster(): ControlControllers {
    const { ctx, env, placed, registry, webhooks, alarms } = this
    return new ControlControllers({
      ctx,
      environment: env,
      placed,
      registry,
      client: this.collections,
      writesOf: this.writesOf,
      collections: this.#collections,
      definitions: this.#definitions,
      policyParts: this.#policyParts,
      signer: this.#signer,
      webhooks,
      alarms,
      answerUsage: (question) => this.answerUsage(question),
      endWatches: (prefix) => this.endWatches(prefix),
      armAlarm: () => this.armAlarm(),
    })
  }

  #collectionsOfCluster(): ClusterCollections {
    if (this.placed.placement === 'collections') return new SeparateCollections(this.ctx.storage)
    const definitions = new CollectionDefinitions(
      this.ctx.storage,
      this.collections,
      collectionStateOf({ store: this.store, copies: this.copies, outside: this.webhooks, isUsed: () => true }),
    )
    return new OwnCollections({
      store: this.store,
      definitions,
      customKinds: () => Object.keys(this.#definitions.summaries()).flatMap((name) => this.#definitions.storageKind(name) ?? []),
      rangesOf: (collection) => this.#controllers.quotas.rangesOf(collection),
      limit: (ranges) => this.usage.limit(ranges),
      isPending: (collection) => this.copies.has(collection),
    })
  }

  protected override clusterPlacement(): ClusterPlacement {
    return placementOfCluster(this.ctx.storage, this.database, this.env)
  }

  protected override customKindOf(group: string, version: string, resource: string): Kind | undefined {
    return this.#collections.customKindOf(group, version, resource)
  }

  protected override storedCustomKind(prefix: string): Kind | undefined {
    return this.#collections.storedCustomKind(prefix)
  }

  protected override quotaControl(): QuotaControl {
    return this.#controllers.quotas
  }

  protected override async answerPath(request: Request): Promise<Response> {
    await this.#endForksBefore(request)
    return ownPaths.fetch(request, this.paths())
  }

  protected override paths(): ControlPaths {
    return {
      ...super.paths(),
      metrics: () => this.metrics(),
      policy: (request) => this.#answers.policy(request),
      accountsDeleted: async () => {
        this.#accounts.forget()
        return new Response(null, { status: 204 })
      },
      admission: () => this.#answers.admission(),
      register: (collection) => this.#register(collection),
      finishRestore: (wanted: FinishRestore) => this.#restore.finish(wanted),
      quotas: this.#controllers.quotas,
      requestRecord: this.#requestRecord,
      health: () => this.#answers.health(),
      definition: (which) => this.#answers.definition(which),
      serviceChanged: (service) => {
        this.#controllers.availability.serviceChanged(service)
        return new Response(null, { status: 204 })
      },
      signToken: (claims) => this.#signer.sign(claims),
      tokenKeys: () => this.#signer.published(),
      setCluster: (wanted) => this.#life.set(wanted),
      setSignpost: (signpost) => this.#life.setSignpost(signpost),
      holds: this.#life.holds,
      originOf: (prefix) => this.#life.fork.originOf(prefix),
      copied: (prefix) => this.#life.copied(prefix),
      objectUse: (report) => this.#life.receiveUse(report),
    }
  }

  /** A backup has all objects of the cluster. */
  async #endForksBefore({ url }: Request): Promise<void> {
    const { pathname } = new URL(url)
    if (pathname === protocolPath + backupPaths.state) await this.copyAll()
  }

  protected override async requireAgreement(fork: ForkIdentity, prefixes: readonly string[]): Promise<void> {
    this.#life.holds.requireAgreement(fork, prefixes)
  }

  protected override requireParent(cluster: string): void {
    if (cluster !== this.#life.fork.current?.parent) super.requireParent(cluster)
  }

  /** In a fork with an object for each collection, the control object makes the others copy. */
  protected override async copyAll(prefixes?: readonly string[]): Promise<void> {
    await super.copyAll(prefixes)
    if (prefixes === undefined && this.placed.placement === 'collections') await this.#life.fork.complete()
  }

  protected override async reportCopied(prefix: string): Promise<void> {
    this.#life.copied(prefix)
  }

  protected override makeHistory(): ObjectHistory {
    const setting = objectSettings(this.env)
    const wish = (): number | undefined => this.#record.terms?.historySeconds
    return {
      historyEvents: setting.historyEvents,
      get historySeconds() {
        return wish() ?? setting.historySeconds
      },
      keptFrom: async () => this.#life.holds.keptFrom(ownCollections),
    }
  }

  protected override isInUse(): boolean {
    return this.#record.exists
  }

  /** A cluster that does not exist answers only the request that makes it. A request for an earlier cluster is refused. */
  override async fetch(request: Request): Promise<Response> {
    if (this.#successor !== undefined) return this.#successor.fetch(request)
    const uid = request.headers.get(clusterUidHeader)
    if (this.#record.exists) return uid === null || uid === this.#record.uid ? super.fetch(request) : replacedResponse()
    const { pathname } = new URL(request.url)
    if (pathname === protocolPath + signpostPath) return super.fetch(request)
    // A later cluster with the name may be in another jurisdiction: the caller has to look for it again.
    if (uid !== null) return replacedResponse()
    const { elsewhere } = this.#life
    if (elsewhere !== undefined) return elsewhere
    if (pathname === protocolPath + clusterRecordPath) return super.fetch(request)
    return errorResponse(notFound({ group: 'edgeplane.dev', resource: 'clusters' }, this.#record.cluster))
  }

  protected override isServedWhileRestoring(request: Request): boolean {
    const { pathname } = new URL(request.url)
    // A cluster can be deleted at any time.
    return pathname === protocolPath + clusterRecordPath || super.isServedWhileRestoring(request)
  }

  protected override emptied(): void {
    this.#life.fork.end()
    this.outbox.add(progressEntry)
  }

  protected override restoreEnded(): void {
    this.ctx.storage.kv.delete(planKey)
  }

  protected override mayHold(collection: string): boolean {
    return this.placed.placement === 'one-object' || super.mayHold(collection)
  }

  protected override clusterUid(): string {
    return this.#record.uid
  }

  protected override isOfCluster(uid: string | undefined): boolean {
    return this.#record.exists && (uid === undefined || uid === this.#record.uid)
  }

  confirmsPolicy(parts: Parts, clusterUid: string | undefined): boolean {
    return this.isReadable(clusterUid) && this.#answers.confirmsPolicy(parts)
  }

  override async alarm(): Promise<void> {
    if (this.#successor !== undefined) await this.#successor.alarm()
    else if (!this.#record.exists) return
    else if (this.isRestoring()) await this.#restore.continue()
    else await super.alarm()
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    if (this.#successor === undefined) super.webSocketMessage(socket, message)
    else this.#successor.webSocketMessage(socket, message)
  }

  override webSocketClose(socket: WebSocket): void {
    if (this.#successor === undefined) super.webSocketClose(socket)
    else this.#successor.webSocketClose(socket)
  }

  override webSocketError(socket: WebSocket): void {
    if (this.#successor === undefined) super.webSocketError(socket)
    else this.#successor.webSocketError(socket)
  }

  /**
   * Opens the object of a cluster that does not exist yet with the placement that is stored now. To end this instance instead would
   * fail its requests, and every runtime reports that as an error of the object.
   */
  #reopened(): ClusterLife {
    this.isEnding = true
    this.#successor = new Control(this.ctx, this.env, this.#clients)
    return this.#successor.#life
  }

  protected override useReports(): UseReports {
    return {
      isReported: () => this.#record.terms !== undefined,
      known: () => this.#life.uses.answer,
      report: async () => {
        await this.#life.report('in use')
        return this.#life.uses.answer
      },
    }
  }

  protected override perform(operation: Operation, request: Request, registry: Registry): Promise<Response> {
    const prepared = this.#collections.prepare(operation)
    if (prepared === undefined) return super.perform(operation, request, registry)
    return prepared.then(() => super.perform(operation, request, registry))
  }

  /** The create request of a definition is answered only after the definition is usable. */
  protected override async settled({ target }: Operation): Promise<void> {
    if (!this.#controllers.definitions.isBusy || target.resource !== definitionResource) return
    await this.#controllers.definitions.whenSettled()
  }

  protected override registryOptions(): Partial<Registry> {
    const { placement } = this.placed
    return {
      resourceConfig: () => this.#resourceConfig(),
      rbac: () => this.#policyParts.rbac,
      namespacePhase: ({ namespace, transaction }) => phaseForCreate(transaction, readAdmissionSettings(this.env), namespace),
      admissionConfiguration: () => shared(this.#policyParts.admission),
      currentAdmission: () => shared(this.#policyParts.admission),
      ...(placement === 'one-object' && { withOwnFacts: (missing) => withOwnFacts(this.collections, this.writesOf, missing) }),
    }
  }

  /** Returns the release and the switched resources: by the deployment's settings, or by the spec of a named cluster. */
  #emulation(): string {
    return clusterOf(this.placed.name) === defaultCluster ? emulationText(this.env) : (this.#record.terms?.emulatedRelease ?? '')
  }

  #resourceConfig(): ResourceConfig {
    return resourceConfigOfText(this.#emulation())
  }

  protected override reconcilers(): Readonly<Record<string, Reconciler>> {
    return {
      [progressEntry.slice(0, -1)]: async () => {
        await this.#life.fork.report()
        return true
      },
      [namespaceCreated.slice(0, -1)]: async (name) => {
        await this.#defaultObjects.make(name)
        return true
      },
    }
  }

  protected override applied(keys: readonly string[]): void {
    super.applied(keys)
    this.#bootstrapMarker.changed(keys)
    this.#policyParts.changed(keys)
    this.#controllers.applied(keys)
  }

  /** Starts the controllers. Objects are read only if this release runs for the first time or bootstrap objects have changed. */
  protected override async bootstrap(): Promise<void> {
    const isKnown = this.#bootstrapMarker.isSet
    if (!isKnown) {
      keepPlacement(this.ctx.storage, this.placed.placement)
      const isFilled = !this.database.hasTables && fillWithMadeObjects(this.registry, this.store)
      const isLeft = (place: string): boolean =>
        (isFilled && place === 'control') || this.copies.has(collectionOfPlace(place) ?? '')
      await bootstrapCollections(this.placed, this.registry, isLeft)
      this.#policyParts.changed([])
      this.#controllers.findWork()
    }
    await this.#controllers.start(() => this.#defaultObjects.publishCertificate(this.#controllers.namespaces.names()))
    if (!isKnown) this.#bootstrapMarker.set()
    await this.armAlarm()
  }

  protected override get prefixes(): readonly string[] {
    return this.#collections.own()
  }

  protected override clusterNames(): readonly string[] {
    const cluster = clusterOf(this.placed.name)
    return this.#collections.others().map(({ group, resource }) => placementOfCollection(cluster, group, resource).name)
  }

  protected override async metrics(): Promise<ControlMetrics> {
    measureAvailability(this.samples, this.store)
    return { ...(await super.metrics()), collections: this.#collections.others() }
  }

  /**
   * Registers a collection that is about to hold its first object of a namespace. From the moment at which the namespace is
   * terminating none is registered: the namespace controller asks all that were.
   */
  async #register(text: string): Promise<Response> {
    const registration = JSON.parse(text) as CollectionRegistration
    const { group, resource, namespace = '' } = registration
    const phase = phaseForCreate(this.store, this.registry.admissionSettings, namespace)
    if (phase === 'Active' && !(await this.#collections.register(registration))) return unknownRequest()
    const answer: RegistrationAnswer = { phase, ...this.#controllers.quotas.rangesOf(prefixOfCollection(group, resource)) }
    return Response.json(answer)
  }

  protected override changed(event: StoreEvent): void {
    super.changed(event)
    countUnavailable(this.samples, event)
    this.#controllers.changed(event)
  }

  protected override alarmParts(): readonly AlarmPart[] {
    const { parts, workqueues } = this.#controllers
    return [...super.alarmParts(), ...parts, this.#life.expiry, ...workqueues]
  }
}
