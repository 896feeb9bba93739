/** WithPanicRecovery: makes an Error of anything else that is thrown. */
import type { Filter } from './filter.ts'

/** Hono gives only instances of Error to the error handler; other values would leave the chain without an answer. */
export const withPanicRecovery: Filter = async (_c, next) => {
  try {
    await next()
  } catch (thrown) {
    throw new Error(`thrown: ${String(thrown)}`, { cause: thrown })
  }
}
