/** The interface between admission and the quotas of the cluster, which are in its control object. */

import type { QuotaAnswer, QuotaRequest } from '../clusters/quota-messages.ts'
import type { ObjectLookup } from '../meta/lookups.ts'

/** The quotas, as a collection's Durable Object sees them. */
export interface QuotaReservations {
  /** Whether quotas of the namespace may limit objects of the collection. It is asked for every write, so it must be quick. */
  isLimited(collection: string, namespace: string): boolean
  /**
   * Returns the lookup that checks a write against the quotas and reserves its use. A reservation that the commit does not use is
   * given back when the operation has ended.
   * @param dryRun whether the use is only checked
   */
  lookup(request: QuotaRequest, dryRun: boolean): ObjectLookup<QuotaAnswer>
  /** Whether a reservation may still be used. A reservation that was declared lost must not be. */
  isUsable(reservation: number): boolean
  /**
   * Records that a reservation is used. It must run within the commit that uses it.
   * @param collection `<resource>[.<group>]` of the object
   * @param created the key of the new object; absent for an update
   */
  use(reservation: number, collection: string, created?: string): void
}
