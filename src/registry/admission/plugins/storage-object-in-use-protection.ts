/**
 * The admission plugin StorageObjectInUseProtection: a finalizer protects volumes, claims and VolumeAttributesClasses in use.
 * Their
 * controllers remove it.
 */
import { orderFields } from '../../../catalog/field-order.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import type { AdmissionHandler, AdmissionPlugin } from '../plugin.ts'

const protect = (resource: string, finalizer: string): AdmissionHandler => ({
  operations: ['CREATE'],
  resources: [resource],
  admit({ kind }, object) {
    const { metadata } = object
    const finalizers = metadata.finalizers ?? []
    if (finalizers.includes(finalizer)) return
    metadata.finalizers = [...finalizers, finalizer]
    orderFields(kind.type, object as unknown as JsonValue)
  },
})

/** Adds the finalizer on CREATE. Follows the plugin of k8s.io/kubernetes. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  handlers: [
    protect('persistentvolumes', 'kubernetes.io/pv-protection'),
    protect('persistentvolumeclaims', 'kubernetes.io/pvc-protection'),
    protect('volumeattributesclasses.storage.k8s.io', 'kubernetes.io/vac-protection'),
  ],
}
