/** API objects that a Pod refers to. Follows HasAPIObjectReference of k8s.io/kubernetes/pkg/api/pod. */
import type { PodSpec, Volume } from '../../../../catalog/generated/types/core.v1.ts'
import { containersOf } from '../../../../catalog/validation/pod/windows.ts'
import { secretsOfPod } from '../service-account-secrets.ts'

const isNamed = (name: string | undefined): boolean => (name ?? '') !== ''

function hasConfigMap(spec: PodSpec): boolean {
  const inContainers = [...containersOf(spec, '')].some(
    ([{ env = [], envFrom = [] }]) =>
      envFrom.some(({ configMapRef }) => isNamed(configMapRef?.name)) ||
      env.some(({ valueFrom }) => isNamed(valueFrom?.configMapKeyRef?.name)),
  )
  const inVolume = ({ configMap, projected }: Volume): boolean =>
    isNamed(configMap?.name) || (projected?.sources ?? []).some((source) => isNamed(source.configMap?.name))
  return inContainers || (spec.volumes ?? []).some(inVolume)
}

/** Volume sources that refer to API objects, and the texts for them. */
const volumeReferences: readonly (readonly [source: keyof Volume, text: string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
]

type Projection = NonNullable<NonNullable<Volume['projected']>['sources']>[number]

const projectionReferences: readonly (readonly [source: keyof Projection, text: string])[] = [
  ['configMap', 'configmaps (via projected volumes)'],
  ['secret', 'secrets (via projected volumes)'],
  ['serviceAccountToken', 'serviceaccounts (via projected volumes)'],
  ['clusterTrustBundle', 'clustertrustbundles'],
  ['podCertificate', 'podcertificates'],
]

function volumeReference(volume: Volume): string | undefined {
  const own = volumeReferences.find(([source]) => volume[source] !== undefined)
  if (own !== undefined) return own[1]
  for (const projection of volume.projected?.sources ?? []) {
    const found = projectionReferences.find(([source]) => projection[source] !== undefined)
    if (found !== undefined) return found[1]
  }
  return undefined
}

/** Returns the resource of the first API object to which a Pod refers; undefined if it refers to none. */
export function apiObjectReference(spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'serviceaccounts'
  if (secretsOfPod(spec).some(isNamed)) return 'secrets'
  if (hasConfigMap(spec)) return 'configmaps'
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims'
  for (const volume of spec.volumes ?? []) {
    const found = volumeReference(volume)
    if (found !== undefined) return found
  }
  return undefined
}
