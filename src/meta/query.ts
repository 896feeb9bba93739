/** Query parameters of requests, with the rules of kube-apiserver's parameter codec. */

import { parseInt64 } from '../go/numbers.ts'
import { badRequest } from './errors.ts'

/** Whether Go's url.ParseQuery accepts a part of the query: no `;`, and complete percent escapes. */
const isWellFormed = (part: string): boolean => !part.includes(';') && !/%(?![0-9A-Fa-f]{2})/.test(part)

/** Parses a query with or without its `?`. Drops malformed parameters as Go does; the URL standard would keep them. */
export function parseQuery(query: string): URLSearchParams {
  const parts = (query.startsWith('?') ? query.slice(1) : query).split('&')
  return new URLSearchParams(parts.filter(isWellFormed).join('&'))
}

/** Returns the first value of a parameter; '' if the query does not have it. */
export function queryText(query: URLSearchParams, name: string): string {
  return query.get(name) ?? ''
}

/**
 * Returns a boolean parameter: everything except `0` and `false` (in any case) is true, also the empty value. Undefined if the
 * query does not have it.
 */
export function queryBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  return value === null ? undefined : value !== '0' && !/^false$/iu.test(value)
}

/**
 * Returns an integer parameter; undefined if the query does not have it. Loses precision beyond 2^53, which does not matter for
 * limits and timeouts.
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
