/** The get verb: reads the current state of one object. */
import type { Kind } from '../catalog/kind.ts'
import type { Target } from '../clusters/operation.ts'
import { notFound } from '../meta/errors.ts'
import { readResourceVersion } from '../meta/resource-version.ts'
import type { Registry, WriteResult } from './registry.ts'
import { keyOf } from './stored-object.ts'
import { waitForResourceVersion } from './versions.ts'

/**
 * Gets an object.
 * @param resourceVersion '' or '0', or the oldest version that may be returned
 * @throws ApiError 404, 500 for a malformed resourceVersion, 504 for one that is not reached in time
 */
export async function get(registry: Registry, kind: Kind, target: Target, resourceVersion: string): Promise<WriteResult> {
  if (resourceVersion !== '') await waitForResourceVersion(registry.store, readResourceVersion(resourceVersion))
  const stored = registry.store.get(keyOf(kind, target.namespace, target.name))
  if (stored === undefined) throw notFound(kind, target.name)
  const text = kind.codec.withTypeMeta(stored.value)
  return { code: 200, text, ...(kind.conversion !== undefined && { stored: stored.value }) }
}
