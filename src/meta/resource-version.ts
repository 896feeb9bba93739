/**
 * Resource versions from clients: opaque texts that must be numbers. kube-apiserver has three different errors for invalid ones.
 */

import { parseUint64 } from '../go/numbers.ts'
import { ApiError, badRequest } from './errors.ts'
import { aggregate, invalidValue } from './field-error.ts'

const textOf = (error: unknown): string => (error instanceof Error ? error.message : '')

const fieldText = (text: string, error: unknown): string => aggregate([invalidValue('resourceVersion', text, textOf(error))])

function read(text: string, refusal: (error: unknown) => ApiError): bigint {
  if (text === '') return 0n
  try {
    return parseUint64(text)
  } catch (error) {
    throw refusal(error)
  }
}

/**
 * Parses the resourceVersion of a get or a watch; 0 if unset.
 * @throws ApiError 500 without a reason
 */
export function readResourceVersion(text: string): bigint {
  return read(text, (error) => new ApiError(500, '', fieldText(text, error)))
}

/**
 * Parses the resourceVersion of a list; 0 if unset.
 * @throws ApiError 400
 */
export function readListResourceVersion(text: string): bigint {
  return read(text, (error) => badRequest(`invalid resource version: ${fieldText(text, error)}`))
}

/**
 * Parses the resourceVersion in an object to be written; 0 if unset.
 * @throws ApiError 500 without a reason
 */
export function readObjectResourceVersion(text: string): bigint {
  return read(text, (error) => new ApiError(500, '', textOf(error)))
}
