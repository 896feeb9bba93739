/** Checks of PersistentVolumes. Follows ValidatePersistentVolume of k8s.io/kubernetes/pkg/apis/core/validation and pkg/volume/validation. */

import { indentedJson, unifiedDiff } from '../../../go/unified-diff.ts'
import { type FieldError, forbiddenValue, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import { internalJson } from '../../shapes/internal-json.ts'
import type { NodeSelectorTerm } from '../../shapes/pod.ts'
import { checkDnsSubdomain, checkImmutable, checkSupported, type Errors, isSame } from '../checks.ts'
import { checkNodeSelector } from '../pod/scheduling.ts'
import { checkVolumeSources, sourceNames } from './persistent-volume-sources.ts'
import { checkBasicAmount } from './resource-names.ts'
import { checkModes } from './volume-claim.ts'

interface VolumeSpec {
  accessModes?: string[]
  capacity?: Record<string, string>
  persistentVolumeReclaimPolicy?: string
  nodeAffinity?: { required?: { nodeSelectorTerms: NodeSelectorTerm[] | null } }
  hostPath?: { path: string }
  csi?: { controllerExpandSecretRef?: unknown }
  storageClassName?: string
  volumeMode?: string
  volumeAttributesClassName?: string
  [source: string]: unknown
}

interface Volume extends KubernetesObject {
  spec: VolumeSpec
}

const policies = ['Delete', 'Recycle', 'Retain']
const volumeModes = ['Block', 'Filesystem']

function checkCapacity(spec: VolumeSpec, errors: Errors): void {
  const { capacity = {} } = spec
  const field = 'spec.capacity'
  const names = Object.keys(capacity)
  if (names.length === 0) errors.push(required(field))
  if (names.length !== 1 || names[0] !== 'storage') {
    errors.push(notSupported(field, names.length === 0 ? (explicitEmpty(spec, 'capacity') ?? null) : capacity, ['storage']))
  }
  for (const [name, amount] of Object.entries(capacity)) {
    checkBasicAmount(amount, `${field}[${name}]`, errors)
    if (compareQuantities(amount, '0') <= 0) errors.push(invalidValue(`${field}[${name}]`, amount, 'must be greater than zero'))
  }
}

function checkAttributesClass({ volumeAttributesClassName: name, csi }: VolumeSpec, errors: Errors): void {
  if (name === undefined) return
  const field = 'spec.volumeAttributesClassName'
  if (name === '') errors.push(required(field, 'an empty string is disallowed'))
  else checkDnsSubdomain(name, field, errors)
  if (csi === undefined) errors.push(required('spec.csi', 'has to be specified when using volumeAttributesClassName'))
}

/** Whether a path is the root, however it is written. */
function isRoot(path: string): boolean {
  let depth = 0
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1)
    else if (part !== '' && part !== '.') depth++
  }
  return path.startsWith('/') && depth === 0
}

function checkAffinity({ nodeAffinity }: VolumeSpec, errors: Errors): void {
  if (nodeAffinity === undefined) return
  const field = 'spec.nodeAffinity.required'
  if (nodeAffinity.required === undefined) errors.push(required(field, 'must specify required node constraints'))
  else checkNodeSelector(nodeAffinity.required, field, errors)
}

const takesOptions = [
  ...['gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'nfs', 'rbd', 'quobyte', 'iscsi', 'cinder', 'cephfs'],
  ...['azureFile', 'vsphereVolume', 'azureDisk', 'photonPersistentDisk'],
]
const optionsAnnotation = 'volume.beta.kubernetes.io/mount-options'

/** What is mounted by other means takes no options (checkMountOption). */
function checkMountOptions({ metadata, spec }: Volume, errors: Errors): void {
  if (metadata.annotations?.[optionsAnnotation] === undefined || takesOptions.some((name) => spec[name] !== undefined)) return
  const text = 'may not specify mount options for this volume type'
  errors.push(forbiddenValue(`metadata.annotations.${optionsAnnotation}`, text))
}

function findErrors(volume: Volume): Errors {
  const errors: Errors = []
  const { metadata, spec } = volume
  const { accessModes = [], persistentVolumeReclaimPolicy: policy = '', storageClassName = '', volumeMode, hostPath } = spec
  if (accessModes.length === 0) errors.push(required('spec.accessModes'))
  checkModes(accessModes, 'spec.accessModes', errors)
  checkCapacity(spec, errors)
  if (policy !== '') checkSupported(policy, policies, 'spec.persistentVolumeReclaimPolicy', errors)
  checkAffinity(spec, errors)
  checkVolumeSources(spec, metadata.name ?? '', errors)
  if (hostPath !== undefined && isRoot(hostPath.path) && policy === 'Recycle') {
    errors.push(forbiddenValue('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'"))
  }
  if (storageClassName !== '') checkDnsSubdomain(storageClassName, 'spec.storageClassName', errors)
  if (volumeMode !== undefined) checkSupported(volumeMode, volumeModes, 'spec.volumeMode', errors)
  checkAttributesClass(spec, errors)
  return errors
}

/** What is wrong with a new PersistentVolume, its metadata left out. */
export function validatePersistentVolume(volume: Volume): FieldError[] {
  const errors = findErrors(volume)
  checkMountOptions(volume, errors)
  return errors
}

const sourceOf = (spec: VolumeSpec): Record<string, unknown> =>
  Object.fromEntries(sourceNames.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])))

const shown = (source: unknown): string => indentedJson(internalJson('PersistentVolumeSource', source))

function checkSourceChange(spec: VolumeSpec, old: VolumeSpec, errors: Errors): void {
  const [before, now] = [sourceOf(old), sourceOf(spec)]
  if (old.csi !== undefined && old.csi.controllerExpandSecretRef === undefined && spec.csi !== undefined) {
    const { controllerExpandSecretRef: _mayBeSet, ...csi } = spec.csi
    now.csi = csi
  }
  if (isSame(now, before)) return
  const difference = unifiedDiff(shown(before), shown(now))
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

type Requirements = NodeSelectorTerm['matchExpressions']

const sameRequirements = (now: Requirements = [], old: Requirements = []): boolean =>
  now.length === old.length &&
  now.every((requirement, index) => {
    const before = old[index]
    if (before === undefined) return false
    // A label that has no other name may become none at all.
    const key = (gaLabels[before.key] ?? '') === requirement.key ? requirement.key : before.key
    return isSame(requirement, { ...before, key })
  })

/** Whether nothing but the names of labels changed, from beta to those that stay. */
function sameAffinity(now: VolumeSpec['nodeAffinity'], old: VolumeSpec['nodeAffinity']): boolean {
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

/** What is wrong with a changed PersistentVolume, which is looked at twice, and with how it has changed. */
export function validatePersistentVolumeChange(volume: Volume, { spec: old }: Volume): FieldError[] {
  const { spec } = volume
  const errors = findErrors(volume)
  checkSourceChange(spec, old, errors)
  checkImmutable(spec.volumeMode ?? null, old.volumeMode ?? null, 'volumeMode', errors)
  if (old.nodeAffinity !== undefined && !sameAffinity(spec.nodeAffinity, old.nodeAffinity)) {
    const text = 'field is immutable, except for updating from beta label to GA'
    const value = spec.nodeAffinity === undefined ? null : internalJson('VolumeNodeAffinity', spec.nodeAffinity)
    errors.push(invalidValue('nodeAffinity', value, text))
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    errors.push(forbiddenValue('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'))
  }
  return errors
}
