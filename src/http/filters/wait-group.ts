/** WithWaitGroup: counts a request as running until its response is known. */
import { Releases } from '../limits/releases.ts'
import type { Filter } from './filter.ts'

/**
 * Sets `releases`, and gives back all that filters inside have added to it: after the response, after an error, and at the
 * deadline, though the work that was begun may still go on.
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
