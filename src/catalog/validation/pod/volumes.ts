/** Checks of a Pod's volumes. Follows ValidateVolumes of k8s.io/kubernetes/pkg/apis/core/validation. */
import { goQuote, utf8Length } from '../../../go/text.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import * as corev1 from '../../generated/types/core.v1.ts'
import { collectErrors, type Errors, itemsOf } from '../checks.ts'
import { checkClaimSpec } from '../core/volume-claim.ts'
import { checkTemplateMetadata } from '../template-metadata.ts'
import { type CheckSource, disks } from './disks.ts'
import { checkMode, checkNoBacksteps } from './paths.ts'
import { checkDownwardFile, checkItems, checkProjected } from './projections.ts'

/** The volumes that containers may mount, by name. */
export type Volumes = ReadonlyMap<string, corev1.Volume>

const longestDriver = 63
const longestPortal = 64

interface KeysSource {
  name?: string
  secretName?: string
  defaultMode?: number
  items?: corev1.KeyToPath[]
}

const keysOf =
  (name: 'name' | 'secretName'): CheckSource =>
  (source: KeysSource, field, errors) => {
    if ((source[name] ?? '') === '') errors.required(`${field}.${name}`)
    checkMode(source.defaultMode, `${field}.defaultMode`, errors)
    checkItems(source.items, `${field}.items`, errors)
  }

/** Validates a hostPath volume. */
export const hostPath: CheckSource = ({ path, type }: { path: string; type?: string }, field, errors) => {
  if (path === '') {
    errors.required(`${field}.path`)
    return
  }
  checkNoBacksteps(path, `${field}.path`, errors)
  if (type !== undefined) errors.checkSupported(type, corev1.HostPathType, `${field}.type`)
}

/** Checks the name of a CSI driver. */
export function checkDriver(driver: string, field: string, errors: Errors): void {
  if (driver === '') {
    errors.required(field)
    return
  }
  if (utf8Length(driver) > longestDriver) errors.tooLong(field, longestDriver)
  errors.checkMessages(isDns1123Subdomain(driver.toLowerCase()), driver, field)
}

const csi: CheckSource = (source: { driver: string; nodePublishSecretRef?: { name?: string } }, field, errors) => {
  checkDriver(source.driver, `${field}.driver`, errors)
  if (source.nodePublishSecretRef === undefined) return
  const { name = '' } = source.nodePublishSecretRef
  if (name === '') errors.required(`${field}.nodePublishSecretRef.name`)
  else errors.checkDnsSubdomain(name, `${field}.name`)
}

const ephemeral: CheckSource = (
  { volumeClaimTemplate: template }: { volumeClaimTemplate?: corev1.PersistentVolumeClaimTemplate },
  field,
  errors,
) => {
  const at = `${field}.volumeClaimTemplate`
  if (template === undefined) {
    errors.required(at)
    return
  }
  const { metadata = {}, spec } = template
  checkTemplateMetadata(metadata, `${at}.metadata`, errors)
  checkClaimSpec(spec, `${at}.spec`, errors)
}

/** The sources, in the order in which kube-apiserver rejects a second one. */
const sources: Readonly<Record<string, CheckSource>> = {
  emptyDir: (source: { sizeLimit?: string }, field, errors) => {
    if (source.sizeLimit === undefined || compareQuantities(source.sizeLimit, '0') >= 0) return
    errors.forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')
  },
  hostPath,
  ...pick('gitRepo', 'gcePersistentDisk', 'awsElasticBlockStore'),
  secret: keysOf('secretName'),
  ...pick('nfs', 'iscsi', 'glusterfs', 'flocker'),
  persistentVolumeClaim: ({ claimName }: { claimName: string }, field, errors) => {
    if (claimName === '') errors.required(`${field}.claimName`)
  },
  ...pick('rbd', 'cinder', 'cephfs', 'quobyte'),
  downwardAPI: (source: { items?: corev1.DownwardAPIVolumeFile[]; defaultMode?: number }, field, errors) => {
    checkMode(source.defaultMode, `${field}.defaultMode`, errors)
    for (const file of source.items ?? []) checkDownwardFile(file, field, errors)
  },
  ...pick('fc', 'flexVolume'),
  configMap: keysOf('name'),
  ...pick('azureFile', 'vsphereVolume', 'photonPersistentDisk', 'portworxVolume', 'azureDisk', 'storageos'),
  projected: checkProjected as CheckSource,
  ...pick('scaleIO'),
  csi,
  ephemeral,
  image: () => {},
}

function pick(...names: readonly string[]): Readonly<Record<string, CheckSource>> {
  return Object.fromEntries(names.flatMap((name) => (disks[name] === undefined ? [] : [[name, disks[name]]])))
}

const order = new Map(Object.keys(sources).map((name, index) => [name, index]))
/** Fields whose errors kube-apiserver reports under another name. */
const pathOf: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' }
const refusedPathOf: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' }

function checkImage(
  { reference = '', pullPolicy }: Readonly<Record<string, string>>,
  pod: ObjectMeta | undefined,
  field: string,
  errors: Errors,
): void {
  if (pod !== undefined && reference === '') errors.required(`${field}.reference`)
  errors.checkRequiredSupported(pullPolicy, corev1.PullPolicy, `${field}.pullPolicy`)
}

/** Checks the sources whose rules depend on the volume's name, or on whether the volume is in a Pod. */
function checkNamed(volume: corev1.Volume, source: string, pod: ObjectMeta | undefined, field: string, errors: Errors): void {
  const { name } = volume
  if (source === 'image') checkImage(volume.image as never, pod, `${field}.image`, errors)
  if (source !== 'ephemeral' || (pod?.name ?? '') === '' || name === '') return
  const claim = `${pod?.name}-${name}`
  const messages = isDns1123Subdomain(claim).map((text) => `PVC name ${goQuote(claim)}: ${text}`)
  errors.checkMessages(messages, name, `${field}.name`)
}

function checkPortal({ name, iscsi }: corev1.Volume, field: string, errors: Errors): void {
  if (iscsi?.initiatorName === undefined || utf8Length(`${name}:${iscsi.targetPortal}`) <= longestPortal) return
  const text = `Total length of <volume name>:<iscsi.targetPortal> must be under ${longestPortal} characters if iscsi.initiatorName is specified.`
  errors.invalid(`${field}.name`, name, text)
}

function checkSources(volume: corev1.Volume, pod: ObjectMeta | undefined, field: string, errors: Errors): void {
  const given = (Object.keys(volume) as (keyof corev1.Volume)[]).filter((name) => name !== 'name')
  if (given.length > 1) given.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
  for (const [index, name] of given.entries()) {
    if (index > 0) errors.forbidden(`${field}.${refusedPathOf[name] ?? name}`, 'may not specify more than 1 volume type')
    else {
      sources[name]?.(volume[name] as never, `${field}.${pathOf[name] ?? name}`, errors)
      checkNamed(volume, name, pod, field, errors)
    }
    if (name === 'iscsi') checkPortal(volume, field, errors)
  }
  if (given.length === 0) errors.required(field, 'must specify a volume type')
}

/** Returns the names of the claims that will be created for a Pod's ephemeral volumes. */
function createdClaims(volumes: readonly corev1.Volume[], pod: ObjectMeta | undefined): ReadonlySet<string> {
  const name = pod?.name ?? ''
  if (name === '') return new Set()
  return new Set(volumes.filter((volume) => volume.ephemeral !== undefined).map((volume) => `${name}-${volume.name}`))
}

function checkVolume(volume: corev1.Volume, others: Volumes, pod: ObjectMeta | undefined, at: string, errors: Errors): void {
  checkSources(volume, pod, at, errors)
  if (volume.name === '') errors.required(`${at}.name`)
  else errors.checkDnsLabel(volume.name, `${at}.name`)
  if (others.has(volume.name)) errors.duplicate(`${at}.name`, volume.name)
}

/**
 * Validates the volumes.
 * @param pod the metadata of the Pod; undefined for a template
 * @returns the valid volumes, which containers may mount
 */
export function checkVolumes(
  volumes: readonly corev1.Volume[],
  pod: ObjectMeta | undefined,
  field: string,
  errors: Errors,
): Volumes {
  const good = new Map<string, corev1.Volume>()
  const created = createdClaims(volumes, pod)
  for (const [at, volume] of itemsOf(volumes, field)) {
    const own = collectErrors((errorsOfVolume) => checkVolume(volume, good, pod, at, errorsOfVolume))
    if (own.length === 0) good.set(volume.name, volume)
    else errors.push(...own)
    const { claimName } = (volume.persistentVolumeClaim ?? {}) as { claimName?: string }
    if (claimName === undefined || !created.has(claimName)) continue
    const text = 'must not reference a PVC that gets created for an ephemeral volume'
    errors.invalid(`${at}.persistentVolumeClaim.claimName`, claimName, text)
  }
  return good
}
