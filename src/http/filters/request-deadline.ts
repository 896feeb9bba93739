/** WithRequestDeadline: decides how long the request may run. Follows k8s.io/apiserver/pkg/endpoints/filters. */
import { parseDuration } from '../../go/duration.ts'
import { badRequest } from '../../meta/errors.ts'
import { isLongRunning } from '../long-running.ts'
import type { RequestInfo } from '../request-info.ts'
import type { Filter } from './filter.ts'

/** kube-apiserver's --request-timeout in milliseconds. No client can raise it. */
const maximum = 60_000

function durationOf(text: string): bigint {
  try {
    return parseDuration(text)
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${error instanceof Error ? error.message : ''}`)
  }
}

/**
 * Reads the parameter `timeout`.
 * @returns milliseconds; undefined for requests that last as long as their client wants
 * @throws ApiError 400 if it is no duration
 */
function requestTimeout(info: RequestInfo, query: URLSearchParams): number | undefined {
  if (info.isResource && (info.verb === 'watch' || isLongRunning(info))) return undefined
  const requested = query.get('timeout') ?? ''
  if (requested === '') return maximum
  const milliseconds = Number(durationOf(requested)) / 1e6
  return milliseconds <= 0 ? maximum : Math.min(milliseconds, maximum)
}

/** Reads `info` and `query`; sets `deadline`. Throws ApiError 400 for a `timeout` that is no duration. */
export const withRequestDeadline: Filter = (c, next) => {
  const milliseconds = requestTimeout(c.get('info'), c.get('query'))
  c.set('deadline', milliseconds === undefined ? undefined : c.get('receivedAt') + milliseconds)
  return next()
}
