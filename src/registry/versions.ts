/** Compares the resourceVersion of a request with that of the store. */
import type { Kind } from '../catalog/kind.ts'
import { ApiError } from '../meta/errors.ts'
import type { Store } from '../storage/store.ts'
import { strategyOf } from './strategy.ts'

/** Milliseconds for which a request waits for a resourceVersion that is not reached yet. */
const maxWaitMs = 3_000
/** Seconds after which a client may retry. */
const retryAfterSeconds = 1

/** Whether a conversion webhook has failed. */
export const isFailedConversion = ({ code, reason }: ApiError): boolean => code === 500 && reason === ''

/** Returns the 429 error of lists and watches of a version to which objects cannot be converted. */
export function notInitialized({ apiVersion, kind }: Kind, { message }: ApiError): ApiError {
  const why = `storage is (re)initializing: failed to list ${apiVersion}, Kind=${kind}: ${message}`
  return new ApiError(429, 'TooManyRequests', why, { retryAfterSeconds })
}

/**
 * Returns the 504 error of a resourceVersion that is not reached yet, and may never be.
 * @param retryAfter absent if the request has not waited for it
 */
export function tooLargeResourceVersion(
  requested: bigint,
  current: number,
  retryAfter?: { readonly retryAfterSeconds: number },
): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${requested}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...retryAfter,
  })
}

/**
 * Resolves as soon as a get or a list may read the store at a resourceVersion.
 * @throws ApiError 504 if the version is not reached in time: at once for a kind without a watch cache
 */
export async function requireResourceVersion(store: Store, kind: Kind, requested: bigint): Promise<void> {
  if (requested <= store.resourceVersion) return
  if (strategyOf(kind).reads === 'stored') throw tooLargeResourceVersion(requested, store.resourceVersion)
  await waitForResourceVersion(store, requested)
}

/**
 * Resolves as soon as the store has reached a resourceVersion. Follows "Unavailable resource versions" of the API concepts.
 * @throws ApiError 504 if the version is not reached within three seconds
 */
export async function waitForResourceVersion(store: Store, requested: bigint): Promise<void> {
  // A number above 2^53 is not exact, but it is larger than every version of a store.
  const version = Number(requested)
  if (version <= store.resourceVersion) return
  const came = await new Promise<boolean>((resolve) => {
    const settle = (answer: boolean): void => {
      clearTimeout(timer)
      stop()
      resolve(answer)
    }
    const timer = setTimeout(() => settle(false), maxWaitMs)
    const stop = store.onDurable(() => {
      if (store.resourceVersion >= version) settle(true)
    })
  })
  if (!came) throw tooLargeResourceVersion(requested, store.resourceVersion, { retryAfterSeconds })
}
