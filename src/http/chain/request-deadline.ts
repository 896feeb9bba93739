/**
 * How long a request may take. Follows WithRequestDeadline and WithTimeoutForNonLongRunningRequests of
 * k8s.io/apiserver/pkg/server/filters.
 */
import { parseDuration } from '../../go/duration.ts'
import { badRequest } from '../../meta/errors.ts'
import { isLongRunning } from './limits.ts'
import type { RequestInfo } from './request-info.ts'

/** Milliseconds: kube-apiserver's --request-timeout, which no client can raise. */
const maximum = 60_000

/**
 * Reads for how long a request may run, from its parameter `timeout`.
 * @returns milliseconds; undefined for requests that last as long as their client wants
 * @throws ApiError 400 for what is no duration
 */
export function requestTimeout(info: RequestInfo, query: URLSearchParams): number | undefined {
  if (info.isResource && (info.verb === 'watch' || isLongRunning(info))) return undefined
  const asked = query.get('timeout') ?? ''
  if (asked === '') return maximum
  const milliseconds = Number(durationOf(asked)) / 1e6
  return milliseconds <= 0 ? maximum : Math.min(milliseconds, maximum)
}

function durationOf(text: string): bigint {
  try {
    return parseDuration(text)
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${error instanceof Error ? error.message : ''}`)
  }
}

/**
 * Waits for an answer as long as there is time. An answer that comes later is dropped.
 * @param milliseconds how long; less than one is over before anything is begun
 * @param late gives what is answered when the time is over
 */
export function inTime(milliseconds: number, work: () => Promise<Response>, late: () => Response): Promise<Response> {
  if (milliseconds < 1) return Promise.resolve(late())
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      running.then(
        (response) => response.body?.cancel(),
        () => undefined,
      )
      resolve(late())
    }, milliseconds)
    const running = work()
    running.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
