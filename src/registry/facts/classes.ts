/** Facts about classes: objects of administrators that Pods, claims and Ingresses refer to or get by default. */
import type { RuntimeClass } from '../../catalog/generated/types/node.v1.ts'
import type { StorageClass } from '../../catalog/generated/types/storage.v1.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { findObject, listObjects, type ReadTarget } from '../../clusters/read-object.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { ReadFact } from './fact.ts'

type Collection = Pick<ReadTarget, 'resource'> & { readonly group: string }

const ingressClasses: Collection = { group: 'networking.k8s.io', resource: 'ingressclasses' }
const runtimeClasses: Collection = { group: 'node.k8s.io', resource: 'runtimeclasses' }
const storageClasses: Collection = { group: 'storage.k8s.io', resource: 'storageclasses' }

/**
 * Finds the fact about a class.
 * @returns null if the class does not exist
 */
async function find<T extends KubernetesObject, Fact>(
  collections: CollectionClient,
  collection: Collection,
  name: string,
  factOf: (found: T) => Fact,
): Promise<Fact | null> {
  const found = await findObject<T>(collections, { ...collection, namespace: '', name })
  return found === undefined ? null : factOf(found)
}

/** Orders objects by the time of their creation, newest first, and by name. */
function byAge({ metadata: a }: KubernetesObject, { metadata: b }: KubernetesObject): number {
  const [created = '', other = ''] = [a.creationTimestamp, b.creationTimestamp]
  if (created !== other) return created > other ? -1 : 1
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1
}

/** Finds the name of the newest class that an annotation marks as the default; null without one. */
async function findDefault(
  collections: CollectionClient,
  collection: Collection,
  annotations: readonly string[],
): Promise<string | null> {
  const marked: KubernetesObject[] = []
  for await (const found of listObjects<KubernetesObject>(collections, { ...collection, namespace: '' })) {
    if (annotations.some((name) => found.metadata.annotations?.[name] === 'true')) marked.push(found)
  }
  return marked.sort(byAge)[0]?.metadata.name ?? null
}

export const defaultIngressClass: ReadFact<'defaultIngressClass'> = (collections) =>
  findDefault(collections, ingressClasses, ['ingressclass.kubernetes.io/is-default-class'])

export const defaultStorageClass: ReadFact<'defaultStorageClass'> = (collections) =>
  findDefault(collections, storageClasses, [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ])

export const runtimeClass: ReadFact<'runtimeClass'> = (collections, { name }) =>
  find(collections, runtimeClasses, name, ({ overhead, scheduling }: RuntimeClass) => ({
    ...(overhead !== undefined && { overhead: overhead.podFixed ?? {} }),
    ...(scheduling !== undefined && { scheduling }),
  }))

export const storageClassExpands: ReadFact<'storageClassExpands'> = (collections, { name }) =>
  find(collections, storageClasses, name, ({ allowVolumeExpansion }: StorageClass) => allowVolumeExpansion ?? false)
