/** Resource versions as clients send them: opaque texts that must be numbers. kube-apiserver answers bad ones in three ways. */

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
 * The resourceVersion of a get or a watch; 0 for an unset one.
 * @throws ApiError 500 without a reason
 */
export function readResourceVersion(text: string): bigint {
  return read(text, (error) => new ApiError(500, '', fieldText(text, error)))
}

/**
 * The resourceVersion of a list; 0 for an unset one.
 * @throws ApiError 400
 */
export function readListResourceVersion(text: string): bigint {
  return read(text, (error) => badRequest(`invalid resource version: ${fieldText(text, error)}`))
}

/**
 * The resourceVersion inside an object to be written; 0 for an unset one.
 * @throws ApiError 500 without a reason
 */
export function readObjectResourceVersion(text: string): bigint {
  return read(text, (error) => new ApiError(500, '', textOf(error)))
}
