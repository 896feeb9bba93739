/** Whether claims of a StorageClass may grow; false if the class does not exist. */
import type { StorageClass } from '../../catalog/generated/types/storage.v1.ts'
import { findObject } from '../../clusters/read-object.ts'
import { defineFact } from './fact.ts'

export const storageClassExpands = defineFact<{ readonly name: string }, boolean>({
  name: 'storageClassExpands',
  collection: 'storageclasses.storage.k8s.io',
  absent: false,
  read: async (collections, { name }) => {
    const target = { group: 'storage.k8s.io', resource: 'storageclasses', namespace: '', name } as const
    const stored = await findObject<StorageClass>(collections, target)
    return stored && (stored.allowVolumeExpansion ?? false)
  },
})
