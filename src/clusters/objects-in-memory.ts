/**
 * The Durable Objects of this isolate, for a server of one process: its Worker reads what such an object has in memory without a
 * request to it (docs/decisions/reads-from-memory.md).
 */
import { LruCache } from '../meta/lru-cache.ts'
import type { Operation } from './operation.ts'
import type { Parts } from './policy-snapshot.ts'

/** A Durable Object, as the Worker of the same isolate reads it. */
export interface ObjectInMemory {
  /**
   * Answers an operation from what is durable and in memory. It runs in a request of the Worker, so it must not use the storage.
   * @param clusterUid of the named cluster that the caller means; undefined if it means none
   * @returns undefined if the operation needs a request to the object
   * @throws ApiError as the object does
   */
  answerFromMemory(operation: Operation, clusterUid: string | undefined): Response | undefined

  /**
   * Whether the parts are those of the present policy snapshot, and the names of all definitions are decided. It must not use the
   * storage either. Only control objects have it.
   * @returns false also if only a request to the object can tell
   */
  confirmsPolicy?(parts: Parts, clusterUid: string | undefined): boolean
}

/** The most objects that are known. Others answer requests only. */
const mostObjects = 1000

/** The objects by their names. The runtime may evict an object at any time: it must not be kept alive. */
const objects = new LruCache<string, WeakRef<ObjectInMemory>>(mostObjects)

/** Makes an object known, in the place of its former instance. */
export function enterMemory(name: string, object: ObjectInMemory): void {
  objects.set(name, new WeakRef(object))
}

/** Returns an object; undefined if none with the name is known. */
export const objectInMemory = (name: string): ObjectInMemory | undefined => objects.get(name)?.deref()
