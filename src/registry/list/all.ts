/** Reads a whole collection inside its Durable Object. */
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Store } from '../../storage/store.ts'
import { objectOf } from '../stored-object.ts'

const pageRows = 500

/**
 * Yields all objects whose keys begin with the prefix, in the order of their keys. Only for collections that fit into memory.
 * @param prefix the key prefix in the store, for example `pods/default/`
 */
export function* listUnder(store: Store, prefix: string): Generator<KubernetesObject> {
  for (let after = ''; ; ) {
    const page = store.list({ prefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    for (const stored of page.items) yield objectOf(stored)
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
  }
}
