/**
 * Checks of where a PersistentVolume's content is. Most sources are as Pods have them; those that name Secrets of other
 * namespaces have checks of their own. Follows ValidatePersistentVolumeSpec of k8s.io/kubernetes/pkg/apis/core/validation.
 */

import { utf8Length } from '../../../go/text.ts'
import { forbiddenValue, invalidValue, required } from '../../../meta/field-error.ts'
import { inclusiveRangeError, isDns1123Label } from '../../../meta/names.ts'
import { checkDnsLabel, checkDnsSubdomain, checkMessages, type Errors } from '../checks.ts'
import { type CheckSource, checkInitiatorForm, disks } from '../pod/disks.ts'
import { checkNoBacksteps } from '../pod/paths.ts'
import { checkDriver, hostPath } from '../pod/volumes.ts'

interface SecretReference {
  name?: string
  namespace?: string
}

/** A reference to a Secret, where there is one, names it and its namespace. */
function checkWholeRef(ref: SecretReference | undefined, field: string, errors: Errors): void {
  if (ref === undefined) return
  for (const part of ['name', 'namespace'] as const) {
    if ((ref[part] ?? '') === '') errors.push(required(`${field}.${part}`))
  }
}

function checkSecretReference({ name = '', namespace = '' }: SecretReference, field: string, errors: Errors): void {
  if (name === '') errors.push(required(`${field}.name`))
  else checkDnsSubdomain(name, `${field}.name`, errors)
  if (namespace === '') errors.push(required(`${field}.namespace`))
  else checkDnsLabel(namespace, `${field}.namespace`, errors)
}

const glusterfs: CheckSource = (
  { endpoints, path, endpointsNamespace }: { endpoints: string; path: string; endpointsNamespace?: string },
  field,
  errors,
) => {
  if (endpoints === '') errors.push(required(`${field}.endpoints`))
  if (path === '') errors.push(required(`${field}.path`))
  if (endpointsNamespace === undefined) return
  const messages =
    endpointsNamespace === ''
      ? ['if the endpointnamespace is set, it must be a valid namespace name']
      : isDns1123Label(endpointsNamespace)
  checkMessages(messages, endpointsNamespace, `${field}.endpointsNamespace`, errors)
}

interface Iscsi {
  targetPortal: string
  iqn: string
  lun: number
  chapAuthDiscovery?: boolean
  chapAuthSession?: boolean
  secretRef?: SecretReference
  initiatorName?: string
}

const iscsi: CheckSource = (source: Iscsi, field, errors) => {
  const { targetPortal, iqn, lun, secretRef, initiatorName } = source
  if (targetPortal === '') errors.push(required(`${field}.targetPortal`))
  if (iqn === '') errors.push(required(`${field}.iqn`))
  else checkInitiatorForm(iqn, `${field}.iqn`, errors)
  if (lun < 0 || lun > 255) errors.push(invalidValue(`${field}.lun`, lun, inclusiveRangeError(0, 255)))
  if ((source.chapAuthDiscovery === true || source.chapAuthSession === true) && secretRef === undefined) {
    errors.push(required(`${field}.secretRef`))
  }
  if (secretRef !== undefined && (secretRef.name ?? '') === '') errors.push(required(`${field}.secretRef.name`))
  if (initiatorName !== undefined) checkInitiatorForm(initiatorName, `${field}.initiatorname`, errors)
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const

type Csi = Readonly<Partial<Record<(typeof csiSecrets)[number], SecretReference>>> & { driver: string; volumeHandle: string }

const csi: CheckSource = (source: Csi, field, errors) => {
  checkDriver(source.driver, `${field}.driver`, errors)
  if (source.volumeHandle === '') errors.push(required(`${field}.volumeHandle`))
  for (const name of csiSecrets) {
    const ref = source[name]
    if (ref !== undefined) checkSecretReference(ref, `${field}.${name}`, errors)
  }
}

const storageOs: CheckSource = (
  { secretRef, ...source }: Readonly<Record<string, string>> & { secretRef?: SecretReference },
  field,
  errors,
) => {
  disks.storageos?.(source as never, field, errors)
  checkWholeRef(secretRef, `${field}.secretRef`, errors)
}

/** The sources in the order in which a second one is refused. */
const sources: Readonly<Record<string, CheckSource | undefined>> = {
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
  cinder: ({ volumeID, secretRef }: { volumeID: string; secretRef?: SecretReference }, field, errors) => {
    if (volumeID === '') errors.push(required(`${field}.volumeID`))
    checkWholeRef(secretRef, `${field}.secretRef`, errors)
  },
  fc: disks.fc,
  flexVolume: disks.flexVolume,
  azureFile: (source: { secretNamespace?: string }, field, errors) => {
    disks.azureFile?.(source as never, field, errors)
    if (source.secretNamespace === '') errors.push(required(`${field}.secretNamespace`))
  },
  vsphereVolume: disks.vsphereVolume,
  photonPersistentDisk: disks.photonPersistentDisk,
  portworxVolume: disks.portworxVolume,
  azureDisk: disks.azureDisk,
  scaleIO: disks.scaleIO,
  local: ({ path }: { path: string }, field, errors) => {
    if (path === '') errors.push(required(`${field}.path`))
    else checkNoBacksteps(path, `${field}.path`, errors)
  },
  storageos: storageOs,
  csi,
}

/** The names of the fields that say where the content is. */
export const sourceNames: readonly string[] = Object.keys(sources)

/** Fields whose errors are told of under another name. */
const pathOf: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' }
const refusedPathOf: Readonly<Record<string, string>> = { cephfs: 'cephFS' }

const longestPortal = 64

function checkPortal(source: Iscsi, volume: string, field: string, errors: Errors): void {
  if (source.initiatorName === undefined || utf8Length(`${volume}:${source.targetPortal}`) <= longestPortal) return
  const text = `Total length of <volume name>:<iscsi.targetPortal> must be under ${longestPortal} characters if iscsi.initiatorName is specified.`
  errors.push(invalidValue(`${field}.targetportal`, source.targetPortal, text))
}

/**
 * The volume has one source.
 * @param volume the name of the PersistentVolume
 */
export function checkVolumeSources(spec: Readonly<Record<string, unknown>>, volume: string, errors: Errors): void {
  let found = 0
  for (const name of sourceNames) {
    const source = spec[name]
    if (source === undefined) continue
    // A second source of this kind is not refused.
    if (found > 0 && name !== 'flexVolume') {
      errors.push(forbiddenValue(`spec.${refusedPathOf[name] ?? name}`, 'may not specify more than 1 volume type'))
      continue
    }
    found++
    sources[name]?.(source as never, `spec.${pathOf[name] ?? name}`, errors)
    if (name === 'iscsi') checkPortal(source as Iscsi, volume, 'spec.iscsi', errors)
    if (name === 'local' && spec.nodeAffinity === undefined) {
      errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'))
    }
  }
  if (found === 0) errors.push(required('spec', 'must specify a volume type'))
}
