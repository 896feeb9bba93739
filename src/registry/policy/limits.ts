/** Reads the LimitRanges and ResourceQuotas of all namespaces from the control object's store. */
import type { LimitRange, ResourceQuota } from '../../catalog/generated/types/core.v1.ts'
import type { NamespaceLimits } from '../../clusters/namespace-facts.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'
import type { Store } from '../../storage/store.ts'
import { listUnder } from '../list/all.ts'

/** The key prefix of LimitRanges. */
export const limitRangePrefix = 'limitranges/'
/** The key prefix of ResourceQuotas. */
export const resourceQuotaPrefix = 'resourcequotas/'

/** Returns the metadata that admission needs. */
const named = ({ metadata: { name = '', namespace = '', uid = '' } }: KubernetesObject): ObjectMeta => ({ name, namespace, uid })

/** Returns the limits of each namespace that has any, in the order of names. */
export function readLimits(store: Store): Readonly<Record<string, NamespaceLimits>> {
  const found = new Map<string, { limitRanges?: LimitRange[]; quotas?: Pick<ResourceQuota, 'metadata' | 'spec'>[] }>()
  const limitsOf = (namespace = '') => {
    const limits = found.get(namespace) ?? {}
    found.set(namespace, limits)
    return limits
  }
  for (const object of listUnder(store, limitRangePrefix)) {
    const limits = limitsOf(object.metadata.namespace)
    limits.limitRanges = [...(limits.limitRanges ?? []), { metadata: named(object), spec: (object as LimitRange).spec }]
  }
  for (const object of listUnder(store, resourceQuotaPrefix)) {
    const limits = limitsOf(object.metadata.namespace)
    limits.quotas = [...(limits.quotas ?? []), { metadata: named(object), spec: (object as ResourceQuota).spec }]
  }
  return Object.fromEntries(found)
}
