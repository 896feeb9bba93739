/**
 * Makes and deletes named clusters: the objects `clusters.edgeplane.dev` of the default cluster. The administrator enables them
 * with the definition in manifests/clusters.json.
 */

import { ClusterCredentials } from '../../auth/cluster-credentials.ts'
import { kindOf } from '../../catalog/scheme.ts'
import { ClusterAddresses, isClusterName } from '../../clusters/cluster-path.ts'
import type { ClusterUse, WantedCluster } from '../../clusters/cluster-terms.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { kubeconfigNamespace } from '../../clusters/deployment-objects.ts'
import type { Fork } from '../../clusters/fork-messages.ts'
import { send } from '../../clusters/message.ts'
import type { Operation, Target } from '../../clusters/operation.ts'
import { defaultCluster } from '../../clusters/placement.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import { ApiError, badRequest } from '../../meta/errors.ts'
import { serverManager } from '../../meta/managers.ts'
import { objectOf } from '../../registry/stored-object.ts'
import type { Controller, Outcome } from '../controller.ts'
import type { Kernel } from '../kernel.ts'
import { clusterCollection, clusterPrefix, clusterVersion } from './collection.ts'
import { endExpired } from './expired.ts'
import { kubeconfigOf } from './kubeconfig.ts'
import { accessOf, hasOwner } from './owner-access.ts'
import { type ClusterStatus, type ClusterWithStatus, isExpired, withUse, writeStatus } from './reports.ts'
import { tell } from './tell.ts'
import { type ClusterSpec, termsOf } from './terms.ts'

const namespace = kubeconfigNamespace

interface Cluster extends ClusterWithStatus {
  spec?: ClusterSpec
}

const write = { manager: serverManager, dryRun: false } as const

const targetOf = (group: string, resource: string, name: string, inNamespace = ''): Target => ({
  group,
  version: 'v1',
  resource,
  subresource: '',
  namespace: inNamespace,
  name,
})

/** Creates an object of a v1, or overwrites it. */
async function ensure(collections: CollectionClient, target: Target, object: JsonObject): Promise<void> {
  const kind = kindOf(target.group, 'v1', target.resource)
  if (kind === undefined) return
  const text = JSON.stringify(object)
  const create: Operation = { verb: 'create', target: { ...target, name: '' }, write }
  try {
    await collections.perform(kind, create, text)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
    if (target.resource === 'namespaces') return
    try {
      await collections.perform(kind, { verb: 'update', target, write }, text)
    } catch (gone) {
      // The garbage collector has deleted the Secret of an earlier cluster meanwhile.
      if (!(gone instanceof ApiError) || gone.reason !== 'NotFound') throw gone
      await collections.perform(kind, create, text)
    }
  }
}

/** Writes the Secret with the kubeconfig, and the permissions of the owner. They go with their cluster, by their owner reference. */
async function ensureSecret(kernel: Kernel, found: Cluster, url: string): Promise<string> {
  const { name = '', uid = '' } = found.metadata
  // Permissions may be a second old: the owner of an earlier cluster with this name must not read the Secret of another owner.
  const secret = `${name}-kubeconfig${hasOwner(found) ? `-${uid.slice(0, 8)}` : ''}`
  const token = new ClusterCredentials(adminTokenOf(kernel)).sign({ cluster: name, uid })
  const { settings, client } = kernel
  const kubeconfig = kubeconfigOf({ cluster: name, server: url, rootCertificate: settings.rootCertificate, token })
  const apiVersion = `${clusterCollection.group}/${clusterVersion}`
  const owner = { apiVersion, kind: 'Cluster', name, uid }
  await ensure(client, targetOf('', 'secrets', secret, namespace), {
    metadata: { name: secret, namespace, ownerReferences: [owner] },
    type: 'Opaque',
    data: { kubeconfig: Buffer.from(kubeconfig).toString('base64'), token: Buffer.from(token).toString('base64') },
  })
  for (const { resource, namespace: inNamespace, object } of accessOf(found, owner, secret, namespace)) {
    const { name: ofAccess } = object.metadata as { name: string }
    await ensure(client, targetOf('rbac.authorization.k8s.io', resource, ofAccess, inNamespace), object)
  }
  return secret
}

/** The setting ADMIN_TOKEN, with which the default cluster signs for others; '' if the deployment has none. */
const adminTokenOf = ({ settings }: Kernel): string => settings.adminToken

const invalidName = 'the name of a cluster is a DNS label other than "default"'

/** Returns the reason why a fork cannot be as its spec says; undefined if it can. */
function refusalOf(fork: Fork, { placement, jurisdiction, limits }: ClusterSpec): string | undefined {
  if (placement !== undefined && placement !== fork.placement) {
    return `a fork has the placement of its parent, ${fork.placement}: the resourceVersions of its objects depend on it`
  }
  const { objects = 0 } = fork
  if (limits?.objects !== undefined && objects > limits.objects)
    return `the parent has ${objects} objects at the moment of the fork, and spec.limits.objects is ${limits.objects}`
  if (jurisdiction === undefined || jurisdiction === fork.jurisdiction) return undefined
  return `a fork has the jurisdiction of its parent, ${fork.jurisdiction ?? 'that of the deployment'}: its objects do not leave it`
}

/** Returns the cluster that a Cluster object describes. @throws ApiError if it cannot be a fork of its parent at the moment */
async function wantedOf({ clusterClient }: Kernel, { metadata, spec, status }: Cluster): Promise<WantedCluster> {
  const { name: cluster = '', uid = '' } = metadata
  const { placement, forkedFrom } = spec ?? {}
  // The cluster has been made: only its terms may have changed.
  if (status?.phase === 'Ready') return { uid, placement: status.placement ?? placement ?? 'one-object' }
  if (forkedFrom === undefined) return { uid, placement: placement ?? 'one-object' }
  const { name: ofParent = '', time } = forkedFrom
  if (!isClusterName(ofParent) || ofParent === cluster) throw badRequest('a fork needs the name of another cluster')
  const parent = clusterClient(ofParent).control()
  const wanted = { uid, cluster, ...(time !== undefined && { time: Date.parse(time) }) }
  const fork = await send(parent, controlProtocol.holdHistory, wanted)
  const refusal = refusalOf(fork, spec ?? {})
  if (refusal === undefined) return { uid, placement: fork.placement, fork }
  await send(parent, controlProtocol.forkProgress, { uid, remaining: [] })
  throw badRequest(refusal)
}

/** The part of the status that is known when the cluster is made, and stays. */
const originStatus = ({ placement, fork, terms }: WantedCluster, { status }: Cluster): JsonObject => ({
  placement,
  ...(terms?.jurisdiction !== undefined && { jurisdiction: terms.jurisdiction }),
  ...(status?.forkedFrom !== undefined && { forkedFrom: { ...status.forkedFrom } }),
  ...(fork !== undefined && { forkedFrom: { name: fork.parent, time: new Date(fork.time).toISOString() } }),
})

async function reconcile(kernel: Kernel, name: string): Promise<Outcome> {
  const stored = kernel.store.get(clusterPrefix + name)
  if (stored === undefined) {
    await tell(kernel, name, { uid: '', placement: 'one-object' })
    return 'done'
  }
  const cluster = objectOf(stored) as Cluster
  if (isExpired(cluster.status ?? {})) return endExpired(kernel, cluster)
  const { uid = '', generation: observedGeneration = 1 } = cluster.metadata
  const settle = (statusOf: (status: ClusterStatus) => JsonObject): Promise<void> =>
    writeStatus(kernel, name, ({ metadata, status = {} }) =>
      metadata.uid === uid && !isExpired(status) ? statusOf(status) : undefined,
    )
  const fail = async (message: string): Promise<Outcome> => {
    await settle(() => ({ phase: 'Failed', observedGeneration, message }))
    return 'done'
  }
  const isName = isClusterName(name) && name !== defaultCluster
  const terms = isName ? termsOf(cluster.spec ?? {}, cluster.metadata) : invalidName
  if (typeof terms === 'string') return fail(terms)
  let wanted: WantedCluster
  let use: ClusterUse
  try {
    const described = await wantedOf(kernel, cluster)
    // A fork is where its parent is, also if its spec leaves that open.
    const jurisdiction = described.fork?.jurisdiction ?? cluster.status?.jurisdiction ?? terms.jurisdiction
    wanted = { ...described, terms: { ...terms, ...(jurisdiction !== undefined && { jurisdiction }) } }
    ;[use] = await Promise.all([
      tell(kernel, name, wanted),
      ensure(kernel.client, targetOf('', 'namespaces', namespace), { metadata: { name: namespace } }),
    ])
  } catch (error) {
    // Any other error may pass.
    if (!(error instanceof ApiError) || error.code >= 500) throw error
    return fail(error.message)
  }
  const url = new ClusterAddresses(kernel.settings.clusterDomain).urlOf(kernel.settings.serverAddress || 'localhost', name)
  const secret = await ensureSecret(kernel, cluster, url)
  const status = {
    phase: 'Ready',
    observedGeneration,
    url,
    kubeconfigSecret: { namespace, name: secret },
    ...(terms.expiresAt !== undefined && { expiresAt: rfc3339Seconds(terms.expiresAt) }),
    ...originStatus(wanted, cluster),
  }
  await settle(() => withUse(status, use))
  return 'done'
}

/** Makes and deletes clusters: in the default cluster alone, and only if the deployment has a key to sign for them. */
export const clusters: Controller<Kernel> = {
  name: 'cluster',
  rows: 'outbox-of-writes/cluster/',
  at: clusterCollection,
  awaitedBy: 'write',
  open: (kernel) => {
    const isResponsible = kernel.cluster === defaultCluster && adminTokenOf(kernel) !== ''
    return {
      keys: ({ type, object }) => {
        if (!isResponsible) return []
        const { metadata, status } = objectOf(object) as Cluster
        const isSettled = status?.phase !== undefined && !isExpired(status) && status.observedGeneration === metadata.generation
        // An object that is added with a status comes from a backup, without its Secret.
        return type === 'MODIFIED' && isSettled ? [] : [object.key.slice(clusterPrefix.length)]
      },
      reconcile: async (name) => (isResponsible ? reconcile(kernel, name) : 'done'),
    }
  },
}
