/** How the kinds of storage.k8s.io are shown. CSIStorageCapacities have the default columns. */
import type { JsonObject } from '../../go/json-value.ts'
import { ageColumn, type ColumnOf, fieldOf, name, nameOf, printer } from './column.ts'
import type { Printers } from './printer.ts'
import { child, children, flag, has, text, textMap, texts } from './read.ts'

const DEFAULT_CLASS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

function className(storageClass: JsonObject): string {
  const annotations = textMap(child(storageClass, 'metadata'), 'annotations')
  const isDefault = DEFAULT_CLASS.some((annotation) => annotations[annotation] === 'true')
  return `${nameOf(storageClass)}${isDefault ? ' (default)' : ''}`
}

const unless = (absent: string, field: string) => (object: JsonObject) => (has(object, field) ? text(object, field) : absent)

const storageClasses = printer([
  { ...name, cell: className },
  {
    name: 'Provisioner',
    description: fieldOf('storage/v1.StorageClass', 'provisioner'),
    cell: (object) => text(object, 'provisioner'),
  },
  {
    name: 'ReclaimPolicy',
    description: fieldOf('storage/v1.StorageClass', 'reclaimPolicy'),
    cell: unless('Delete', 'reclaimPolicy'),
  },
  {
    name: 'VolumeBindingMode',
    description: fieldOf('storage/v1.StorageClass', 'volumeBindingMode'),
    cell: unless('Immediate', 'volumeBindingMode'),
  },
  {
    name: 'AllowVolumeExpansion',
    description: fieldOf('storage/v1.StorageClass', 'allowVolumeExpansion'),
    cell: (object) => flag(object, 'allowVolumeExpansion'),
  },
  ageColumn,
])

const volumeAttributesClasses = printer([
  name,
  {
    name: 'DriverName',
    description: fieldOf('storage/v1.VolumeAttributesClass', 'driverName'),
    cell: (object) => text(object, 'driverName'),
  },
  ageColumn,
])

const volumeAttachments = printer([
  name,
  {
    name: 'Attacher',
    format: 'name',
    description: fieldOf('storage/v1.VolumeAttachmentSpec', 'attacher'),
    cell: (object) => text(child(object, 'spec'), 'attacher'),
  },
  {
    name: 'PV',
    description: fieldOf('storage/v1.VolumeAttachmentSource', 'persistentVolumeName'),
    cell: (object) => text(child(object, 'spec', 'source'), 'persistentVolumeName'),
  },
  {
    name: 'Node',
    description: fieldOf('storage/v1.VolumeAttachmentSpec', 'nodeName'),
    cell: (object) => text(child(object, 'spec'), 'nodeName'),
  },
  {
    name: 'Attached',
    type: 'boolean',
    description: fieldOf('storage/v1.VolumeAttachmentStatus', 'attached'),
    cell: (object) => flag(child(object, 'status'), 'attached'),
  },
  ageColumn,
])

const csiNodes = printer([
  name,
  {
    name: 'Drivers',
    type: 'integer',
    description: 'Drivers indicates the number of CSI drivers registered on the node',
    cell: (object) => children(child(object, 'spec'), 'drivers').length,
  },
  ageColumn,
])

function driverFlag(name: string, field: string, absent = false): ColumnOf<JsonObject> {
  return {
    name,
    type: 'boolean',
    description: fieldOf('storage/v1.CSIDriverSpec', field),
    cell: (object) => {
      const spec = child(object, 'spec')
      return has(spec, field) ? flag(spec, field) : absent
    },
  }
}

const csiDrivers = printer([
  name,
  driverFlag('AttachRequired', 'attachRequired', true),
  driverFlag('PodInfoOnMount', 'podInfoOnMount'),
  driverFlag('StorageCapacity', 'storageCapacity'),
  {
    name: 'TokenRequests',
    description: fieldOf('storage/v1.CSIDriverSpec', 'tokenRequests'),
    cell: (object) => {
      const spec = child(object, 'spec')
      if (!has(spec, 'tokenRequests')) return '<unset>'
      return children(spec, 'tokenRequests')
        .map((request) => text(request, 'audience'))
        .join(',')
    },
  },
  driverFlag('RequiresRepublish', 'requiresRepublish'),
  {
    name: 'Modes',
    description: fieldOf('storage/v1.CSIDriverSpec', 'volumeLifecycleModes'),
    cell: (object) => texts(child(object, 'spec'), 'volumeLifecycleModes').join(',') || '<none>',
  },
  ageColumn,
])

export const storagePrinters: Printers = {
  'csidrivers.storage.k8s.io': csiDrivers,
  'csinodes.storage.k8s.io': csiNodes,
  'storageclasses.storage.k8s.io': storageClasses,
  'volumeattachments.storage.k8s.io': volumeAttachments,
  'volumeattributesclasses.storage.k8s.io': volumeAttributesClasses,
}
