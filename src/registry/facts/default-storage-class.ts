/** The name of the newest StorageClass that is marked as the default; null if no class is marked. */
import { findDefault } from './default-class.ts'
import { defineFact } from './fact.ts'

const annotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']

export const defaultStorageClass = defineFact<Record<string, never>, string | null>({
  name: 'defaultStorageClass',
  keyOf: () => 'defaultStorageClass',
  collection: 'storageclasses.storage.k8s.io',
  absent: null,
  read: (collections) => findDefault(collections, { group: 'storage.k8s.io', resource: 'storageclasses' }, annotations),
})
