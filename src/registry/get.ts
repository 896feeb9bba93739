/** get: one object, as it is now. */
import type { Kind } from '../catalog/kind.ts'
import type { Target } from '../clusters/operation.ts'
import { notFound } from '../meta/errors.ts'
import { readResourceVersion } from '../meta/resource-version.ts'
import type { Registry, WriteResult } from './registry.ts'
import { keyOf } from './stored-object.ts'
import { waitForResourceVersion } from './versions.ts'

/**
 * @param resourceVersion '' or '0', or the version that the answer must not be older than
 * @throws ApiError 404, 500 for a malformed resourceVersion, 504 for one that does not come
 */
export async function get(registry: Registry, kind: Kind, target: Target, resourceVersion: string): Promise<WriteResult> {
  if (resourceVersion !== '') await waitForResourceVersion(registry.store, readResourceVersion(resourceVersion))
  const stored = registry.store.get(keyOf(kind, target.namespace, target.name))
  if (stored === undefined) throw notFound(kind, target.name)
  return { code: 200, text: kind.codec.withTypeMeta(stored.value) }
}
