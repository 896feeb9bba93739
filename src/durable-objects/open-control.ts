/** Opens the control object of a cluster. */

import { readConfiguredKeys } from '../auth/service-accounts/configured-keys.ts'
import { type ControlProtocol, controlProtocol } from '../clusters/control-protocol.ts'
import { Receiver } from '../clusters/message.ts'
import { defaultCluster, placementOfCollection } from '../clusters/placement.ts'
import { emulationText } from '../config/emulation.ts'
import type { Environment } from '../config/environment.ts'
import { objectSettings } from '../config/settings.ts'
import type { ControllerClients } from '../controllers/admitted-writes.ts'
import { ApiServiceAvailability, documentsOf } from '../controllers/api-service-availability/availability.ts'
import { measureAvailability } from '../controllers/api-service-availability/metrics.ts'
import { isBootstrapKey } from '../controllers/bootstrap/collections.ts'
import { BootstrapMarker } from '../controllers/bootstrap/marker.ts'
import { ClusterRecord } from '../controllers/cluster/record.ts'
import { controlControllers } from '../controllers/controllers.ts'
import { CollectionDefinitions } from '../controllers/crd/collection-definition.ts'
import { Definitions } from '../controllers/crd/definitions.ts'
import type { Kernel } from '../controllers/kernel.ts'
import { PolicyParts } from '../controllers/policy-parts.ts'
import { QuotaController } from '../controllers/resource-quota/wiring.ts'
import { KnownAccounts } from '../controllers/service-account/known-accounts.ts'
import { TokenSigner } from '../controllers/token-signer.ts'
import { apiServicePrefix } from '../registry/policy/api-services.ts'
import type { HistoryBounds } from '../storage/compaction.ts'
import { Database } from '../storage/database.ts'
import { serverAccessOf } from './aggregated-servers.ts'
import { ClusterRestore } from './backup/cluster-restore.ts'
import type { ObjectContents } from './backup/restore.ts'
import { type ClusterCollections, OwnCollections, SeparateCollections } from './cluster-collections.ts'
import { ClusterFork } from './cluster-fork.ts'
import { ClusterLife } from './cluster-life.ts'
import { placementOfCluster } from './cluster-placement.ts'
import { collectionStateOf } from './collection-state.ts'
import { ControlAnswers } from './control-answers.ts'
import { startControl } from './control-start.ts'
import { clusterFeature } from './features/cluster.ts'
import { controlServices } from './features/control-services.ts'
import { measureObject } from './features/maintenance.ts'
import { customResources, ownQuotas } from './features/own-collections.ts'
import { policy } from './features/policy.ts'
import { countedCollections, quotas } from './features/quotas.ts'
import { ForkHolds, ownCollections } from './fork-holds.ts'
import { Loopback } from './loopback.ts'
import { ObjectCopies } from './object-copies.ts'
import { finishCopy, objectFeatures } from './object-features.ts'
import { knownName } from './object-name.ts'
import { openKernel } from './open-kernel.ts'
import { OpenObject, startObject } from './open-object.ts'
import { ReportedCluster } from './reported-cluster.ts'

const receiver = new Receiver(controlProtocol)

/** An open control object, and the life of its cluster. */
export interface ControlObject {
  readonly object: OpenObject<ControlProtocol>
  readonly life: ClusterLife
}

/** Returns the history that the cluster wishes, or else that of the deployment. */
function historyOfCluster(record: ClusterRecord, env: Environment): HistoryBounds {
  const setting = objectSettings(env)
  return {
    historyEvents: setting.historyEvents,
    get historySeconds() {
      return record.terms?.historySeconds ?? setting.historySeconds
    },
  }
}

/** Returns the collections of the cluster, by its placement. */
function collectionsOf(kernel: Kernel, definitions: Definitions, copies: ObjectCopies): ClusterCollections {
  const { ctx, placement, client, store } = kernel
  if (placement === 'collections') return new SeparateCollections(ctx.storage)
  return new OwnCollections({
    store,
    definitions: new CollectionDefinitions(
      ctx.storage,
      client,
      collectionStateOf(kernel, copies, () => true),
    ),
    customKinds: () => Object.keys(definitions.summaries()).flatMap((name) => definitions.storageKind(name) ?? []),
    isPending: (collection) => copies.has(collection),
  })
}

/** Returns the contents of the control object. */
const contentsOf = ({ cluster, placement }: Kernel, collections: ClusterCollections): ObjectContents => ({
  prefixes: () => collections.own(),
  mayHold: (collection) => placement === 'one-object' || collections.isOwn(collection),
  names: () => collections.others().map(({ group, resource }) => placementOfCollection(cluster, group, resource).name),
})

/** Makes the parts of a control object, from the record of its cluster on. */
function clusterParts(ctx: DurableObjectState, env: Environment, clients: ControllerClients) {
  const database = new Database(ctx.storage, ctx.id.name)
  const name = knownName(database)
  const record = new ClusterRecord(ctx.storage, name)
  const history = historyOfCluster(record, env)
  const placement = placementOfCluster(ctx.storage, database, env)
  const loopback = new Loopback()
  const kernel = openKernel({ ctx, env, clients, database, name, placement, history, loopback })
  const { cluster, store, client, registry } = kernel
  const reported = new ReportedCluster(kernel, record)
  const { uses, use } = reported
  const copies = new ObjectCopies(kernel, use)
  const definitions = new Definitions(store)
  const collections = collectionsOf(kernel, definitions, copies)
  const emulation = () => (cluster === defaultCluster ? emulationText(env) : (record.terms?.emulatedRelease ?? ''))
  const documents = (service: string) => documentsOf(ctx.storage, service)
  const policyParts = new PolicyParts(ctx.storage, store, definitions, record, documents, emulation)
  const signer = new TokenSigner(ctx.storage, readConfiguredKeys(kernel.settings.serviceAccountKeys))
  const fork = new ClusterFork(kernel)
  const apiServices = new ApiServiceAvailability(kernel, serverAccessOf(kernel, signer), () =>
    policyParts.changed([apiServicePrefix]),
  )
  kernel.queues.open(controlControllers, { kernel, definitions, apiServices, collections, fork })
  const { controllers: enabled } = kernel
  return {
    kernel,
    loopback,
    record,
    history,
    reported,
    uses,
    use,
    copies,
    definitions,
    collections,
    emulation,
    policyParts,
    signer,
    apiServices,
    quotas: new QuotaController(kernel, countedCollections(kernel, collections, definitions)),
    fork,
    holds: new ForkHolds(kernel, { record, history, past: copies.past, collections, uses }),
    accounts: new KnownAccounts(client),
    bootstrapMarker: new BootstrapMarker(ctx.storage, (key) => isBootstrapKey(registry, key), {
      controllers: enabled,
      resources: emulationText(env),
    }),
  }
}

type ClusterParts = ReturnType<typeof clusterParts>

/** Makes the features that every object has. @param continueRestore goes on with the restore of the cluster */
function commonFeatures(parts: ClusterParts, contents: ObjectContents, continueRestore: () => Promise<void>) {
  const { kernel, record, copies, collections, quotas: quotaControl, use, holds, fork } = parts
  const copy = async (prefixes?: readonly string[]): Promise<void> => {
    await copies.copy(prefixes)
    // In a fork with an object for each collection, the control object makes the others copy.
    if (prefixes === undefined && kernel.placement === 'collections') await fork.complete()
  }
  const features = objectFeatures(
    kernel,
    {
      contents,
      copies,
      copyRules: { isParent: (cluster) => cluster === kernel.cluster || cluster === fork.current?.parent, copy },
      customKind: (prefix) => collections.storedCustomKind(prefix),
      quotaControl,
      use,
      clusterUid: () => record.uid,
      keptFrom: async () => holds.keptFrom(ownCollections),
    },
    continueRestore,
  )
  copies.onFinished((prefix) => finishCopy(kernel, prefix))
  return { ...features, copy }
}

/**
 * Opens the object.
 * @param reopen opens it again, as its storage says then
 */
export function openControl(
  ctx: DurableObjectState,
  env: Environment,
  clients: ControllerClients,
  reopen: () => ControlObject,
): ControlObject {
  const parts = clusterParts(ctx, env, clients)
  const { kernel, record, collections, reported } = parts
  const contents = contentsOf(kernel, collections)
  const common = commonFeatures(parts, contents, () => restore.continue())
  const begin = async (): Promise<void> => {
    await startControl(kernel, parts)
    object.enterMemory()
  }
  const life = new ClusterLife(kernel, parts, { begin, reopen: () => reopen().life })
  const restore = new ClusterRestore(kernel, {
    restoration: common.restoration,
    record,
    contents,
    collections,
    completeForks: () => life.completeForks(),
  })
  const answers = new ControlAnswers(kernel, parts, (request) => object.answerOperation(request))
  const ofCluster = clusterFeature(kernel, { ...parts, life }, () => reported.report('expired'))
  const ofPolicy = policy(kernel, { ...parts, answers })
  const services = controlServices(kernel, parts)
  const object = new OpenObject(
    kernel,
    {
      receiver,
      handlers: {
        ...common.handlers,
        ...ofCluster.handlers,
        ...ofPolicy.handlers,
        ...services.handlers,
        metrics: () => {
          measureAvailability(kernel.metrics.samples, kernel.store)
          return { ...measureObject(kernel, collections.own()), collections: collections.others() }
        },
        // A backup has all objects of the cluster.
        backupState: async () => {
          await common.copy()
          return common.restoration.state()
        },
        finishRestore: (wanted) => restore.finish(wanted),
        revokeRegistration: () => undefined,
        historyChanged: () => undefined,
      },
      features: [
        ofCluster,
        ...common.features,
        customResources(kernel, collections, parts.definitions),
        ownQuotas(kernel, parts.quotas, common.usage),
        ofPolicy,
        services,
        quotas(parts.quotas),
      ],
      copies: parts.copies,
      sockets: common.sockets,
      loopback: parts.loopback,
    },
    {
      isReadable: (uid) => !common.restoration.isRestoring && record.exists && (uid === undefined || uid === record.uid),
      confirmsPolicy: (of) => answers.confirmsPolicy(of),
    },
  )
  startObject(object, common, begin, () => record.exists)
  return { object, life }
}
