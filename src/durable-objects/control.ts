/** The control object of a cluster: the collections that decide about other requests, and the namespace controller. */
import { frontProxySettingsOf, ReachableBackends } from '../auth/front-proxy/backends.ts'
import { UserTokenIssuer } from '../auth/front-proxy/user-tokens.ts'

import { readConfiguredKeys } from '../auth/service-accounts/configured-keys.ts'
import type { Kind } from '../catalog/kind.ts'
import type { ResourceConfig } from '../catalog/resource-config.ts'
import { shared } from '../clusters/admission-configuration.ts'
import { backupPaths } from '../clusters/backup-messages.ts'
import { clustersPath } from '../clusters/cluster-path.ts'
import type { ControlMetrics } from '../clusters/collection-metrics.ts'
import { signpostPath } from '../clusters/jurisdiction.ts'
import type { Operation } from '../clusters/operation.ts'
import {
  type ClusterPlacement,
  clusterOf,
  defaultCluster,
  groupResourceOf,
  placementOfCollection,
  prefixOfCollection,
} from '../clusters/placement.ts'
import { clusterUidHeader, protocolPath, replacedResponse, unknownRequest } from '../clusters/protocol.ts'
import { ConnectionPool } from '../clusters/webhooks/pinned-fetch.ts'
import { errorResponse } from '../clusters/wire-error.ts'
import type { ControllerName } from '../config/controllers.ts'
import { emulationText, resourceConfigOfText } from '../config/emulation.ts'
import { controllersOf, type Environment, historyOf, placementSettingOf, serviceAccountIssuerOf } from '../config/environment.ts'
import { isEnabled } from '../config/feature-gates.ts'
import type { AlarmPart } from '../controllers/alarms.ts'
import { countUnavailable, measureAvailability } from '../controllers/api-service-availability/metrics.ts'
import { ApiServiceAvailability } from '../controllers/api-service-availability/wiring.ts'
import { isBootstrapKey } from '../controllers/bootstrap/collections.ts'
import { fillWithMadeObjects } from '../controllers/bootstrap/made-objects.ts'
import { BootstrapMarker } from '../controllers/bootstrap/marker.ts'
import { bootstrapCollections } from '../controllers/bootstrap/places.ts'
import { ClusterRecord, clusterRecordPath } from '../controllers/cluster/record.ts'
import { CollectionDefinitions } from '../controllers/crd/collection-definition.ts'
import { Definitions } from '../controllers/crd/definitions.ts'
import { DefinitionController } from '../controllers/crd/wiring.ts'
import { kindOfKey } from '../controllers/garbage-collector/kinds.ts'
import type { CollectionRegistration } from '../controllers/namespace/collections.ts'
import { NamespaceController } from '../controllers/namespace/wiring.ts'
import type { Reconciler } from '../controllers/outbox.ts'
import { withOwnFacts } from '../controllers/own-facts.ts'
import { PolicyParts } from '../controllers/policy-parts.ts'
import { QuotaLedger } from '../controllers/resource-quota/ledger.ts'
import type { QuotaControl } from '../controllers/resource-quota/messages.ts'
import type { Presence } from '../controllers/resource-quota/plan.ts'
import { askUsage } from '../controllers/resource-quota/remote-control.ts'
import { QuotaController } from '../controllers/resource-quota/wiring.ts'
import { KnownAccounts } from '../controllers/service-account/known-accounts.ts'
import { migrationPrefix, StorageVersionMigrator } from '../controllers/storage-version-migrator/wiring.ts'
import { TokenSigner } from '../controllers/token-signer.ts'
import { definitionPrefix } from '../crd/definition.ts'
import { notFound } from '../meta/errors.ts'
import { logWarning } from '../meta/log.ts'
import { apiServicePrefix } from '../registry/policy/api-services.ts'
import type { Registry } from '../registry/registry.ts'
import { namespaceCreated } from '../registry/strategies/core/namespace.ts'
import type { StoreEvent } from '../storage/store.ts'
import { type ClusterCollections, OwnCollections, SeparateCollections } from './cluster-collections.ts'
import { ClusterLife, progressEntry } from './cluster-life.ts'
import type { UseReports } from './cluster-object.ts'
import { keepPlacement, placementIn } from './cluster-placement.ts'
import { collectionStateOf } from './collection-state.ts'
import { ControlAnswers } from './control-answers.ts'
import { ControlWorkqueues } from './control-workqueues.ts'
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
  readonly #namespaces: NamespaceController
  readonly #collections: ClusterCollections
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
  readonly #availability: ApiServiceAvailability
  readonly #record: ClusterRecord
  readonly #life: ClusterLife
  readonly #answers: ControlAnswers
  readonly #defaultObjects: DefaultObjects
  readonly #requestRecord: RequestRecord
  /** Undefined if the feature gate or the controller is off. */
  readonly #storageMigrator: StorageVersionMigrator | undefined

  constructor(ctx: DurableObjectState, environment: Environment) {
    super(ctx, environment)
    this.#requestRecord = new RequestRecord(ctx.storage)
    this.#record = new ClusterRecord(ctx.storage, this.placed.name)
    this.#accounts = new KnownAccounts(this.collections)
    this.#definitions = new Definitions(this.store)
    this.#signer = new TokenSigner(ctx.storage, readConfiguredKeys(this.env.SERVICE_ACCOUNT_KEYS ?? ''))
    this.#availability = this.#availabilityController()
    this.#policyParts = new PolicyParts(
      ctx.storage,
      this.store,
      this.#definitions,
      this.#record,
      (name) => this.#availability.documentsOf(name),
      () => this.#emulation(),
    )
    const enabled = controllersOf(environment)
    this.#bootstrapMarker = new BootstrapMarker(ctx.storage, (key) => isBootstrapKey(this.registry, key), {
      controllers: enabled,
      resources: emulationText(environment),
    })
    this.#workqueues = new ControlWorkqueues({
      storage: ctx.storage,
      registry: this.registry,
      definitions: this.#definitions,
      enabled,
      attempt: (part) => this.alarms.attempt(part),
      runSoon: (part) => this.#runSoon(part),
    })
    this.#collections = this.#collectionsOfCluster()
    this.#namespaces = new NamespaceController({
      storage: ctx.storage,
      registry: this.registry,
      objects: this.collections,
      held: this.#collections.held,
      customKind: (group, resource) => this.#definitions.storageKind(`${resource}.${group}`),
    })
    this.#definitionController = new DefinitionController(
      ctx.storage,
      this.registry,
      this.collections,
      this.#definitions,
      async (group, resource) => this.#collections.held.has(group, resource),
    )
    this.#storageMigrator = this.#storageVersionMigrator(enabled)
    this.#deletesContent = enabled.has('namespace-controller')
    this.#quotas = this.#quotaController()
    this.#life = this.#lifeOfCluster()
    this.#defaultObjects = new DefaultObjects({
      storage: ctx.storage,
      environment: this.env,
      store: this.store,
      collections: this.collections,
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
      definitionController: this.#definitionController,
      availability: this.#availability,
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
      restart: (reason) => this.restart(reason),
    })
  }

  #availabilityController(): ApiServiceAvailability {
    const { ctx, env } = this
    const cluster = clusterOf(this.placed.name)
    const issuer = serviceAccountIssuerOf(env) + (cluster === defaultCluster ? '' : clustersPath + cluster)
    return new ApiServiceAvailability({
      storage: ctx.storage,
      registry: () => this.registry,
      collections: this.collections,
      access: {
        backends: new ReachableBackends(frontProxySettingsOf(env, cluster), this.webhooks),
        pool: new ConnectionPool(),
        tokens: new UserTokenIssuer((claims) => this.#signer.sign(claims), issuer),
      },
      isRouted: (service) => this.webhooks.isRouted(service),
      documentsChanged: () => this.#policyParts.changed([apiServicePrefix]),
      runSoon: (part) => this.#runSoon(part),
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
      rangesOf: (collection) => this.#quotas.rangesOf(collection),
      limit: (ranges) => this.usage.limit(ranges),
      isPending: (collection) => this.copies.has(collection),
    })
  }

  protected override clusterPlacement(): ClusterPlacement {
    const { name = '', hasTables } = this.database
    if (clusterOf(name) !== defaultCluster) return placementIn(this.ctx.storage, hasTables, 'one-object')
    const setting = placementSettingOf(this.env)
    const placement = placementIn(this.ctx.storage, hasTables, setting)
    if (placement !== setting) logWarning(`PLACEMENT is ${setting}, but the cluster was made with ${placement}, and keeps it`)
    return placement
  }

  protected override customKindOf(group: string, version: string, resource: string): Kind | undefined {
    return this.#collections.customKindOf(group, version, resource)
  }

  protected override storedCustomKind(prefix: string): Kind | undefined {
    return this.#collections.storedCustomKind(prefix)
  }

  #storageVersionMigrator(enabled: ReadonlySet<ControllerName>): StorageVersionMigrator | undefined {
    if (!isEnabled('StorageVersionMigrator') || !enabled.has('storage-version-migrator-controller')) return undefined
    return new StorageVersionMigrator({
      storage: this.ctx.storage,
      registry: this.registry,
      objects: this.collections,
      customKind: (group, resource) => this.#definitions.storageKind(`${resource}.${group}`),
    })
  }

  #quotaController(): QuotaController {
    const { storage } = this.ctx
    return new QuotaController({
      storage,
      registry: () => this.registry,
      ledger: new QuotaLedger(storage, () => this.registry),
      presenceOf: (collection) => this.#presenceOf(collection),
      ask: (collection, question) =>
        this.#collections.isOwn(collection)
          ? this.answerUsage(question)
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
    const { held } = this.#collections
    return this.#collections.isOwn(collection) || held.has(...groupResourceOf(collection)) ? 'held' : 'empty'
  }

  protected override quotaControl(): QuotaControl {
    return this.#quotas
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
      quotas: this.#quotas,
      requestRecord: this.#requestRecord,
      health: () => this.#answers.health(),
      definition: (which) => this.#answers.definition(which),
      serviceChanged: (service) => {
        this.#availability.serviceChanged(service)
        return new Response(null, { status: 204 })
      },
      signToken: (claims) => this.#signer.sign(claims),
      tokenKeys: () => this.#signer.published(),
      setCluster: (wanted) => this.#life.set(wanted),
      setSignpost: (signpost) => this.#life.setSignpost(signpost),
      holds: this.#life.holds,
      originOf: (prefix) => this.#life.fork.originOf(prefix),
      copied: (prefix) => this.#life.copied(prefix),
      objectUse: (report) => this.#life.uses.receive(report),
    }
  }

  /** A backup has all objects of the cluster, and a restore ends the history that forks need. */
  async #endForksBefore({ url }: Request): Promise<void> {
    const { pathname } = new URL(url)
    if (pathname === protocolPath + backupPaths.state) await this.copyAll()
    if (pathname === protocolPath + backupPaths.begin) await this.#life.completeForks()
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
    const setting = historyOf(this.env)
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

  protected override isOfCluster(uid: string | undefined): boolean {
    return this.#record.exists && (uid === undefined || uid === this.#record.uid)
  }

  override async alarm(): Promise<void> {
    if (this.#record.exists) await super.alarm()
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
    if (!this.#definitionController.isBusy || target.resource !== definitionResource) return
    await this.#definitionController.whenSettled()
  }

  protected override registryOptions(): Partial<Registry> {
    const { placement } = this.placed
    return {
      resourceConfig: () => this.#resourceConfig(),
      rbac: () => this.#policyParts.rbac,
      admissionConfiguration: () => shared(this.#policyParts.admission),
      ...(placement === 'one-object' && { withOwnFacts: (missing) => withOwnFacts(this.collections, missing) }),
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
    this.#availability.changed(keys)
    if (this.#definitions.changed(keys)) this.#noticeDefinitions(keys)
    this.#workqueues.changed(keys)
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
      this.#availability.changed([])
      this.#workqueues.changed([])
      this.#namespaces.findTerminating()
      this.#definitionController.findDeleted()
    }
    await this.#workqueues.start()
    this.#defaultObjects.publishCertificate(this.#namespaces.names())
    this.#quotas.start()
    this.#storageMigrator?.findMigrations()
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

  /** Registers a collection that is about to hold its first object. */
  async #register(text: string): Promise<Response> {
    const registration = JSON.parse(text) as CollectionRegistration
    if (!(await this.#collections.register(registration))) return unknownRequest()
    return Response.json(this.#quotas.rangesOf(prefixOfCollection(registration.group, registration.resource)))
  }

  #noticeDefinitions(keys: readonly string[]): void {
    this.#quotas.defined(keys.filter((key) => key.startsWith(definitionPrefix)).map((key) => key.slice(definitionPrefix.length)))
    for (const key of keys) {
      if (key.startsWith(definitionPrefix)) this.#definitionController.enqueue(key.slice(definitionPrefix.length))
    }
  }

  /** Enqueues a terminating namespace, whether a client or the garbage collector deleted it. */
  protected override changed(event: StoreEvent): void {
    super.changed(event)
    countUnavailable(this.samples, event)
    this.#quotas.changed(event)
    const { key, value } = event.object
    if (this.#storageMigrator !== undefined && key.startsWith(migrationPrefix)) {
      this.#storageMigrator.changed(key.slice(migrationPrefix.length))
      void this.armAlarm()
    }
    if (!this.#deletesContent || !key.startsWith('namespaces/') || !value.includes('"deletionTimestamp":')) return
    this.#namespaces.enqueue(key.slice('namespaces/'.length))
    void this.armAlarm()
  }

  protected override alarmParts(): readonly AlarmPart[] {
    const namespaces = this.#deletesContent ? [this.#namespaces] : []
    return [
      ...super.alarmParts(),
      ...namespaces,
      ...(this.#storageMigrator === undefined ? [] : [this.#storageMigrator]),
      this.#definitionController,
      this.#quotas,
      this.#availability,
      this.#life.expiry,
      ...this.#workqueues.parts,
    ]
  }
}
