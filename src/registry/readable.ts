/** Checks that the objects of a collection can be converted, as kube-apiserver does when it fills its watch cache. */
import type { Kind, RemoteConversion } from '../catalog/kind.ts'
import type { Store } from '../storage/store.ts'

const pageRows = 500

/**
 * Converts all objects of a collection, in all namespaces, up to the first one that fails.
 * @throws ApiError
 */
export async function requireReadable(store: Store, kind: Kind, remote: RemoteConversion): Promise<void> {
  const { resourceVersion } = store
  for (let after = ''; ; ) {
    const { items, more } = store.list({ prefix: `${kind.storage.prefix}/`, after, limit: pageRows, resourceVersion })
    await remote.show(items.map(({ value }) => value))
    if (!more) return
    after = items.at(-1)?.key ?? after
  }
}
