/** The admission plugin PersistentVolumeClaimResize: a claim may grow only if it is bound and its StorageClass allows it. */
import type { PersistentVolumeClaim } from '../../../catalog/generated/types/core.v1.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import type { LookupResults } from '../../../meta/lookups.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import { storageClassExpands } from '../../facts/storage-class-expands.ts'
import { type AdmissionPlugin, admissionForbidden } from '../plugin.ts'
import { claimClass } from './claim-class.ts'

const sizeOf = ({ spec }: PersistentVolumeClaim): string => spec.resources?.requests?.storage ?? '0'

/** Whether both claims name the same StorageClass, and it allows its volumes to grow. */
function mayGrow(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, lookups: LookupResults): boolean {
  const name = claimClass(claim as unknown as JsonValue) ?? ''
  if (name === '' || name !== claimClass(old as unknown as JsonValue)) return false
  return lookups.get(storageClassExpands.lookup({ name }))
}

/** Validates an UPDATE of a claim. Follows the plugin of k8s.io/kubernetes. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  handlers: [
    {
      operations: ['UPDATE'],
      resources: ['persistentvolumeclaims'],
      validate(attributes, object, before, { lookups }) {
        const [claim, old] = [object as PersistentVolumeClaim, (before ?? object) as PersistentVolumeClaim]
        if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return
        if (old.status.phase !== 'Bound') {
          throw admissionForbidden(attributes, object, 'Only bound persistent volume claims can be expanded')
        }
        if (mayGrow(claim, old, lookups)) return
        const why =
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
        throw admissionForbidden(attributes, object, why)
      },
    },
  ],
}
