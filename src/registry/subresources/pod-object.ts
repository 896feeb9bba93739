/** Reads and changes Pods for the create-only subresources binding and eviction. */
import { orderFields } from '../../catalog/field-order.ts'
import type { Pod, PodCondition } from '../../catalog/generated/types/core.v1.ts'
import type { Kind } from '../../catalog/kind.ts'
import type { JsonValue } from '../../go/json-value.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import type { Stored, Transaction } from '../../storage/store.ts'
import { storedOf } from '../stored-object.ts'

/** Sets a condition. lastTransitionTime changes only with the status. Follows podutil.UpdatePodCondition. */
export function setPodCondition(
  { status }: Pod,
  condition: Omit<PodCondition, 'lastProbeTime' | 'lastTransitionTime'>,
  now: number,
): void {
  const conditions = status.conditions ?? []
  const before = conditions.find(({ type }) => type === condition.type)
  const isSame = before?.status === condition.status
  const { type, status: value, reason, message } = condition
  const set: PodCondition = {
    type,
    status: value,
    lastProbeTime: null,
    lastTransitionTime: isSame ? (before?.lastTransitionTime ?? null) : rfc3339Seconds(now),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  }
  status.conditions = before === undefined ? [...conditions, set] : conditions.map((other) => (other === before ? set : other))
}

/** Whether a Pod has the condition Ready. */
export const isReady = ({ status }: Pod): boolean =>
  (status.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')

/** Stores the Pod under the next resourceVersion. If it has not changed, keeps the stored one. Returns the stored Pod. */
export function keepPod(transaction: Transaction, kind: Kind, existing: Stored, pod: Pod): Stored {
  orderFields(kind.type, pod as unknown as JsonValue)
  if (kind.codec.encode(pod, String(existing.resourceVersion)) === existing.value) return existing
  const record = storedOf(kind, existing.key, pod, transaction.nextResourceVersion())
  transaction.put(record)
  return record
}
