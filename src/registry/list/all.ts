/** Reading all of a collection where it lies. */
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Store } from '../../storage/store.ts'
import { objectOf } from '../stored-object.ts'

const pageRows = 500

/** All objects whose keys begin so, in the order of their keys. For collections that fit into memory. */
export function* listUnder(store: Store, prefix: string): Generator<KubernetesObject> {
  for (let after = ''; ; ) {
    const page = store.list({ prefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    for (const stored of page.items) yield objectOf(stored)
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
  }
}
