/** The names of the namespaces of a cluster. */
import type { Store } from '../../storage/store.ts'

/** The key prefix of namespaces. */
export const namespacePrefix = 'namespaces/'

const pageRows = 1000

/** Yields the names of all namespaces. */
export function* namespaceNames(store: Store): Generator<string> {
  for (let after = ''; ; ) {
    const page = store.list({ prefix: namespacePrefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    for (const { key } of page.items) yield key.slice(namespacePrefix.length)
    if (!page.more) return
    after = page.items.at(-1)?.key ?? after
  }
}
