/** WithTimeoutForNonLongRunningRequests: responds to a request whose deadline has passed. */
import { kindOf } from '../../catalog/scheme.ts'
import type { Suspension } from '../limits/suspension.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { RequestInfo } from '../request-info.ts'
import { requestTimedOut } from '../status.ts'
import type { Filter } from './filter.ts'
import { flowHeaders } from './priority-and-fairness.ts'
import { unhandled } from './request-metrics.ts'

/** The end of the time for some work. */
interface Late {
  /** Returns the response in place of the work's. */
  respond(): Response
  /** Called when the work has ended after it. */
  ended(): void
}

/**
 * Waits until work has finished or a time has passed.
 * @param milliseconds if less than 1, the work is not started
 * @param suspension the time is measured only when it has begun; undefined to measure it from the start
 * @returns the response of `late` if the time passed first, otherwise undefined
 */
function withinTime(
  milliseconds: number,
  work: () => Promise<void>,
  late: Late,
  suspension: Suspension | undefined,
): Promise<Response | undefined> {
  if (milliseconds < 1) return Promise.resolve(late.respond())
  return new Promise((resolve, reject) => {
    let isLate = false
    let hasEnded = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const start = (): void => {
      if (hasEnded) return
      timer = setTimeout(() => {
        isLate = true
        resolve(late.respond())
      }, milliseconds)
    }
    const stopThen =
      <T>(settle: (result: T) => void) =>
      (result: T): void => {
        hasEnded = true
        if (timer !== undefined) clearTimeout(timer)
        if (isLate) late.ended()
        settle(result)
      }
    if (suspension === undefined) start()
    else suspension.whenBegun(start)
    work().then(
      stopThen(() => resolve(undefined)),
      stopThen(reject),
    )
  })
}

/** Whether the request may be answered without waiting: it reads one object of a built-in kind. */
function mayNotWait(info: RequestInfo): boolean {
  if (!info.isResource || info.verb !== 'get' || info.name === '' || info.subresource !== '') return false
  return kindOf(info.group, info.version, info.resource) !== undefined
}

/**
 * Reads `info` and `deadline`, begins the suspension of a request that is sure to wait, and responds with 504 when it has passed.
 * The inner work continues and its response is dropped: a handler with a streamed response must cancel it if `c.finalized` is true
 * by then.
 */
export function withTimeoutForNonLongRunningRequests(metrics: RequestMetrics): Filter {
  return (c, next) => {
    const { suspension } = c.env
    if (!mayNotWait(c.get('info'))) suspension?.begin()
    const deadline = c.get('deadline')
    if (deadline === undefined) return next()
    const late: Late = {
      respond: () => {
        metrics.terminated(unhandled(c), 504)
        for (const name of flowHeaders) delete c.get('responseHeaders')[name]
        return requestTimedOut()
      },
      ended: () => metrics.endedLate(),
    }
    return withinTime(deadline - c.get('receivedAt'), next, late, suspension)
  }
}
