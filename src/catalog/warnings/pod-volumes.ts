/** Warnings of a Pod's volumes: deprecated types, and overlapping paths. */
import { goQuote } from '../../go/text.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'
import type { PersistentVolumeClaimSpec, ProjectedVolumeSource, Volume, VolumeProjection } from '../generated/types/core.v1.ts'
import { type File, overlapsOf } from './overlapping-paths.ts'
import { warnOfFraction } from './warn.ts'

const deprecation = (since: string, nonFunctional: string): string =>
  `deprecated in v${since}, non-functional in v${nonFunctional}+`

/** Deprecated sources, in kube-apiserver's order: the field, its name in the message, and the text. */
const deprecated: readonly (readonly [field: keyof Volume, messageName: string, text: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', deprecation('1.11', '1.16')],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', deprecation('1.16', '1.22')],
  ['flocker', 'flocker', deprecation('1.22', '1.25')],
  ['storageos', 'storageOS', deprecation('1.22', '1.25')],
  ['quobyte', 'quobyte', deprecation('1.22', '1.25')],
  ['glusterfs', 'glusterfs', deprecation('1.25', '1.26')],
  ['cephfs', 'cephfs', deprecation('1.28', '1.31')],
  ['rbd', 'rbd', deprecation('1.28', '1.31')],
]

/** Warns of the resources of a claim. */
export function warnOfClaim({ resources }: PersistentVolumeClaimSpec, field: string, warnings: WarningRecorder): void {
  warnOfFraction(resources.requests?.storage, `${field}.resources.requests[storage]`, warnings)
  warnOfFraction(resources.limits?.storage, `${field}.resources.limits[storage]`, warnings)
}

const formatFile = ({ path, source }: File): string => (source === '' ? goQuote(path) : `${goQuote(path)} (${source})`)
const filesOf = (items: readonly { readonly path: string }[] | undefined, source = ''): File[] =>
  (items ?? []).map(({ path }) => ({ path, source }))

function warnOfOverlaps(files: readonly File[], volume: string, warnings: WarningRecorder): void {
  for (const [file, other] of overlapsOf(files)) {
    if (warnings.isFull) return
    warnings.add(`${volume}: overlapping paths: ${formatFile(file)} with ${formatFile(other)}`)
  }
}

/** Returns the files of a source. As kube-apiserver, only of the first part that has any. */
function filesOfSource({ configMap, secret, downwardAPI, serviceAccountToken, podCertificate }: VolumeProjection): File[] {
  if (configMap?.items !== undefined) return filesOf(configMap.items, `ConfigMap ${goQuote(configMap.name ?? '')}`)
  if (secret?.items !== undefined) return filesOf(secret.items, `Secret ${goQuote(secret.name ?? '')}`)
  if (downwardAPI?.items !== undefined) return filesOf(downwardAPI.items, 'DownwardAPI')
  if (serviceAccountToken !== undefined) return [{ path: serviceAccountToken.path, source: 'ServiceAccountToken' }]
  if (podCertificate === undefined) return []
  const { certificateChainPath, keyPath, credentialBundlePath } = podCertificate
  const named: readonly (readonly [string | undefined, string])[] = [
    [certificateChainPath, 'PodCertificate chain'],
    [keyPath, 'PodCertificate key'],
    [credentialBundlePath, 'PodCertificate credential bundle'],
  ]
  return named.flatMap(([path, source]) => (path ? [{ path, source }] : []))
}

function warnOfProjected({ sources }: ProjectedVolumeSource, volume: string, warnings: WarningRecorder): void {
  const files: File[] = []
  for (const source of sources ?? []) {
    if (Object.keys(source).length === 0) warnings.add(`${volume} (Projected) has no sources provided`)
    else files.push(...filesOfSource(source))
  }
  warnOfOverlaps(files, `${volume} (Projected)`, warnings)
}

function warnOfFiles(volume: Volume, warnings: WarningRecorder): void {
  const named = `volume ${goQuote(volume.name)}`
  const { configMap, secret, downwardAPI, projected } = volume
  if (configMap !== undefined) {
    warnOfOverlaps(filesOf(configMap.items), `${named} (ConfigMap ${goQuote(configMap.name ?? '')})`, warnings)
  }
  if (secret !== undefined) {
    warnOfOverlaps(filesOf(secret.items), `${named} (Secret ${goQuote(secret.secretName ?? '')})`, warnings)
  }
  if (downwardAPI !== undefined) warnOfOverlaps(filesOf(downwardAPI.items), `${named} (DownwardAPI)`, warnings)
  if (projected !== undefined) warnOfProjected(projected, named, warnings)
}

/** Warns of the volumes of a Pod or template. `field` is the field of the list. */
export function warnOfVolumes(volumes: readonly Volume[], field: string, warnings: WarningRecorder): void {
  for (const [index, volume] of volumes.entries()) {
    const at = `${field}[${index}]`
    for (const [name, shownName, text] of deprecated) if (volume[name] !== undefined) warnings.add(`${at}.${shownName}: ${text}`)
    const { volumeClaimTemplate } = volume.ephemeral ?? {}
    if (volumeClaimTemplate !== undefined) {
      warnOfClaim(volumeClaimTemplate.spec, `${at}.ephemeral.volumeClaimTemplate.spec`, warnings)
    }
  }
  for (const volume of volumes) warnOfFiles(volume, warnings)
}
