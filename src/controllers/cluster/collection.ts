/** The collection of the Cluster objects of the default cluster. */
import type { StorageLocation } from '../../catalog/kind.ts'
import type { Target } from '../../clusters/operation.ts'
import { prefixOfCollection } from '../../clusters/placement.ts'

/** The group and the resource of Cluster objects. */
export const clusterCollection = { group: 'edgeplane.dev', resource: 'clusters' } as const

/** The version of Cluster objects. */
export const clusterVersion = 'v1'

/** The prefix of their keys. */
export const clusterPrefix = `${prefixOfCollection(clusterCollection.group, clusterCollection.resource)}/`

/** The place of Cluster objects in the storage. */
export const clusterStorage: StorageLocation = {
  ...clusterCollection,
  version: clusterVersion,
  prefix: prefixOfCollection(clusterCollection.group, clusterCollection.resource),
  etcdPrefix: `/registry/${clusterCollection.group}/${clusterCollection.resource}`,
}

/** Returns the target of a Cluster object, or of its status. */
export const clusterTarget = (name: string, subresource: '' | 'status'): Target => ({
  ...clusterCollection,
  version: clusterVersion,
  subresource,
  namespace: '',
  name,
})
