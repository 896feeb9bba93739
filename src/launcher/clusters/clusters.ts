/** Named clusters of a server, as objects `clusters.edgeplane.dev`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Api, messageIn } from '../api.ts'
import { packageRoot } from '../cloudflare/wrangler.ts'
import { LauncherError } from '../launcher-error.ts'

const collection = '/apis/edgeplane.dev/v1/clusters'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** A Cluster object. */
export interface Cluster {
  readonly metadata: {
    readonly name: string
    readonly creationTimestamp: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly status?: {
    readonly phase?: string
    readonly message?: string
    readonly url?: string
    readonly objects?: number
    readonly bytes?: number
    readonly expiresAt?: string
    readonly kubeconfigSecret?: { readonly namespace: string; readonly name: string }
  }
}

/** The wishes for a new cluster. */
export interface ClusterWish {
  readonly name: string
  readonly spec: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, string>>
}

const pathOf = (name: string): string => `${collection}/${encodeURIComponent(name)}`

/** Enables clusters on a server that does not know them yet. @throws LauncherError if the user may not do that */
async function enable(api: Api): Promise<void> {
  const manifest = readFileSync(join(packageRoot, 'manifests/clusters.json'), 'utf8')
  await api.send({ method: 'POST', path: definitions, body: manifest, type: 'application/json' }, [409])
}

/**
 * Makes a cluster.
 * @param ifExists whether an existing one is an error, or returned as it is
 * @throws LauncherError
 */
export async function createCluster(api: Api, wish: ClusterWish, ifExists: 'refuse' | 'keep' = 'refuse'): Promise<Cluster> {
  const { name, spec, annotations = {} } = wish
  const body = JSON.stringify({ apiVersion: 'edgeplane.dev/v1', kind: 'Cluster', metadata: { name, annotations }, spec })
  // A server of an earlier release must not make a cluster without what was asked for.
  const request = { method: 'POST', path: `${collection}?fieldValidation=Strict`, body } as const
  let answer = await api.send(request, [404, 409])
  if (answer.status === 404) {
    await enable(api)
    answer = await api.send(request, [409])
  }
  if (answer.status === 409 && ifExists === 'refuse') throw new LauncherError(`${messageIn(answer.text)}.`)
  return ready(await findCluster(api, name), name)
}

function ready(cluster: Cluster | undefined, name: string): Cluster {
  if (cluster?.status?.phase === 'Ready') return cluster
  throw new LauncherError(`The cluster ${name} is not ready: ${cluster?.status?.message ?? 'it was deleted meanwhile'}.`)
}

/** Returns a cluster; undefined if it does not exist. @throws LauncherError */
export async function findCluster(api: Api, name: string): Promise<Cluster | undefined> {
  const { status, text } = await api.send({ method: 'GET', path: pathOf(name) }, [404])
  return status === 404 ? undefined : (JSON.parse(text) as Cluster)
}

/** Returns all clusters that the user may see. @throws LauncherError */
export async function listClusters(api: Api): Promise<readonly Cluster[]> {
  const { status, text } = await api.send({ method: 'GET', path: collection }, [404])
  return status === 404 ? [] : (JSON.parse(text) as { items: readonly Cluster[] }).items
}

/** Sets the time at which a cluster is deleted. Returns the cluster. @throws LauncherError */
export async function renewCluster(api: Api, name: string, expiry: string): Promise<Cluster> {
  const body = JSON.stringify({ spec: { expiry } })
  await api.send({ method: 'PATCH', path: pathOf(name), body, type: 'application/merge-patch+json' })
  return ready(await findCluster(api, name), name)
}

/** Deletes a cluster with all that it holds. Resolves to whether it has existed. @throws LauncherError */
export async function deleteCluster(api: Api, name: string): Promise<boolean> {
  return (await api.send({ method: 'DELETE', path: pathOf(name) }, [404])).status !== 404
}

/** Returns the kubeconfig of a cluster's administrator. @throws LauncherError */
export async function kubeconfigOfCluster(api: Api, name: string): Promise<string> {
  const found = await findCluster(api, name)
  if (found === undefined) throw new LauncherError(`There is no cluster ${name}: \`edgeplane cluster list\` shows all.`)
  const { namespace = '', name: secret = '' } = ready(found, name).status?.kubeconfigSecret ?? {}
  const path = `/api/v1/namespaces/${namespace}/secrets/${secret}`
  const { data } = await api.json<{ data: { kubeconfig: string } }>(path)
  return Buffer.from(data.kubeconfig, 'base64').toString()
}
