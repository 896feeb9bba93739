/**
 * Decides the status of a quota. Follows syncResourceQuota of k8s.io/kubernetes/pkg/controller/resourcequota. Pure: the wiring counts
 * and writes.
 */

import type { ResourceQuota, ResourceQuotaStatus } from '../../catalog/generated/types/core.v1.ts'
import type { QuotaRequest, ResourceList } from '../../clusters/quota-messages.ts'
import { chargeOf } from '../../registry/admission/quota/check.ts'
import { evaluatorOf } from '../../registry/admission/quota/evaluators/evaluators.ts'
import { addLists, equalLists, maskList, subtractToZero } from '../../registry/admission/quota/resource-list.ts'

/** The quota's use as it was counted. */
export interface CountedUse {
  /** The resources that were counted in all collections that they limit. */
  readonly resources: readonly string[]
  /** Their use by the stored objects. */
  readonly use: ResourceList
}

/** Returns the charge of a reservation to a quota with these limits. */
export function chargeTo({ spec }: Pick<ResourceQuota, 'spec'>, hard: ResourceList, request: QuotaRequest): ResourceList {
  const evaluator = evaluatorOf(request.collection)
  return evaluator === undefined ? {} : chargeOf({ spec, hard }, request, evaluator)
}

/** Returns the list in the order of names. */
const sorted = (list: ResourceList): Record<string, string> =>
  Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * Returns the status after a count; undefined if it is unchanged.
 * @param quota as it is stored now
 * @param counted the use of its objects at the moment of the count
 * @param outstanding the reservations that the count does not include
 */
export function countedStatus(
  quota: ResourceQuota,
  counted: CountedUse,
  outstanding: readonly QuotaRequest[],
): ResourceQuotaStatus | undefined {
  const { spec, status } = quota
  const hard = spec.hard ?? {}
  let use = maskList(counted.use, (name) => counted.resources.includes(name))
  for (const request of outstanding) {
    use = addLists(
      use,
      maskList(chargeTo(quota, hard, request), (name) => counted.resources.includes(name)),
    )
  }
  const used = maskList({ ...status.used, ...use }, (name) => Object.hasOwn(hard, name))
  // An empty list is not stored, as in kube-apiserver's JSON.
  const isCounted = status.hard !== undefined || Object.keys(hard).length === 0
  if (isCounted && equalLists(hard, status.hard) && equalLists(used, status.used)) return undefined
  return {
    ...(Object.keys(hard).length > 0 && { hard: sorted(hard) }),
    ...(Object.keys(used).length > 0 && { used: sorted(used) }),
  }
}

/** Returns the status without the charge of a reservation that nothing has used; undefined if it is unchanged. */
export function releasedStatus(quota: ResourceQuota, request: QuotaRequest): ResourceQuotaStatus | undefined {
  const { hard = {}, used = {} } = quota.status
  const charge = maskList(chargeTo(quota, hard, request), (name) => Object.hasOwn(used, name))
  if (Object.keys(charge).length === 0) return undefined
  return { ...quota.status, used: { ...used, ...maskList(subtractToZero(used, charge), (name) => Object.hasOwn(charge, name)) } }
}
