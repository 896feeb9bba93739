/** WithPanicRecovery: wraps thrown values that are not Errors. */
import type { Filter } from './filter.ts'

/** Hono passes only instances of Error to the error handler. Other values would leave the chain without a response. */
export const withPanicRecovery: Filter = async (_c, next) => {
  try {
    await next()
  } catch (thrown) {
    throw new Error(`thrown: ${String(thrown)}`, { cause: thrown })
  }
}
