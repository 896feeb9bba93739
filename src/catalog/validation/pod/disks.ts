import { inclusiveRangeError } from '../../../meta/names.ts'
import * as corev1 from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'
import { isQualifiedInitiator } from './initiator.ts'
import { checkDescendingPath } from './paths.ts'

/** Checks one volume source at its field. */
export type CheckSource = (source: never, field: string, errors: Errors) => void

type Fields = Readonly<Record<string, unknown>>

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Returns the check of a source that requires fields of these names. */
const needs =
  (...names: readonly string[]): CheckSource =>
  (source: Fields, field, errors) => {
    for (const name of names) if (isEmpty(source[name])) errors.required(`${field}.${name}`)
  }

/** Checks that a reference to a Secret, if present, has a name. */
function checkSecretRef({ secretRef }: { secretRef?: { name?: string } }, field: string, errors: Errors): void {
  if (secretRef !== undefined && isEmpty(secretRef.name)) errors.required(`${field}.secretRef.name`)
}

const partitioned =
  (name: string): CheckSource =>
  (source: Fields & { partition?: number }, field, errors) => {
    if (isEmpty(source[name])) errors.required(`${field}.${name}`)
    const { partition = 0 } = source
    if (partition < 0 || partition > 255) errors.invalid(`${field}.partition`, partition, inclusiveRangeError(1, 255))
  }

const initiators: Readonly<Record<string, (name: string) => boolean>> = {
  iqn: isQualifiedInitiator,
  eui: (name) => /^eui.[0-9A-Za-z]{16}$/.test(name),
  naa: (name) => /^naa.[0-9A-Za-z]{32}$/.test(name),
}

/** Checks the format of an iSCSI initiator name whose prefix is already known. */
export function checkInitiatorForm(name: string, field: string, errors: Errors): void {
  if (initiators[name.slice(0, 3)]?.(name) !== true) errors.invalid(field, name, 'must be valid format')
}

function checkInitiator(name: string, field: string, errors: Errors): void {
  const isInitiator = initiators[name.slice(0, 3)]
  if (isInitiator === undefined) errors.invalid(field, name, 'must be valid format starting with iqn, eui, or naa')
  else if (!isInitiator(name)) errors.invalid(field, name, 'must be valid format')
}

const iscsi: CheckSource = (source: corev1.ISCSIVolumeSource, field, errors) => {
  if (source.targetPortal === '') errors.required(`${field}.targetPortal`)
  if (source.iqn === '') errors.required(`${field}.iqn`)
  else checkInitiator(source.iqn, `${field}.iqn`, errors)
  if (source.lun < 0 || source.lun > 255) errors.invalid(`${field}.lun`, source.lun, inclusiveRangeError(0, 255))
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && source.secretRef === undefined) {
    errors.required(`${field}.secretRef`)
  }
  if (source.initiatorName !== undefined) checkInitiator(source.initiatorName, `${field}.initiatorname`, errors)
}

const fibreChannel: CheckSource = ({ targetWWNs = [], lun, wwids = [] }: corev1.FCVolumeSource, field, errors) => {
  const at = `${field}.targetWWNs`
  if (targetWWNs.length === 0 && wwids.length === 0) errors.required(at, 'must specify either targetWWNs or wwids, but not both')
  if (targetWWNs.length === 0) return
  if (wwids.length > 0) errors.invalid(at, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')
  if (lun === undefined) errors.required(`${field}.lun`, 'lun is required if targetWWNs is specified')
  else if (lun < 0 || lun > 255) errors.invalid(`${field}.lun`, lun, inclusiveRangeError(0, 255))
}

const quobyte: CheckSource = (source: { registry: string; tenant?: string; volume: string }, field, errors) => {
  const text = 'must be a host:port pair or multiple pairs separated by commas'
  if (source.registry === '') errors.required(`${field}.registry`, text)
  else if ((source.tenant ?? '').length >= 65) {
    errors.required(`${field}.tenant`, 'must be a UUID and may not exceed a length of 64 characters')
  } else {
    for (const pair of source.registry.split(',')) {
      if (!/^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair)) errors.invalid(`${field}.registry`, source.registry, text)
    }
  }
  if (source.volume === '') errors.required(`${field}.volume`)
}

const flocker: CheckSource = ({ datasetName = '', datasetUUID = '' }: Readonly<Record<string, string>>, field, errors) => {
  if (datasetName === '' && datasetUUID === '') errors.required(field, 'one of datasetName and datasetUUID is required')
  if (datasetName !== '' && datasetUUID !== '') {
    errors.invalid(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')
  }
  if (datasetName.includes('/')) errors.invalid(`${field}.datasetName`, datasetName, "must not contain '/'")
}

const flexVolume: CheckSource = (source: { driver: string; options?: Record<string, string> }, field, errors) => {
  if (source.driver === '') errors.required(`${field}.driver`)
  for (const key of Object.keys(source.options ?? {})) {
    const domain = `.${(key.split('/', 1)[0] ?? '').toLowerCase()}`
    if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) continue
    errors.invalid(`${field}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved')
  }
}

const managedUri = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const blobUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

const azureDisk: CheckSource = ({ diskName, diskURI, cachingMode, kind }: corev1.AzureDiskVolumeSource, field, errors) => {
  if (diskName === '') errors.required(`${field}.diskName`)
  if (diskURI === '') errors.required(`${field}.diskURI`)
  if (cachingMode !== undefined) errors.checkSupported(cachingMode, corev1.AzureDataDiskCachingMode, `${field}.cachingMode`)
  if (kind === undefined) return
  errors.checkSupported(kind, corev1.AzureDataDiskKind, `${field}.kind`)
  const [prefix, shape] = kind === 'Managed' ? ['/subscriptions/', managedUri] : ['https://', blobUri]
  if (!diskURI.startsWith(prefix)) errors.textNotSupported(`${field}.diskURI`, diskURI, [shape])
}

const storageOs: CheckSource = (source: corev1.StorageOSVolumeSource, field, errors) => {
  const { volumeName = '', volumeNamespace = '' } = source
  if (volumeName === '') errors.required(`${field}.volumeName`)
  else errors.checkDnsLabel(volumeName, `${field}.volumeName`)
  if (volumeNamespace !== '') errors.checkDnsLabel(volumeNamespace, `${field}.volumeNamespace`)
  checkSecretRef(source, field, errors)
}

const nfs: CheckSource = (source: { server: string; path: string }, field, errors) => {
  if (source.server === '') errors.required(`${field}.server`)
  if (source.path === '') errors.required(`${field}.path`)
  if (!source.path.startsWith('/')) errors.invalid(`${field}.path`, source.path, 'must be an absolute path')
}

/** The check of each source, by the name of its field. */
export const disks: Readonly<Record<string, CheckSource>> = {
  gitRepo: (source: { repository: string; directory?: string }, field, errors) => {
    if (source.repository === '') errors.required(`${field}.repository`)
    checkDescendingPath(source.directory ?? '', `${field}.directory`, errors)
  },
  gcePersistentDisk: partitioned('pdName'),
  awsElasticBlockStore: partitioned('volumeID'),
  nfs,
  iscsi,
  glusterfs: needs('endpoints', 'path'),
  flocker,
  rbd: needs('monitors', 'image'),
  cinder: (source: { volumeID: string; secretRef?: { name?: string } }, field, errors) => {
    if (source.volumeID === '') errors.required(`${field}.volumeID`)
    checkSecretRef(source, field, errors)
  },
  cephfs: needs('monitors'),
  quobyte,
  fc: fibreChannel,
  flexVolume,
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk,
  storageos: storageOs,
  scaleIO: needs('gateway', 'system', 'volumeName'),
}
