/** WithRequestDeadline: sets the request's deadline. Follows k8s.io/apiserver/pkg/endpoints/filters. */
import { parseDuration } from '../../go/duration.ts'
import { badRequest } from '../../meta/errors.ts'
import { isLongRunning } from '../long-running.ts'
import type { RequestInfo } from '../request-info.ts'
import type { Filter } from './filter.ts'

/** kube-apiserver's --request-timeout in milliseconds. A client cannot exceed it. */
const maximum = 60_000

function durationOf(text: string): bigint {
  try {
    return parseDuration(text)
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${error instanceof Error ? error.message : ''}`)
  }
}

/**
 * Parses the parameter `timeout`.
 * @returns milliseconds; undefined for long-running requests and watches
 * @throws ApiError 400 if it is not a duration
 */
function requestTimeout(info: RequestInfo, query: URLSearchParams): number | undefined {
  if (info.isResource && (info.verb === 'watch' || isLongRunning(info))) return undefined
  const requested = query.get('timeout') ?? ''
  if (requested === '') return maximum
  const milliseconds = Number(durationOf(requested)) / 1e6
  return milliseconds <= 0 ? maximum : Math.min(milliseconds, maximum)
}

/** Reads `info` and `query`; sets `deadline`. Throws ApiError 400 for a `timeout` that is not a duration. */
export const withRequestDeadline: Filter = (c, next) => {
  const milliseconds = requestTimeout(c.get('info'), c.get('query'))
  c.set('deadline', milliseconds === undefined ? undefined : c.get('receivedAt') + milliseconds)
  return next()
}
