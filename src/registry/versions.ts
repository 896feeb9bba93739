/** Versions that a request names, against the version that a collection is at. */
import type { Kind } from '../catalog/kind.ts'
import { ApiError } from '../meta/errors.ts'
import type { Store } from '../storage/store.ts'

/** How long a request waits for a version that has not come yet, in milliseconds. */
const patience = 3_000
/** After how long a client that waited in vain may ask again. */
const retryAfterSeconds = 1

/** Whether a webhook has failed to convert. */
export const isFailedConversion = ({ code, reason }: ApiError): boolean => code === 500 && reason === ''

/** 429: objects cannot be listed, nor watched, in this version. */
export function notInitialized({ apiVersion, kind }: Kind, { message }: ApiError): ApiError {
  const why = `storage is (re)initializing: failed to list ${apiVersion}, Kind=${kind}: ${message}`
  return new ApiError(429, 'TooManyRequests', why, { retryAfterSeconds })
}

/** 504: the asked version has not come yet, and may never. Without `retryAfterSeconds` nobody has waited for it. */
export function tooLargeResourceVersion(
  asked: bigint,
  current: number,
  retryAfter?: { readonly retryAfterSeconds: number },
): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...retryAfter,
  })
}

/**
 * Resolves when the store has come to a version: at once where it has, else with the write that brings it. Follows
 * "Unavailable resource versions" of the API concepts.
 * @throws ApiError 504 if the version does not come in three seconds
 */
export async function waitForResourceVersion(store: Store, asked: bigint): Promise<void> {
  // Beyond 2^53 the number is not exact, and larger than any version of a store.
  const version = Number(asked)
  if (version <= store.resourceVersion) return
  const came = await new Promise<boolean>((resolve) => {
    const settle = (answer: boolean): void => {
      clearTimeout(timer)
      stop()
      resolve(answer)
    }
    const timer = setTimeout(() => settle(false), patience)
    const stop = store.onDurable(() => {
      if (store.resourceVersion >= version) settle(true)
    })
  })
  if (!came) throw tooLargeResourceVersion(asked, store.resourceVersion, { retryAfterSeconds })
}
