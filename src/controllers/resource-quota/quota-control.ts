/** The side of quotas that is in the control object, and the ranges of keys that quotas limit. */
import type { LimitedRanges, ReserveAnswer, ReserveMessage } from '../../clusters/quota-messages.ts'

/** The control object, as the collections call it. */
export interface QuotaControl {
  reserve(message: ReserveMessage): Promise<ReserveAnswer>
  /** Gives a reservation back that no commit has used. */
  release(reservation: number): Promise<void>
  /** Counts the use of ranges again. Resolves when the status of their quotas is durable. */
  recount(ranges: readonly string[]): Promise<LimitedRanges>
}

/** Returns the range of the key's collection and namespace. */
export const rangeOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

/** Returns the collection of a range. */
export const collectionOf = (range: string): string => range.slice(0, range.indexOf('/'))

/** Returns the namespace of a range. */
export const namespaceOf = (range: string): string => range.slice(range.indexOf('/') + 1, -1)
