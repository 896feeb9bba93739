/** The state of a Durable Object that definitions of custom resources depend on. */

import type { CollectionState } from '../controllers/crd/collection-definition.ts'
import { conversionCalls } from '../controllers/crd/conversion-webhook.ts'
import type { Kernel } from '../controllers/kernel.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import type { ObjectCopies } from './object-copies.ts'

const pageRows = 2000

function hasVersion(store: SqliteStore, prefix: string, test: (resourceVersion: number) => boolean): boolean {
  for (let after = ''; ; ) {
    const page = store.listVersions({ prefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    if (page.resourceVersions.some(test)) return true
    if (!page.more) return false
    after = page.lastKey
  }
}

/** Returns the state of a Durable Object. @param isUsed whether objects have ever been written */
export function collectionStateOf({ store, webhooks }: Kernel, copies: ObjectCopies, isUsed: () => boolean): CollectionState {
  return {
    isUsed,
    isForked: (collection) => copies.isForked(collection),
    isEmpty: (prefix) =>
      !copies.has(prefix.slice(0, -1)) &&
      store.list({ prefix, limit: 1, resourceVersion: store.resourceVersion }).items.length === 0,
    hasVersion: (prefix, test) => hasVersion(store, prefix, test),
    resourceVersion: () => store.resourceVersion,
    endWatches: (prefix) => store.closeWatches(prefix),
    callWebhook: conversionCalls(webhooks),
  }
}
