/**
 * Makes and deletes named clusters: the objects `clusters.edgeplane.dev` of the default cluster. The administrator enables them
 * with the definition in manifests/clusters.yaml.
 */
import { ClusterCredentials } from '../../auth/cluster-credentials.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { clustersPath, isClusterName } from '../../clusters/cluster-path.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { type Fork, type ForkProgress, forkPaths, type NewFork } from '../../clusters/fork-messages.ts'
import type { Operation, Target } from '../../clusters/operation.ts'
import { type ClusterPlacement, defaultCluster } from '../../clusters/placement.ts'
import { fetchInner, repeated } from '../../clusters/protocol.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import { serverManager } from '../../meta/managers.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { applyIn } from '../../registry/apply.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Controller, ControllerContext } from '../controller.ts'
import { kubeconfigNamespace } from './forked-secrets.ts'
import { kubeconfigOf } from './kubeconfig.ts'
import { clusterRecordPath, type WantedCluster } from './record.ts'

const collection = { group: 'edgeplane.dev', resource: 'clusters' } as const
const prefix = `${collection.resource}.${collection.group}/`
const apiVersion = `${collection.group}/v1`

const namespace = kubeconfigNamespace

interface Cluster extends KubernetesObject {
  spec?: {
    readonly placement?: ClusterPlacement
    readonly forkedFrom?: { readonly name?: string; readonly time?: string }
  }
  status?: { readonly phase?: string; readonly uid?: string }
}

const write = { manager: serverManager, dryRun: false } as const

const core = (resource: string, name: string, inNamespace = ''): Target => ({
  group: '',
  version: 'v1',
  resource,
  subresource: '',
  namespace: inNamespace,
  name,
})

/** Creates an object of the core group, or overwrites it. */
async function ensure(collections: CollectionClient, target: Target, object: JsonObject): Promise<void> {
  const kind = kindOf('', 'v1', target.resource)
  if (kind === undefined) return
  const text = JSON.stringify(object)
  const create: Operation = { verb: 'create', target: { ...target, name: '' }, write }
  try {
    await collections.perform(kind, create, text)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
    if (target.namespace === '') return
    try {
      await collections.perform(kind, { verb: 'update', target, write }, text)
    } catch (gone) {
      // The garbage collector has deleted the Secret of an earlier cluster meanwhile.
      if (!(gone instanceof ApiError) || gone.reason !== 'NotFound') throw gone
      await collections.perform(kind, create, text)
    }
  }
}

/** Writes the Secret with the kubeconfig. It goes with its cluster, by its owner reference. */
async function ensureSecret(context: ControllerContext, { metadata }: Cluster, url: string): Promise<string> {
  const { name = '', uid = '' } = metadata
  const secret = `${name}-kubeconfig`
  const token = new ClusterCredentials(context.adminToken).sign({ cluster: name, uid })
  const { rootCertificate, collections } = context
  const kubeconfig = kubeconfigOf({ cluster: name, server: url, rootCertificate, token })
  await ensure(collections, core('namespaces', namespace), { metadata: { name: namespace } })
  await ensure(collections, core('secrets', secret, namespace), {
    metadata: { name: secret, namespace, ownerReferences: [{ apiVersion, kind: 'Cluster', name, uid }] },
    type: 'Opaque',
    data: { kubeconfig: Buffer.from(kubeconfig).toString('base64'), token: Buffer.from(token).toString('base64') },
  })
  return secret
}

/** Writes the status as the server's own manager. */
async function setStatus({ registry }: ControllerContext, name: string, status: JsonObject): Promise<void> {
  const kind = registry().kindOf(collection.group, 'v1', collection.resource)
  if (kind === undefined) return
  const target: Target = { ...collection, version: 'v1', subresource: 'status', namespace: '', name }
  await registry().store.write((transaction) => {
    if (transaction.get(prefix + name) === undefined) return
    const configuration = { apiVersion, kind: 'Cluster', metadata: { name }, status }
    applyIn({ registry: registry(), transaction, kind, target, write }, { configuration, force: true })
  })
}

/** Tells the control object of a cluster that it exists, or that it is gone. */
function tell({ clusterClient }: ControllerContext, name: string, wanted: WantedCluster): Promise<void> {
  const init = { method: 'PUT', body: JSON.stringify(wanted) }
  return repeated(() => fetchInner(clusterClient(name).control(), clusterRecordPath, init))
}

/** Returns the cluster that a Cluster object describes. @throws ApiError if it cannot be a fork of its parent at the moment */
async function wantedOf({ clusterClient }: ControllerContext, { metadata, spec }: Cluster): Promise<WantedCluster> {
  const { name: cluster = '', uid = '' } = metadata
  const { placement, forkedFrom } = spec ?? {}
  if (forkedFrom === undefined) return { uid, placement: placement ?? 'one-object' }
  const { name: ofParent = '', time } = forkedFrom
  if (!isClusterName(ofParent) || ofParent === cluster) throw badRequest('a fork needs the name of another cluster')
  const wanted: NewFork = { uid, cluster, ...(time !== undefined && { time: Date.parse(time) }) }
  const parent = clusterClient(ofParent).control()
  const response = await fetchInner(parent, forkPaths.hold, { method: 'POST', body: JSON.stringify(wanted) })
  const fork = (await response.json()) as Fork
  if (placement === undefined || placement === fork.placement) return { uid, placement: fork.placement, fork }
  const nothing: ForkProgress = { uid, remaining: [] }
  await fetchInner(parent, forkPaths.progress, { method: 'POST', body: JSON.stringify(nothing) })
  throw badRequest(`a fork has the placement of its parent, ${fork.placement}`)
}

/** The status of a fork: the moment of its parent. */
const forkedStatus = ({ placement, fork }: WantedCluster): JsonObject => ({
  placement,
  ...(fork !== undefined && { forkedFrom: { name: fork.parent, time: new Date(fork.time).toISOString() } }),
})

async function reconcile(context: ControllerContext, name: string): Promise<boolean> {
  const stored = context.registry().store.get(prefix + name)
  if (stored === undefined) {
    await tell(context, name, { uid: '', placement: 'one-object' })
    return true
  }
  const cluster = objectOf(stored) as Cluster
  if (!isClusterName(name) || name === defaultCluster) {
    await setStatus(context, name, { phase: 'Failed', message: 'the name of a cluster is a DNS label other than "default"' })
    return true
  }
  let wanted: WantedCluster
  try {
    wanted = await wantedOf(context, cluster)
    await tell(context, name, wanted)
  } catch (error) {
    // Any other error may pass.
    if (!(error instanceof ApiError) || error.code >= 500) throw error
    await setStatus(context, name, { phase: 'Failed', message: error.message })
    return true
  }
  const url = `https://${context.serverAddress || 'localhost'}${clustersPath}${name}`
  const secret = await ensureSecret(context, cluster, url)
  await setStatus(context, name, {
    phase: 'Ready',
    url,
    kubeconfigSecret: { namespace, name: secret },
    ...forkedStatus(wanted),
  })
  return true
}

/** Returns the controller of clusters. It has nothing to do in a named cluster: these make no clusters of their own. */
export function clusterController(context: ControllerContext): Controller {
  const isRoot = context.cluster === defaultCluster && context.adminToken !== ''
  return {
    enqueue({ type, object }) {
      if (!isRoot) return undefined
      const isNew = type === 'DELETED' || (objectOf(object) as Cluster).status?.phase === undefined
      return isNew ? `cluster/${object.key.slice(prefix.length)}` : undefined
    },
    reconcilers: { cluster: (name) => reconcile(context, name) },
    isPartOfWrites: true,
  }
}
