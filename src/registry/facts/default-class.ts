/** The default among classes: objects of administrators that claims and Ingresses get if they name none. */
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { listObjects, type ReadTarget } from '../../clusters/read-object.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'

/** Orders objects by the time of their creation, newest first, and by name. */
function byAge({ metadata: a }: KubernetesObject, { metadata: b }: KubernetesObject): number {
  const [created = '', other = ''] = [a.creationTimestamp, b.creationTimestamp]
  if (created !== other) return created > other ? -1 : 1
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1
}

/** Finds the name of the newest class that an annotation marks as the default; null without one. */
export async function findDefault(
  collections: CollectionClient,
  collection: Pick<ReadTarget, 'resource'> & { readonly group: string },
  annotations: readonly string[],
): Promise<string | null> {
  const marked: KubernetesObject[] = []
  for await (const found of listObjects<KubernetesObject>(collections, { ...collection, namespace: '' })) {
    if (annotations.some((name) => found.metadata.annotations?.[name] === 'true')) marked.push(found)
  }
  return marked.sort(byAge)[0]?.metadata.name ?? null
}
