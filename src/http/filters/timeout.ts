/** WithTimeoutForNonLongRunningRequests: responds to a request whose deadline has passed. */
import type { RequestMetrics } from '../metrics/request-metrics.ts'
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
 * @returns the response of `late` if the time passed first, otherwise undefined
 */
function withinTime(milliseconds: number, work: () => Promise<void>, late: Late): Promise<Response | undefined> {
  if (milliseconds < 1) return Promise.resolve(late.respond())
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      resolve(late.respond())
    }, milliseconds)
    const stopThen =
      <T>(settle: (result: T) => void) =>
      (result: T): void => {
        clearTimeout(timer)
        if (isLate) late.ended()
        settle(result)
      }
    work().then(
      stopThen(() => resolve(undefined)),
      stopThen(reject),
    )
  })
}

/**
 * Reads `deadline`, and responds with 504 when it has passed. The inner work continues and its response is dropped: a handler
 * with a streamed response must cancel it if `c.finalized` is true by then.
 */
export function withTimeoutForNonLongRunningRequests(metrics: RequestMetrics): Filter {
  return (c, next) => {
    const deadline = c.get('deadline')
    if (deadline === undefined) return next()
    return withinTime(deadline - c.get('receivedAt'), next, {
      respond: () => {
        metrics.terminated(unhandled(c), 504)
        for (const name of flowHeaders) delete c.get('responseHeaders')[name]
        return requestTimedOut()
      },
      ended: () => metrics.endedLate(),
    })
  }
}
