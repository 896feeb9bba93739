/** Versions that a request names, against the version that a collection is at. */
import { ApiError } from '../meta/errors.ts'

/** 504: the asked version has not come yet, and may never. */
export function tooLargeResourceVersion(asked: number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })
}
