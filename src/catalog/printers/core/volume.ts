/** How PersistentVolumes and their claims are shown. */
import type { JsonObject } from '../../../go/json-value.ts'
import { ageColumn, type ColumnOf, fieldOf, name, printer } from '../column.ts'
import { quantity } from '../format.ts'
import { child, has, text, textMap, texts } from '../read.ts'

/** Access modes, in the order in which they are shown. */
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

/** The annotation goes before the field. */
function storageClass(object: JsonObject): string {
  const annotations = textMap(child(object, 'metadata'), 'annotations')
  const annotated = Object.hasOwn(annotations, BETA_STORAGE_CLASS) ? annotations[BETA_STORAGE_CLASS] : undefined
  return annotated ?? text(child(object, 'spec'), 'storageClassName')
}

const unlessUnset = (object: JsonObject, field: string): string => (has(object, field) ? text(object, field) : '<unset>')

const phase = (object: JsonObject): string =>
  has(child(object, 'metadata'), 'deletionTimestamp') ? 'Terminating' : text(child(object, 'status'), 'phase')

const attributesClass = (description: string): ColumnOf<JsonObject> => ({
  name: 'VolumeAttributesClass',
  description,
  cell: (object) => unlessUnset(child(object, 'spec'), 'volumeAttributesClassName'),
})

const volumeMode = (type: string): ColumnOf<JsonObject> => ({
  name: 'VolumeMode',
  priority: 1,
  description: fieldOf(type, 'volumeMode'),
  cell: (object) => unlessUnset(child(object, 'spec'), 'volumeMode'),
})

function claim(volume: JsonObject): string {
  const spec = child(volume, 'spec')
  if (!has(spec, 'claimRef')) return ''
  return `${text(child(spec, 'claimRef'), 'namespace')}/${text(child(spec, 'claimRef'), 'name')}`
}

export const persistentVolumes = printer([
  name,
  {
    name: 'Capacity',
    description: fieldOf('core/v1.PersistentVolumeSpec', 'capacity'),
    cell: (volume) => quantity(child(volume, 'spec', 'capacity'), 'storage', '0'),
  },
  {
    name: 'Access Modes',
    description: fieldOf('core/v1.PersistentVolumeSpec', 'accessModes'),
    cell: (volume) => accessModes(child(volume, 'spec')),
  },
  {
    name: 'Reclaim Policy',
    description: fieldOf('core/v1.PersistentVolumeSpec', 'persistentVolumeReclaimPolicy'),
    cell: (volume) => text(child(volume, 'spec'), 'persistentVolumeReclaimPolicy'),
  },
  { name: 'Status', description: fieldOf('core/v1.PersistentVolumeStatus', 'phase'), cell: phase },
  { name: 'Claim', description: fieldOf('core/v1.PersistentVolumeSpec', 'claimRef'), cell: claim },
  { name: 'StorageClass', description: 'StorageClass of the pv', cell: storageClass },
  attributesClass('VolumeAttributesClass of the pv'),
  {
    name: 'Reason',
    description: fieldOf('core/v1.PersistentVolumeStatus', 'reason'),
    cell: (volume) => text(child(volume, 'status'), 'reason'),
  },
  ageColumn,
  volumeMode('core/v1.PersistentVolumeSpec'),
])

const volumeName = (object: JsonObject): string => text(child(object, 'spec'), 'volumeName')

/** What a claim has is shown only once it has a volume. */
const ofVolume =
  (cell: (status: JsonObject) => string) =>
  (object: JsonObject): string =>
    volumeName(object) === '' ? '' : cell(child(object, 'status'))

export const persistentVolumeClaims = printer([
  name,
  { name: 'Status', description: fieldOf('core/v1.PersistentVolumeClaimStatus', 'phase'), cell: phase },
  { name: 'Volume', description: fieldOf('core/v1.PersistentVolumeClaimSpec', 'volumeName'), cell: volumeName },
  {
    name: 'Capacity',
    description: fieldOf('core/v1.PersistentVolumeClaimStatus', 'capacity'),
    cell: ofVolume((status) => quantity(child(status, 'capacity'), 'storage', '0')),
  },
  {
    name: 'Access Modes',
    description: fieldOf('core/v1.PersistentVolumeClaimStatus', 'accessModes'),
    cell: ofVolume(accessModes),
  },
  { name: 'StorageClass', description: 'StorageClass of the pvc', cell: storageClass },
  attributesClass('VolumeAttributesClass of the pvc'),
  ageColumn,
  volumeMode('core/v1.PersistentVolumeClaimSpec'),
])
