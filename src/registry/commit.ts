/** Writes of a request within the next group commit, as long as its client waits for them. */
import { timeout } from '../meta/errors.ts'
import type { Transaction } from '../storage/store.ts'
import type { Registry } from './registry.ts'

/**
 * Runs an operation within the next group commit.
 * @throws ApiError 504 if the request's time is over by then: its client has been told that it did not complete
 */
export function commit<T>(
  { store, deadline }: Pick<Registry, 'store' | 'deadline'>,
  operation: (transaction: Transaction) => T,
): Promise<T> {
  if (deadline === undefined) return store.write(operation)
  return store.write((transaction) => {
    if (Date.now() >= deadline) throw timeout('request did not complete within requested timeout - context deadline exceeded')
    return operation(transaction)
  })
}
