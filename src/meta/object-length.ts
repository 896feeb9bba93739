/** The bound of an object's length, with the defaults that its author did not have to send. */
import { ApiError } from './errors.ts'

/**
 * 8 Mi characters. An empty container is 3 bytes of a body and 142 characters with its defaults. The shortest valid elements leave an
 * object of 1.4 MB below this, and none above a fifth of it can be stored.
 */
const maxCharacters = 8 * 1024 * 1024

/** Returns the 413 error of a request. @param limit of its body in bytes, or of its object in characters */
export function tooLarge(limit: number): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`)
}

/** @throws ApiError 413 if an object, or a part of it, has more than the bound of characters as JSON */
export function requireLength(characters: number): void {
  if (characters > maxCharacters) throw tooLarge(maxCharacters)
}
