/** WithWaitGroup: counts a request as running until it has a response. */
import { Releases } from '../limits/releases.ts'
import type { Filter } from './filter.ts'

/**
 * Sets `releases`, and runs them after the response, after an error, and at the deadline, even if the handler still works.
 */
export const withWaitGroup: Filter = async (c, next) => {
  const releases = new Releases()
  c.set('releases', releases)
  try {
    await next()
  } finally {
    releases.giveBack()
  }
}
