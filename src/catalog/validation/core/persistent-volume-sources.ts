/**
 * Checks of the volume source of PersistentVolumes. Most sources are those of Pods; a source that names Secrets of other
 * namespaces has its own check. Follows ValidatePersistentVolumeSpec of k8s.io/kubernetes/pkg/apis/core/validation.
 */
import { utf8Length } from '../../../go/text.ts'
import { inclusiveRangeError, isDns1123Label } from '../../../meta/names.ts'
import type * as corev1 from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'
import { type CheckSource, checkInitiatorForm, disks } from '../pod/disks.ts'
import { checkNoBacksteps } from '../pod/paths.ts'
import { checkDriver, hostPath } from '../pod/volumes.ts'

/** Checks that a reference to a Secret, if present, has a name and a namespace. */
function checkWholeRef(ref: corev1.SecretReference | undefined, field: string, errors: Errors): void {
  if (ref === undefined) return
  for (const part of ['name', 'namespace'] as const) if ((ref[part] ?? '') === '') errors.required(`${field}.${part}`)
}

function checkSecretReference({ name = '', namespace = '' }: corev1.SecretReference, field: string, errors: Errors): void {
  if (name === '') errors.required(`${field}.name`)
  else errors.checkDnsSubdomain(name, `${field}.name`)
  if (namespace === '') errors.required(`${field}.namespace`)
  else errors.checkDnsLabel(namespace, `${field}.namespace`)
}

const glusterfs: CheckSource = (
  { endpoints, path, endpointsNamespace }: { endpoints: string; path: string; endpointsNamespace?: string },
  field,
  errors,
) => {
  if (endpoints === '') errors.required(`${field}.endpoints`)
  if (path === '') errors.required(`${field}.path`)
  if (endpointsNamespace === undefined) return
  const messages =
    endpointsNamespace === ''
      ? ['if the endpointnamespace is set, it must be a valid namespace name']
      : isDns1123Label(endpointsNamespace)
  errors.checkMessages(messages, endpointsNamespace, `${field}.endpointsNamespace`)
}

const iscsi: CheckSource = (source: corev1.ISCSIPersistentVolumeSource, field, errors) => {
  const { targetPortal, iqn, lun, secretRef, initiatorName } = source
  if (targetPortal === '') errors.required(`${field}.targetPortal`)
  if (iqn === '') errors.required(`${field}.iqn`)
  else checkInitiatorForm(iqn, `${field}.iqn`, errors)
  if (lun < 0 || lun > 255) errors.invalid(`${field}.lun`, lun, inclusiveRangeError(0, 255))
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && secretRef === undefined) {
    errors.required(`${field}.secretRef`)
  }
  if (secretRef !== undefined && (secretRef.name ?? '') === '') errors.required(`${field}.secretRef.name`)
  if (initiatorName !== undefined) checkInitiatorForm(initiatorName, `${field}.initiatorname`, errors)
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const

const csi: CheckSource = (source: corev1.CSIPersistentVolumeSource, field, errors) => {
  checkDriver(source.driver, `${field}.driver`, errors)
  if (source.volumeHandle === '') errors.required(`${field}.volumeHandle`)
  for (const name of csiSecrets) {
    const ref = source[name]
    if (ref !== undefined) checkSecretReference(ref, `${field}.${name}`, errors)
  }
}

const storageOs: CheckSource = ({ secretRef, ...source }: corev1.StorageOSPersistentVolumeSource, field, errors) => {
  disks.storageos?.(source as never, field, errors)
  checkWholeRef(secretRef, `${field}.secretRef`, errors)
}

/** The sources, in the order in which kube-apiserver rejects a second one. */
const sources: Readonly<Partial<Record<keyof corev1.PersistentVolumeSpec, CheckSource | undefined>>> = {
  hostPath,
  gcePersistentDisk: disks.gcePersistentDisk,
  awsElasticBlockStore: disks.awsElasticBlockStore,
  glusterfs,
  flocker: disks.flocker,
  nfs: disks.nfs,
  rbd: disks.rbd,
  quobyte: disks.quobyte,
  cephfs: disks.cephfs,
  iscsi,
  cinder: ({ volumeID, secretRef }: corev1.CinderPersistentVolumeSource, field, errors) => {
    if (volumeID === '') errors.required(`${field}.volumeID`)
    checkWholeRef(secretRef, `${field}.secretRef`, errors)
  },
  fc: disks.fc,
  flexVolume: disks.flexVolume,
  azureFile: (source: corev1.AzureFilePersistentVolumeSource, field, errors) => {
    disks.azureFile?.(source as never, field, errors)
    if (source.secretNamespace === '') errors.required(`${field}.secretNamespace`)
  },
  vsphereVolume: disks.vsphereVolume,
  photonPersistentDisk: disks.photonPersistentDisk,
  portworxVolume: disks.portworxVolume,
  azureDisk: disks.azureDisk,
  scaleIO: disks.scaleIO,
  local: ({ path }: corev1.LocalVolumeSource, field, errors) => {
    if (path === '') errors.required(`${field}.path`)
    else checkNoBacksteps(path, `${field}.path`, errors)
  },
  storageos: storageOs,
  csi,
}

/** The names of the fields that can contain the volume source. */
export const sourceNames = Object.keys(sources) as readonly (keyof corev1.PersistentVolumeSpec)[]

/** Fields whose errors kube-apiserver reports under another name. */
const pathOf: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' }
const refusedPathOf: Readonly<Record<string, string>> = { cephfs: 'cephFS' }

const longestPortal = 64

function checkPortal(source: corev1.ISCSIPersistentVolumeSource, volume: string, field: string, errors: Errors): void {
  if (source.initiatorName === undefined || utf8Length(`${volume}:${source.targetPortal}`) <= longestPortal) return
  const text = `Total length of <volume name>:<iscsi.targetPortal> must be under ${longestPortal} characters if iscsi.initiatorName is specified.`
  errors.invalid(`${field}.targetportal`, source.targetPortal, text)
}

/**
 * Checks that the volume has exactly one source, and validates it.
 * @param volume the name of the PersistentVolume; undefined for an inline volume, whose node affinity does not count
 */
export function checkVolumeSources(
  spec: corev1.PersistentVolumeSpec,
  volume: string | undefined,
  field: string,
  errors: Errors,
): void {
  let found = 0
  for (const name of sourceNames) {
    const source = spec[name]
    if (source === undefined) continue
    // A second source of this kind is accepted.
    if (found > 0 && name !== 'flexVolume') {
      errors.forbidden(`${field}.${refusedPathOf[name] ?? name}`, 'may not specify more than 1 volume type')
      continue
    }
    found++
    sources[name]?.(source as never, `${field}.${pathOf[name] ?? name}`, errors)
    if (name === 'iscsi' && spec.iscsi !== undefined) checkPortal(spec.iscsi, volume ?? '', `${field}.iscsi`, errors)
    if (name === 'local' && (spec.nodeAffinity === undefined || volume === undefined)) {
      errors.required(`${field}.nodeAffinity`, 'Local volume requires node affinity')
    }
  }
  if (found === 0) errors.required(field, 'must specify a volume type')
}
