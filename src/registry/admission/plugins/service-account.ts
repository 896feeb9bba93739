/**
 * The admission plugin ServiceAccount: requires that the ServiceAccount of a Pod exists, mounts its token into every container,
 * and copies its imagePullSecrets.
 */

import type { Container, Pod, PodSpec, Volume } from '../../../catalog/generated/types/core.v1.ts'
import { isObject } from '../../../go/json-object.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import { goQuote } from '../../../go/text.ts'
import { ApiError } from '../../../meta/errors.ts'
import type { WorkerLookup } from '../../../meta/lookups.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type PodAccount, serviceAccount as podAccount } from '../../facts/service-account.ts'
import type { NameGenerator } from '../../name-generator.ts'
import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  admissionForbidden,
  type MutatingContext,
  type ValidatingContext,
} from '../plugin.ts'
import { ephemeralRefusal, mirrorRefusal, mountRefusal } from './service-account-secrets.ts'

const mirrorAnnotation = 'kubernetes.io/config.mirror'
const volumePrefix = 'kube-api-access-'
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The requested lifetime of a Pod's bound token, in seconds. */
const expirationSeconds = 3607

/** Returns the name of a Pod's ServiceAccount. */
const accountNameOf = ({ serviceAccountName = '', serviceAccount = '' }: Partial<PodSpec>): string =>
  serviceAccountName || serviceAccount || 'default'

function lookupsOf({ namespace }: AdmissionAttributes, object: JsonValue): readonly WorkerLookup<unknown>[] {
  const spec = isObject(object) ? object.spec : undefined
  const names = isObject(spec) ? [spec.serviceAccountName, spec.serviceAccount] : []
  const [serviceAccountName = '', serviceAccount = ''] = names.map((name) => (typeof name === 'string' ? name : ''))
  return [podAccount.lookup({ namespace, name: accountNameOf({ serviceAccountName, serviceAccount }) })]
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

/** Mounts the token into containers that have no other mount at its path. */
function mountToken(spec: PodSpec, names: NameGenerator): void {
  const existing = spec.volumes?.find((volume) => volume.name.startsWith(volumePrefix))
  const name = existing?.name ?? names.name(volumePrefix)
  const isFree = ({ volumeMounts = [] }: Container): boolean => !volumeMounts.some((mount) => mount.mountPath === mountPath)
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(isFree)
  for (const container of containers) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }]
  }
  if (existing === undefined && containers.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)]
}

/** Returns the reason to reject a Pod because of its ServiceAccount; undefined if it is allowed. */
function accountRefusal(spec: PodSpec, namespace: string, name: string, account: PodAccount | null): string | undefined {
  if (account !== null) return mountRefusal(spec, name, account)
  const [wrong] = nameIsPathSegment(name, false)
  const why =
    wrong === undefined ? `serviceaccount ${goQuote(name)} not found` : `invalid resource name ${goQuote(name)}: [${wrong}]`
  return `error looking up service account ${namespace}/${name}: ${why}`
}

function admitPod(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  _old: unknown,
  { lookups, names }: MutatingContext,
): void {
  const { spec, metadata } = object as Pod
  // A mirror Pod represents a static Pod of a kubelet and is not changed.
  const isMirror = metadata.annotations?.[mirrorAnnotation] !== undefined
  const { namespace } = attributes
  const name = accountNameOf(spec)
  const account = isMirror ? null : lookups.get(podAccount.lookup({ namespace, name }))
  const why = isMirror ? mirrorRefusal(spec) : accountRefusal(spec, namespace, name, account)
  if (why !== undefined) throw admissionForbidden(attributes, object, why)
  if (account === null) return
  spec.serviceAccountName = name
  spec.serviceAccount = name
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, names)
  if ((spec.imagePullSecrets ?? []).length > 0 || account.imagePullSecrets.length === 0) return
  spec.imagePullSecrets = account.imagePullSecrets.map((secret) => (secret === '' ? {} : { name: secret }))
}

/** Rejects ephemeral containers with Secrets that the ServiceAccount does not list, if it enforces mountable secrets. */
function validateEphemeralContainers(
  attributes: AdmissionAttributes,
  object: KubernetesObject,
  _old: unknown,
  { lookups }: ValidatingContext,
): void {
  const { spec, metadata } = object as Pod
  const { namespace = '', name = '' } = metadata
  const account = spec.serviceAccountName ?? ''
  if (account === '') throw admissionForbidden(attributes, object, `no service account specified for pod ${namespace}/${name}`)
  const found = lookups.get(podAccount.lookup({ namespace, name: account }))
  if (found === null) {
    const why = `error looking up service account ${namespace}/${account}: serviceaccount ${goQuote(account)} not found`
    throw admissionForbidden(attributes, object, why)
  }
  const why = ephemeralRefusal(spec, account, found)
  // kube-apiserver returns a plain error here, which becomes a 500 and not a 403.
  if (why !== undefined) throw new ApiError(500, '', why)
}

/**
 * Changes Pods on CREATE and validates an UPDATE of /ephemeralcontainers. Follows the plugin of k8s.io/kubernetes.
 */
export const serviceAccount: AdmissionPlugin = {
  name: 'ServiceAccount',
  handlers: [
    { operations: ['CREATE'], resources: ['pods'], lookups: lookupsOf, admit: admitPod },
    { operations: ['UPDATE'], resources: ['pods/ephemeralcontainers'], validate: validateEphemeralContainers },
  ],
}
