/** Runs writes in the next group commit, as long as the client waits for the response. */
import { timeout } from '../meta/errors.ts'
import type { Transaction } from '../storage/store.ts'
import type { Registry } from './registry.ts'

/**
 * Runs an operation within the next group commit.
 * @throws ApiError 504 if the request's deadline has passed by then, because the client has already got a 504
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
