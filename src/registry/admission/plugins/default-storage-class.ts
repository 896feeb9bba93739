/** The admission plugin DefaultStorageClass: a PersistentVolumeClaim without a class gets the default one. */
import type { PersistentVolumeClaim } from '../../../catalog/generated/types/core.v1.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import { defaultStorageClass as newestStorageClass } from '../../facts/default-storage-class.ts'
import type { AdmissionPlugin } from '../plugin.ts'
import { claimClass } from './claim-class.ts'

const lookup = newestStorageClass.lookup({})

/** Sets the class on a CREATE of a claim. Follows the plugin of k8s.io/kubernetes. */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  handlers: [
    {
      operations: ['CREATE'],
      resources: ['persistentvolumeclaims'],
      lookups: (_attributes, object) => (claimClass(object) === undefined ? [lookup] : []),
      admit(_attributes, object, _old, { lookups }) {
        if (claimClass(object as unknown as JsonValue) !== undefined) return
        const name = lookups.get(lookup)
        if (name !== null) (object as PersistentVolumeClaim).spec.storageClassName = name
      },
    },
  ],
}
