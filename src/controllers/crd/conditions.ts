/** The conditions of CustomResourceDefinitions. Pure. */
import { approvalAnnotation, approvalOf, isProtectedGroup } from '../../crd/approval.ts'
import type { CustomResourceDefinition, DefinitionStatus } from '../../crd/definition.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import type { Condition } from './names.ts'

/** Returns the status with a condition set. lastTransitionTime stays while the condition's status is the same. */
export function withCondition(status: DefinitionStatus, condition: Condition, now: number): DefinitionStatus {
  const conditions = status.conditions ?? []
  const old = conditions.find(({ type }) => type === condition.type)
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : rfc3339Seconds(now)
  const { type, status: says, reason, message } = condition
  const changed = { type, status: says, lastTransitionTime: lastTransitionTime ?? rfc3339Seconds(now), reason, message }
  return {
    ...status,
    conditions: old === undefined ? [...conditions, changed] : conditions.map((each) => (each === old ? changed : each)),
  }
}

/** Whether a condition is present with this content, at any time. */
export function hasCondition({ status }: CustomResourceDefinition, condition: Condition): boolean {
  const old = status?.conditions?.find(({ type }) => type === condition.type)
  return old?.status === condition.status && old.reason === condition.reason && old.message === condition.message
}

/**
 * Returns the KubernetesAPIApprovalPolicyConformant condition for protected groups (*.k8s.io, *.kubernetes.io); undefined for
 * others.
 */
export function approvalCondition({ metadata, spec }: CustomResourceDefinition): Condition | undefined {
  if (!isProtectedGroup(spec.group)) return undefined
  const { state, reason } = approvalOf(metadata.annotations?.[approvalAnnotation] ?? '')
  const [status, word] = {
    invalid: ['False', 'InvalidAnnotation'],
    missing: ['False', 'MissingAnnotation'],
    approved: ['True', 'ApprovedAnnotation'],
    bypassed: ['False', 'UnapprovedAnnotation'],
  }[state] as [string, string]
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason: word, message: reason }
}

/** The Terminating conditions during the deletion of a definition's instances. */
export const terminating = {
  pending: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  },
  inProgress: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  },
  completed: { type: 'Terminating', status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' },
  neverEstablished: {
    type: 'Terminating',
    status: 'False',
    reason: 'NeverEstablished',
    message: 'resource was never established',
  },
  remaining: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionCheck',
    message: 'could not confirm zero CustomResources remaining: context deadline exceeded',
  },
} as const satisfies Readonly<Record<string, Condition>>
