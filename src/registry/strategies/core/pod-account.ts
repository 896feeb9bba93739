/**
 * Pods and their ServiceAccounts: the account must be there, its token is mounted into every container, and its secrets for pulling
 * images are the Pod's. Follows the admission plugin ServiceAccount of k8s.io/kubernetes.
 */
import type { Container, Pod, PodSpec, Volume } from '../../../catalog/generated/types/core.v1.ts'
import type { PodAccount, WriteOptions } from '../../../clusters/operation.ts'
import { type ApiError, forbidden } from '../../../meta/errors.ts'
import { generateName, nameIsPathSegment } from '../../../meta/names.ts'
import { mirrorRefusal, mountRefusal } from './pod-secrets.ts'

const pods = { group: '', resource: 'pods' }
const mirrorAnnotation = 'kubernetes.io/config.mirror'
const volumePrefix = 'kube-api-access-'
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The lifetime that a token of a Pod's own is asked for with. */
const expirationSeconds = 3607

/** The name of the account under which a Pod is to run. */
export const accountNameOf = ({ serviceAccountName = '', serviceAccount = '' }: Partial<PodSpec>): string =>
  serviceAccountName || serviceAccount || 'default'

const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.[mirrorAnnotation] !== undefined

/**
 * Why the Pod may not be created; undefined where it may.
 * @param account undefined where nobody has looked, null where there is none of the name
 */
export function accountRefusal(pod: Pod, account: WriteOptions['account']): ApiError | undefined {
  const { namespace = '', name = '', generateName: prefix = '' } = pod.metadata
  const refused = (why: string | undefined): ApiError | undefined =>
    why === undefined ? undefined : forbidden(pods, name || prefix || 'Unknown', why)
  if (isMirror(pod)) return refused(mirrorRefusal(pod.spec))
  if (account === undefined) return undefined
  const ofPod = accountNameOf(pod.spec)
  if (account === null) {
    const [wrong] = nameIsPathSegment(ofPod, false)
    const why = wrong === undefined ? `serviceaccount "${ofPod}" not found` : `invalid resource name "${ofPod}": [${wrong}]`
    return refused(`error looking up service account ${namespace}/${ofPod}: ${why}`)
  }
  return refused(mountRefusal(pod.spec, ofPod, account))
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
    ],
    defaultMode: 0o644,
  },
})

/** Mounts the token into containers that have nothing else at its place. */
function mountToken(spec: PodSpec): void {
  const existing = spec.volumes?.find((volume) => volume.name.startsWith(volumePrefix))
  const name = existing?.name ?? generateName(volumePrefix, Math.random)
  const isFree = ({ volumeMounts = [] }: Container): boolean => !volumeMounts.some((mount) => mount.mountPath === mountPath)
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(isFree)
  for (const container of containers) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }]
  }
  if (existing === undefined && containers.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)]
}

/** Gives a new Pod what its account brings. A mirror of a Pod that a kubelet runs on its own stays as it is. */
export function admitToAccount(pod: Pod, account: PodAccount | null | undefined): void {
  const { spec } = pod
  if (isMirror(pod)) return
  const name = accountNameOf(spec)
  spec.serviceAccountName = name
  spec.serviceAccount = name
  if (account === undefined || account === null) return
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec)
  if ((spec.imagePullSecrets ?? []).length > 0 || account.imagePullSecrets.length === 0) return
  spec.imagePullSecrets = account.imagePullSecrets.map((secret) => (secret === '' ? {} : { name: secret }))
}
