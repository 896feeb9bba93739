/**
 * At which version a list begins, and behind which key: the table of resourceVersion, resourceVersionMatch, limit and
 * continue in "Resource versions" of the API concepts.
 */
import type { ListOptions } from '../../clusters/operation.ts'
import { ApiError, badRequest, expired } from '../../meta/errors.ts'
import { readListResourceVersion } from '../../meta/resource-version.ts'
import { decodeContinue, encodeContinue } from '../../storage/continue-token.ts'
import type { Store } from '../../storage/store.ts'
import { tooLargeResourceVersion, waitForResourceVersion } from '../versions.ts'
import type { Selected } from './selection.ts'

/** Where a list begins. */
export interface Start {
  readonly resourceVersion: number
  readonly after: string
  /** How many objects are asked for; 0: all. */
  readonly limit: number
}

/** What a continued list is told whose version history no longer reaches. */
const inconsistent =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/** Any version will do for "0", and kube-apiserver then gives all there is. */
/** SQLite counts in integers of 64 bits, in which the one behind the largest limit of a request has no place. */
const largestLimit = Number.MAX_SAFE_INTEGER - 1

const limitOf = ({ limit, resourceVersion }: ListOptions): number =>
  resourceVersion === '0' ? 0 : Math.min(Math.max(0, limit), largestLimit)

/**
 * @throws ApiError 400 for tokens and versions that make no sense, 410 for a version that is gone (with a token to go on
 *   from), 504 for one that does not come
 */
export async function startOf(store: Store, selected: Selected, options: ListOptions): Promise<Start> {
  const limit = limitOf(options)
  if (options.continue !== '') return { ...(await continued(store, selected, options)), limit }
  const asked = readListResourceVersion(options.resourceVersion)
  // A single object is read as get reads it: a limit does not make the version an exact one, and nobody waits for an exact one.
  const single = selected.key !== undefined
  const exact = asked > 0n && (options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && limit > 0))
  if (single && exact) {
    if (asked > store.resourceVersion) throw tooLargeResourceVersion(asked, store.resourceVersion)
    const kept = options.resourceVersionMatch === 'Exact'
    return { resourceVersion: kept ? reached(store, asked) : store.resourceVersion, after: '', limit }
  }
  await waitForResourceVersion(store, asked)
  return { resourceVersion: exact ? reached(store, asked) : store.resourceVersion, after: '', limit }
}

function reached(store: Store, asked: bigint): number {
  const version = Number(asked)
  if (version < store.compactedResourceVersion) throw expired('The resourceVersion for the provided list is too old.')
  return version
}

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
