/** Table columns of storage.k8s.io. CSIStorageCapacities have the default columns. */
import type { JsonObject } from '../../go/json-value.ts'
import { nameOf, printersOf } from './column.ts'
import type { Printers } from './printer.ts'
import { child, children, flag, has, text, textMap, texts } from './read.ts'

const DEFAULT_CLASS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

function className(storageClass: JsonObject): string {
  const annotations = textMap(child(storageClass, 'metadata'), 'annotations')
  const isDefault = DEFAULT_CLASS.some((annotation) => annotations[annotation] === 'true')
  return `${nameOf(storageClass)}${isDefault ? ' (default)' : ''}`
}

const unless = (absent: string, field: string) => (object: JsonObject) => (has(object, field) ? text(object, field) : absent)

const driverFlag =
  (field: string, absent = false) =>
  (object: JsonObject): boolean => {
    const spec = child(object, 'spec')
    return has(spec, field) ? flag(spec, field) : absent
  }

export const storagePrinters: Printers = printersOf({
  'csidrivers.storage.k8s.io': {
    AttachRequired: driverFlag('attachRequired', true),
    PodInfoOnMount: driverFlag('podInfoOnMount'),
    StorageCapacity: driverFlag('storageCapacity'),
    TokenRequests: (object) => {
      const spec = child(object, 'spec')
      if (!has(spec, 'tokenRequests')) return '<unset>'
      return children(spec, 'tokenRequests')
        .map((request) => text(request, 'audience'))
        .join(',')
    },
    RequiresRepublish: driverFlag('requiresRepublish'),
    Modes: (object) => texts(child(object, 'spec'), 'volumeLifecycleModes').join(',') || '<none>',
  },
  'csinodes.storage.k8s.io': {
    Drivers: (object) => children(child(object, 'spec'), 'drivers').length,
  },
  'storageclasses.storage.k8s.io': {
    Name: className,
    Provisioner: (object) => text(object, 'provisioner'),
    ReclaimPolicy: unless('Delete', 'reclaimPolicy'),
    VolumeBindingMode: unless('Immediate', 'volumeBindingMode'),
    AllowVolumeExpansion: (object) => flag(object, 'allowVolumeExpansion'),
  },
  'volumeattachments.storage.k8s.io': {
    Attacher: (object) => text(child(object, 'spec'), 'attacher'),
    PV: (object) => text(child(object, 'spec', 'source'), 'persistentVolumeName'),
    Node: (object) => text(child(object, 'spec'), 'nodeName'),
    Attached: (object) => flag(child(object, 'status'), 'attached'),
  },
  'volumeattributesclasses.storage.k8s.io': {
    DriverName: (object) => text(object, 'driverName'),
  },
})
