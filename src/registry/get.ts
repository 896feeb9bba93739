/** The get verb: reads the current state of one object. */
import type { Kind } from '../catalog/kind.ts'
import type { Target } from '../clusters/operation.ts'
import { notFound } from '../meta/errors.ts'
import { readListResourceVersion, readResourceVersion } from '../meta/resource-version.ts'
import type { Registry, WriteResult } from './registry.ts'
import { keyOf } from './stored-object.ts'
import { strategyOf } from './strategy.ts'
import { requireResourceVersion } from './versions.ts'

/** Parses the resourceVersion of a get: kube-apiserver's watch cache and etcd have different errors for malformed ones. */
const requestedVersion = (kind: Kind, text: string): bigint =>
  strategyOf(kind).reads === 'stored' ? readListResourceVersion(text) : readResourceVersion(text)

/**
 * Gets an object.
 * @param resourceVersion '' or '0', or the oldest version that may be returned
 * @throws ApiError 404, 500 for a malformed resourceVersion (400 without a watch cache), 504 for one that is not reached in time
 */
export async function get(registry: Registry, kind: Kind, target: Target, resourceVersion: string): Promise<WriteResult> {
  if (resourceVersion !== '') await requireResourceVersion(registry.store, kind, requestedVersion(kind, resourceVersion))
  const stored = registry.store.get(keyOf(kind, target.namespace, target.name))
  if (stored === undefined) throw notFound(kind, target.name)
  const text = kind.codec.withTypeMeta(stored.value)
  return { code: 200, text, ...(kind.conversion !== undefined && { stored: stored.value }) }
}
