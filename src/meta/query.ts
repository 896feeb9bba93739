/** The query of a request as kube-apiserver's parameter codec reads it. */

import { parseInt64 } from '../go/numbers.ts'
import { badRequest } from './errors.ts'

/** Whether Go's url.ParseQuery takes a part of the query: without `;` and with whole percent escapes. */
const isWellFormed = (part: string): boolean => !part.includes(';') && !/%(?![0-9A-Fa-f]{2})/.test(part)

/** The parameters of a query, with or without its `?`. Malformed ones are left out, as Go does, where the URL standard keeps them. */
export function parseQuery(query: string): URLSearchParams {
  const parts = (query.startsWith('?') ? query.slice(1) : query).split('&')
  return new URLSearchParams(parts.filter(isWellFormed).join('&'))
}

/** The first value of a parameter, '' if there is none. */
export function queryText(query: URLSearchParams, name: string): string {
  return query.get(name) ?? ''
}

/** A boolean parameter: everything but `0` and `false` (in any case) is true, also the empty value. Undefined if there is none. */
export function queryBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  return value === null ? undefined : value !== '0' && !/^false$/iu.test(value)
}

/**
 * An integer parameter, undefined if there is none. Beyond 2^53 it loses precision, which limits and timeouts do not mind.
 * @throws ApiError 400 with the text of strconv.ParseInt
 */
export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null) return undefined
  try {
    return Number(parseInt64(value))
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : '')
  }
}
