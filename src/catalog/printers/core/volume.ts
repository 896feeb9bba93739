/** Table columns of PersistentVolumes and PersistentVolumeClaims. */
import type { JsonObject } from '../../../go/json-value.ts'
import { printersOf } from '../column.ts'
import { quantity } from '../format.ts'
import { child, has, text, textMap, texts } from '../read.ts'

/** The access modes in their order in the cell. */
const ACCESS_MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const

function accessModes(object: JsonObject): string {
  const modes = new Set(texts(object, 'accessModes'))
  return ACCESS_MODES.filter(([mode]) => modes.has(mode))
    .map(([, short]) => short)
    .join(',')
}

const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class'

/** Returns the storage class; the annotation takes precedence over the field. */
function storageClass(object: JsonObject): string {
  const annotations = textMap(child(object, 'metadata'), 'annotations')
  const annotated = Object.hasOwn(annotations, BETA_STORAGE_CLASS) ? annotations[BETA_STORAGE_CLASS] : undefined
  return annotated ?? text(child(object, 'spec'), 'storageClassName')
}

const unlessUnset = (object: JsonObject, field: string): string => (has(object, field) ? text(object, field) : '<unset>')

const phase = (object: JsonObject): string =>
  has(child(object, 'metadata'), 'deletionTimestamp') ? 'Terminating' : text(child(object, 'status'), 'phase')

const attributesClass = (object: JsonObject): string => unlessUnset(child(object, 'spec'), 'volumeAttributesClassName')

const volumeMode = (object: JsonObject): string => unlessUnset(child(object, 'spec'), 'volumeMode')

function claim(volume: JsonObject): string {
  const spec = child(volume, 'spec')
  if (!has(spec, 'claimRef')) return ''
  return `${text(child(spec, 'claimRef'), 'namespace')}/${text(child(spec, 'claimRef'), 'name')}`
}

const volumeName = (object: JsonObject): string => text(child(object, 'spec'), 'volumeName')

/** Returns a cell that is empty until the claim has a volume. */
const ofVolume =
  (cell: (status: JsonObject) => string) =>
  (object: JsonObject): string =>
    volumeName(object) === '' ? '' : cell(child(object, 'status'))

export const volumes = printersOf({
  persistentvolumes: {
    Capacity: (volume) => quantity(child(volume, 'spec', 'capacity'), 'storage', '0'),
    'Access Modes': (volume) => accessModes(child(volume, 'spec')),
    'Reclaim Policy': (volume) => text(child(volume, 'spec'), 'persistentVolumeReclaimPolicy'),
    Status: phase,
    Claim: claim,
    StorageClass: storageClass,
    VolumeAttributesClass: attributesClass,
    Reason: (volume) => text(child(volume, 'status'), 'reason'),
    VolumeMode: volumeMode,
  },
  persistentvolumeclaims: {
    Status: phase,
    Volume: volumeName,
    Capacity: ofVolume((status) => quantity(child(status, 'capacity'), 'storage', '0')),
    'Access Modes': ofVolume(accessModes),
    StorageClass: storageClass,
    VolumeAttributesClass: attributesClass,
    VolumeMode: volumeMode,
  },
})
