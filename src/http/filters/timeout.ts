/** WithTimeoutForNonLongRunningRequests: responds to a request whose deadline has passed. */
import { requestTimedOut } from '../status.ts'
import type { Filter } from './filter.ts'
import { flowHeaders } from './priority-and-fairness.ts'

/**
 * Waits until work has finished or a time has passed.
 * @param milliseconds if less than 1, the work is not started
 * @returns the response of `late` if the time passed first, otherwise undefined
 */
function withinTime(milliseconds: number, work: () => Promise<void>, late: () => Response): Promise<Response | undefined> {
  if (milliseconds < 1) return Promise.resolve(late())
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), milliseconds)
    const stopThen =
      <T>(settle: (result: T) => void) =>
      (result: T): void => {
        clearTimeout(timer)
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
export const withTimeoutForNonLongRunningRequests: Filter = (c, next) => {
  const deadline = c.get('deadline')
  if (deadline === undefined) return next()
  return withinTime(deadline - c.get('receivedAt'), next, () => {
    for (const name of flowHeaders) delete c.get('responseHeaders')[name]
    return requestTimedOut()
  })
}
