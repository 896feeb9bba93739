/** The store on which an operation is performed, if it reads the past, or a collection that is still to be copied. */
import type { Operation } from '../clusters/operation.ts'
import { prefixOfCollection } from '../clusters/placement.ts'
import { isForkedToken } from '../controllers/cluster/forked-secrets.ts'
import { PastStore } from '../storage/past-store.ts'
import type { SqliteStore } from '../storage/sqlite-store.ts'
import type { Store } from '../storage/store.ts'
import type { ForkCopies } from './fork-copies.ts'
import type { Past } from './past.ts'

/** The parts of a Durable Object that hold objects. */
export interface HeldObjects {
  readonly store: SqliteStore
  readonly past: Past
  readonly copies: ForkCopies | undefined
}

/** Whether an operation reads one object as it is now, in any version. */
const isPlainGet = (operation: Operation): boolean =>
  operation.verb === 'get' &&
  operation.time === undefined &&
  (operation.resourceVersion === '' || operation.resourceVersion === '0')

/**
 * Returns the store for an operation, after the objects that it needs have been copied.
 * @throws ApiError 410 for a time before the history
 */
export async function storeFor({ store, past, copies }: HeldObjects, operation: Operation): Promise<Store> {
  const { group, resource, namespace, name } = operation.target
  const prefix = prefixOfCollection(group, resource)
  if (copies?.has(prefix) === true && isPlainGet(operation)) {
    const key = [prefix, ...(namespace === '' ? [] : [namespace]), name].join('/')
    const found = await copies.read(prefix, key)
    if (found === 'copied') return store
    if (found === undefined || !isForkedToken(found)) return new PastStore(store, store.resourceVersion, () => found)
  }
  await copies?.copy(prefix)
  if (operation.time === undefined) return store
  const version = await past.versionAt(operation.time)
  return new PastStore(store, version, (key) => store.getAt(key, version))
}
