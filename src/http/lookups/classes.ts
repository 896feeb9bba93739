/** The lookups of classes: objects of administrators that Pods, claims and Ingresses refer to or get by default. */
import type { RuntimeClass } from '../../catalog/generated/types/node.v1.ts'
import type { StorageClass } from '../../catalog/generated/types/storage.v1.ts'
import { findObject, listObjects, type ReadTarget } from '../../clusters/read-object.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { LookupContext, Resolver } from './resolver.ts'

type Collection = Pick<ReadTarget, 'resource'> & { readonly group: string }

const ingressClasses: Collection = { group: 'networking.k8s.io', resource: 'ingressclasses' }
const runtimeClasses: Collection = { group: 'node.k8s.io', resource: 'runtimeclasses' }
const storageClasses: Collection = { group: 'storage.k8s.io', resource: 'storageclasses' }

const prefixOf = ({ group, resource }: Collection): string => `${resource}.${group}`

/**
 * Finds the fact about a class.
 * @returns null if the class does not exist
 */
async function find<T extends KubernetesObject, Fact>(
  { services, client }: LookupContext,
  collection: Collection,
  name: string,
  factOf: (found: T) => Fact,
): Promise<Fact | null> {
  const fact = await services.reads.find(prefixOf(collection), `name ${name}`, async () => {
    const found = await findObject<T>(client, { ...collection, namespace: '', name })
    return found && factOf(found)
  })
  return fact ?? null
}

/** Orders objects by the time of their creation, newest first, and by name. */
function byAge({ metadata: a }: KubernetesObject, { metadata: b }: KubernetesObject): number {
  const [created = '', other = ''] = [a.creationTimestamp, b.creationTimestamp]
  if (created !== other) return created > other ? -1 : 1
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1
}

/** Finds the name of the newest class that an annotation marks as the default; null without one. */
async function findDefault(
  { services, client }: LookupContext,
  collection: Collection,
  annotations: readonly string[],
): Promise<string | null> {
  const found = await services.reads.find(prefixOf(collection), 'default', async () => {
    const marked: KubernetesObject[] = []
    for await (const found of listObjects<KubernetesObject>(client, { ...collection, namespace: '' })) {
      if (annotations.some((name) => found.metadata.annotations?.[name] === 'true')) marked.push(found)
    }
    return { name: marked.sort(byAge)[0]?.metadata.name ?? null }
  })
  return found?.name ?? null
}

export const defaultIngressClass: Resolver<'defaultIngressClass'> = (context) =>
  findDefault(context, ingressClasses, ['ingressclass.kubernetes.io/is-default-class'])

export const defaultStorageClass: Resolver<'defaultStorageClass'> = (context) =>
  findDefault(context, storageClasses, [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ])

export const runtimeClass: Resolver<'runtimeClass'> = (context, { name }) =>
  find(context, runtimeClasses, name, ({ overhead, scheduling }: RuntimeClass) => ({
    ...(overhead !== undefined && { overhead: overhead.podFixed ?? {} }),
    ...(scheduling !== undefined && { scheduling }),
  }))

export const storageClassExpands: Resolver<'storageClassExpands'> = async (context, { name }) =>
  (await find(context, storageClasses, name, ({ allowVolumeExpansion }: StorageClass) => allowVolumeExpansion ?? false)) ?? false
