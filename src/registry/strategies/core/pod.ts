/** Pods: their first status, what admission adds to them, and how long they may stay when they are deleted. */
import type { Pod, PodAffinity, PodAffinityTerm } from '../../../catalog/shapes/pod.ts'
import { validatePod, validatePodUpdate } from '../../../catalog/validation/core/pod.ts'
import type { LabelSelectorRequirementObject } from '../../../meta/label-selector-object.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { checked } from '../checked.ts'
import { accountRefusal, admitToAccount } from './pod-account.ts'
import { addTolerations, admitPod } from './pod-admission.ts'
import { qualityOfService } from './pod-quality.ts'
import { podSubresources } from './pod-subresources.ts'

type Labels = Readonly<Record<string, string>>

/** A term, or a constraint, that selects Pods which share (or do not share) the values of these labels. */
type LabelKeyed = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>

function requirements(keys: readonly string[] | undefined, operator: string, labels: Labels): LabelSelectorRequirementObject[] {
  return (keys ?? []).flatMap((key) => {
    const value = labels[key]
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })
}

/** Writes the labels' values into the selector. */
function applyLabelKeys(term: LabelKeyed, labels: Labels): void {
  const { labelSelector } = term
  if (labelSelector === undefined) return
  const added = [...requirements(term.matchLabelKeys, 'In', labels), ...requirements(term.mismatchLabelKeys, 'NotIn', labels)]
  if (added.length === 0) return
  term.labelSelector = { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] }
}

function applyToAffinity(affinity: PodAffinity | undefined, labels: Labels): void {
  for (const { podAffinityTerm } of affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
    applyLabelKeys(podAffinityTerm, labels)
  }
  for (const term of affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) applyLabelKeys(term, labels)
}

function applyLabels({ metadata, spec }: Pod): void {
  const { labels = {} } = metadata
  applyToAffinity(spec.affinity?.podAffinity, labels)
  applyToAffinity(spec.affinity?.podAntiAffinity, labels)
  for (const constraint of spec.topologySpreadConstraints ?? []) applyLabelKeys(constraint, labels)
}

const gated = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
}

function firstStatus({ spec, metadata }: Pod): Pod['status'] {
  const isGated = (spec.schedulingGates ?? []).length > 0
  return {
    phase: 'Pending',
    ...(isGated && { conditions: [{ ...gated, lastTransitionTime: metadata.creationTimestamp ?? null }] }),
    qosClass: qualityOfService(spec),
  }
}

export const podHooks: StrategyHooks = {
  subresources: podSubresources,
  ...checked(validatePod, validatePodUpdate),
  mayWrite(object, old, context) {
    return old === undefined ? accountRefusal(object as Pod, context.account) : undefined
  },
  prepareForCreate(object, { account }) {
    const pod = object as Pod
    pod.status = firstStatus(pod)
    applyLabels(pod)
    admitToAccount(pod, account)
    admitPod(pod)
  },
  prepareForUpdate(object, old) {
    const { spec } = object as Pod
    const before = (old as Pod).spec
    if (before.priority !== undefined) spec.priority ??= before.priority
    if (before.preemptionPolicy !== undefined) spec.preemptionPolicy ??= before.preemptionPolicy
    addTolerations(spec)
  },
  gracePeriod(object, requested) {
    const { spec, status } = object as Pod
    if ((spec.nodeName ?? '') === '' || status.phase === 'Failed' || status.phase === 'Succeeded') return 0
    return requested ?? spec.terminationGracePeriodSeconds ?? 0
  },
}
