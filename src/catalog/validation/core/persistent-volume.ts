/** Checks of PersistentVolumes. Follows ValidatePersistentVolume of k8s.io/kubernetes/pkg/apis/core/validation and pkg/volume/validation. */
import { jsonDifference } from '../../../go/unified-diff.ts'
import { type FieldError, forbiddenValue } from '../../../meta/field-error.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import * as corev1 from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { Errors, isSame } from '../checks.ts'
import { checkNodeSelector } from '../pod/scheduling.ts'
import { checkVolumeSources, sourceNames } from './persistent-volume-sources.ts'
import { checkBasicAmount } from './resource-names.ts'
import { checkModes } from './volume-claim.ts'

function checkCapacity(spec: corev1.PersistentVolumeSpec, errors: Errors): void {
  const { capacity = {} } = spec
  const field = 'spec.capacity'
  const names = Object.keys(capacity)
  if (names.length === 0) errors.required(field)
  if (names.length !== 1 || names[0] !== 'storage') {
    errors.notSupported(field, names.length === 0 ? (explicitEmpty(spec, 'capacity') ?? null) : capacity, ['storage'])
  }
  for (const [name, amount] of Object.entries(capacity)) {
    checkBasicAmount(amount, `${field}[${name}]`, errors)
    if (compareQuantities(amount, '0') <= 0) errors.invalid(`${field}[${name}]`, amount, 'must be greater than zero')
  }
}

function checkAttributesClass({ volumeAttributesClassName: name, csi }: corev1.PersistentVolumeSpec, errors: Errors): void {
  if (name === undefined) return
  const field = 'spec.volumeAttributesClassName'
  if (name === '') errors.required(field, 'an empty string is disallowed')
  else errors.checkDnsSubdomain(name, field)
  if (csi === undefined) errors.required('spec.csi', 'has to be specified when using volumeAttributesClassName')
}

/** Whether a path is the root directory after normalization. */
function isRoot(path: string): boolean {
  let depth = 0
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1)
    else if (part !== '' && part !== '.') depth++
  }
  return path.startsWith('/') && depth === 0
}

function checkAffinity({ nodeAffinity }: corev1.PersistentVolumeSpec, errors: Errors): void {
  if (nodeAffinity === undefined) return
  const field = 'spec.nodeAffinity.required'
  if (nodeAffinity.required === undefined) errors.required(field, 'must specify required node constraints')
  else checkNodeSelector(nodeAffinity.required, field, errors)
}

const takesOptions: ReadonlySet<string> = new Set([
  ...['gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'nfs', 'rbd', 'quobyte', 'iscsi', 'cinder', 'cephfs'],
  ...['azureFile', 'vsphereVolume', 'azureDisk', 'photonPersistentDisk'],
])
const optionsAnnotation = 'volume.beta.kubernetes.io/mount-options'

/** Forbids the annotation for mount options if the volume source does not support them (checkMountOption). */
function checkMountOptions({ metadata, spec }: corev1.PersistentVolume, errors: Errors): void {
  if (metadata.annotations?.[optionsAnnotation] === undefined || Object.keys(spec).some((name) => takesOptions.has(name))) return
  errors.forbidden(`metadata.annotations.${optionsAnnotation}`, 'may not specify mount options for this volume type')
}

/** Forbids to recycle the root directory of a node. `at` is the field of the spec. */
export function checkRecycling(
  { hostPath, persistentVolumeReclaimPolicy: policy }: corev1.PersistentVolumeSpec,
  at: string,
  errors: Errors,
): void {
  if (hostPath === undefined || !isRoot(hostPath.path) || policy !== 'Recycle') return
  errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")
}

function findErrors(volume: corev1.PersistentVolume): Errors {
  const errors = new Errors()
  const { metadata, spec } = volume
  const { accessModes = [], persistentVolumeReclaimPolicy: policy = '', storageClassName = '', volumeMode } = spec
  if (accessModes.length === 0) errors.required('spec.accessModes')
  checkModes(accessModes, 'spec.accessModes', errors)
  checkCapacity(spec, errors)
  if (policy !== '') errors.checkSupported(policy, corev1.PersistentVolumeReclaimPolicy, 'spec.persistentVolumeReclaimPolicy')
  checkAffinity(spec, errors)
  checkVolumeSources(spec, metadata.name ?? '', 'spec', errors)
  checkRecycling(spec, 'spec', errors)
  if (storageClassName !== '') errors.checkDnsSubdomain(storageClassName, 'spec.storageClassName')
  if (volumeMode !== undefined) errors.checkSupported(volumeMode, corev1.PersistentVolumeMode, 'spec.volumeMode')
  checkAttributesClass(spec, errors)
  return errors
}

/** Validates a new PersistentVolume, except its metadata. */
export function validatePersistentVolume(volume: corev1.PersistentVolume): FieldError[] {
  const errors = findErrors(volume)
  checkMountOptions(volume, errors)
  return errors
}

const sourceOf = (spec: corev1.PersistentVolumeSpec): Record<string, unknown> =>
  Object.fromEntries(sourceNames.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])))

const internalOf = (source: unknown): unknown => internalJson('PersistentVolumeSource', source)

function checkSourceChange(spec: corev1.PersistentVolumeSpec, old: corev1.PersistentVolumeSpec, errors: Errors): void {
  const [before, now] = [sourceOf(old), sourceOf(spec)]
  if (old.csi !== undefined && old.csi.controllerExpandSecretRef === undefined && spec.csi !== undefined) {
    const { controllerExpandSecretRef: _mayBeSet, ...csi } = spec.csi
    now.csi = csi
  }
  if (isSame(now, before)) return
  const difference = jsonDifference(internalOf(before), internalOf(now))
  errors.push(
    forbiddenValue('spec.persistentvolumesource', `spec.persistentvolumesource is immutable after creation\n${difference}`),
  )
}

const gaLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
}

type Requirements = corev1.NodeSelectorTerm['matchExpressions']

const sameRequirements = (now: Requirements = [], old: Requirements = []): boolean =>
  now.length === old.length &&
  now.every((requirement, index) => {
    const before = old[index]
    if (before === undefined) return false
    // A label key without a GA name may become the empty string.
    const key = (gaLabels[before.key] ?? '') === requirement.key ? requirement.key : before.key
    return isSame(requirement, { ...before, key })
  })

/** Whether the only differences are label keys that changed from their beta names to their GA names. */
function sameAffinity(
  now: corev1.PersistentVolumeSpec['nodeAffinity'],
  old: corev1.PersistentVolumeSpec['nodeAffinity'],
): boolean {
  const [terms, before] = [now?.required?.nodeSelectorTerms ?? [], old?.required?.nodeSelectorTerms ?? []]
  return (
    (now === undefined) === (old === undefined) &&
    terms.length === before.length &&
    terms.every(
      ({ matchExpressions, matchFields }, index) =>
        sameRequirements(matchExpressions, before[index]?.matchExpressions) &&
        sameRequirements(matchFields, before[index]?.matchFields),
    )
  )
}

/** Validates an updated PersistentVolume, whose errors appear twice as upstream, and its differences from the old one. */
export function validatePersistentVolumeChange(
  volume: corev1.PersistentVolume,
  { spec: old }: corev1.PersistentVolume,
): FieldError[] {
  const { spec } = volume
  const errors = findErrors(volume)
  checkSourceChange(spec, old, errors)
  errors.checkImmutableChoice(spec.volumeMode ?? null, old.volumeMode ?? null, 'volumeMode')
  if (old.nodeAffinity !== undefined && !sameAffinity(spec.nodeAffinity, old.nodeAffinity)) {
    const text = 'field is immutable, except for updating from beta label to GA'
    const value = spec.nodeAffinity === undefined ? null : internalJson('VolumeNodeAffinity', spec.nodeAffinity)
    errors.invalid('nodeAffinity', value, text)
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    errors.forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden')
  }
  return errors
}
