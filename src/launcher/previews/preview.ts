/** The preview of a branch: a named cluster with its manifests, which ends with the branch or at its expiry. */
import { parseDuration } from '../../go/duration.ts'
import { Api } from '../api.ts'
import { type Cluster, createCluster, deleteCluster, kubeconfigOfCluster, renewCluster } from '../clusters/clusters.ts'
import { connectionOf } from '../connection.ts'
import { LauncherError } from '../launcher-error.ts'

/** The annotation with the branch of a preview. */
const branchAnnotation = 'edgeplane.dev/branch'

/** The wishes for a preview. */
export interface PreviewWish {
  readonly branch: string
  readonly name: string
  /** A duration from now, such as 72h. */
  readonly expiry: string
  readonly spec: Readonly<Record<string, unknown>>
  /** The objects that it begins with. */
  readonly manifests: string | undefined
}

/** A preview that is ready. */
export interface Preview {
  readonly cluster: Cluster
  readonly kubeconfig: string
  /** The number of objects that were applied. */
  readonly objects: number
}

/** Returns the time after a duration, in RFC 3339. @throws LauncherError for another text */
function timeAfter(duration: string, now: number): string {
  try {
    return new Date(now + Number(parseDuration(duration) / 1_000_000n)).toISOString().replace(/\.\d+Z$/, 'Z')
  } catch {
    throw new LauncherError(`--expiry must be a duration such as 72h, not "${duration}".`)
  }
}

/**
 * Makes the preview of a branch, or brings an existing one up to date: its expiry begins again, and manifests are applied.
 * @throws LauncherError
 */
export async function previewUp(api: Api, { branch, name, expiry, spec, manifests }: PreviewWish): Promise<Preview> {
  const expiresAt = timeAfter(expiry, Date.now())
  const objects = manifests === undefined ? [] : (await import('../transfer/read.ts')).readManifests(manifests)
  const wish = { name, spec: { ...spec, expiry: expiresAt }, annotations: { [branchAnnotation]: branch } }
  const made = await createCluster(api, wish, 'keep')
  if (made.metadata.annotations?.[branchAnnotation] !== branch) {
    throw new LauncherError(`The cluster ${name} exists, and is not the preview of ${branch}.`)
  }
  const cluster = await renewCluster(api, name, expiresAt)
  const kubeconfig = await kubeconfigOfCluster(api, name)
  const inside = new Api(connectionOf(JSON.parse(kubeconfig) as Record<string, unknown>))
  try {
    if (objects.length > 0) await (await import('../transfer/import.ts')).importObjects(inside, objects)
  } finally {
    inside.close()
  }
  return { cluster, kubeconfig, objects: objects.length }
}

/** Deletes the preview of a branch. Resolves to whether it has existed. @throws LauncherError */
export const previewDown = (api: Api, name: string): Promise<boolean> => deleteCluster(api, name)
