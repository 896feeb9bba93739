/**
 * Resolves the resourceVersion and the first key of a list. Follows the table of resourceVersion, resourceVersionMatch, limit
 * and continue in "Resource versions" of the API concepts.
 */
import type { Kind } from '../../catalog/kind.ts'
import type { ListOptions } from '../../clusters/operation.ts'
import { ApiError, badRequest, expired } from '../../meta/errors.ts'
import { readListResourceVersion } from '../../meta/resource-version.ts'
import { decodeContinue, encodeContinue } from '../../storage/continue-token.ts'
import type { Store } from '../../storage/store.ts'
import { strategyOf } from '../strategy.ts'
import { requireResourceVersion, tooLargeResourceVersion, waitForResourceVersion } from '../versions.ts'
import type { Selected } from './selection.ts'

/** The position at which a list begins. */
export interface Start {
  readonly resourceVersion: number
  readonly after: string
  /** The requested number of objects; 0: all. */
  readonly limit: number
}

/** The message of 410 Expired for a continue token whose resourceVersion is compacted. */
const inconsistent =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** SQLite counts in 64-bit integers, and the store asks for one row more than the limit, which must not overflow. */
const largestLimit = Number.MAX_SAFE_INTEGER - 1

/** Returns the limit of the list. For resourceVersion "0" kube-apiserver's watch cache ignores it and returns all objects. */
const limitOf = (kind: Kind, { limit, resourceVersion }: ListOptions): number =>
  resourceVersion === '0' && strategyOf(kind).reads === 'cached' ? 0 : Math.min(Math.max(0, limit), largestLimit)

/**
 * Resolves the position at which a list begins, and waits until the store has reached its resourceVersion.
 * @throws ApiError 400 for an invalid continue token or resourceVersion, 410 for a version that is compacted (with a continue
 *   token for the rest), 504 for a version that is not reached in time
 */
export async function startOf(store: Store, kind: Kind, selected: Selected, options: ListOptions): Promise<Start> {
  const limit = limitOf(kind, options)
  if (options.continue !== '') return { ...(await continued(store, selected, options)), limit }
  const requested = readListResourceVersion(options.resourceVersion)
  // A single object is read like get reads it: a limit does not imply resourceVersionMatch=Exact, and Exact does not wait.
  const single = selected.key !== undefined
  const exact = requested > 0n && (options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && limit > 0))
  if (single && exact) {
    if (requested > store.resourceVersion) throw tooLargeResourceVersion(requested, store.resourceVersion)
    const isExact = options.resourceVersionMatch === 'Exact'
    return { resourceVersion: isExact ? uncompacted(store, requested) : store.resourceVersion, after: '', limit }
  }
  await requireResourceVersion(store, kind, requested)
  return { resourceVersion: exact ? uncompacted(store, requested) : store.resourceVersion, after: '', limit }
}

/** Returns the version as a number. Throws 410 Expired if it is compacted. */
function uncompacted(store: Store, requested: bigint): number {
  const version = Number(requested)
  if (version < store.compactedResourceVersion) throw expired('The resourceVersion for the provided list is too old.')
  return version
}

/** Resolves the position of a continue token. */
async function continued(store: Store, selected: Selected, options: ListOptions): Promise<Omit<Start, 'limit'>> {
  const token = decodeContinue(options.continue)
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const after = selected.prefix + token.after
  if (token.resourceVersion < 0) return { resourceVersion: store.resourceVersion, after }
  await waitForResourceVersion(store, BigInt(token.resourceVersion))
  if (token.resourceVersion < store.compactedResourceVersion) {
    const fresh = encodeContinue({ resourceVersion: -1, after: token.after })
    throw new ApiError(410, 'Expired', inconsistent, undefined, fresh)
  }
  return { resourceVersion: token.resourceVersion, after }
}
