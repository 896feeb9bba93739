/** The strategy of Pods: initial status, matchLabelKeys, AppArmor annotations and the grace period of a deletion. */
import { setPodResources } from '../../../catalog/defaulting/pod.ts'
import type { Pod, PodAffinity, PodAffinityTerm } from '../../../catalog/generated/types/core.v1.ts'
import { validatePod, validatePodUpdate } from '../../../catalog/validation/core/pod.ts'
import {
  appArmorAnnotation,
  appArmorProfileOf,
  appArmorWarning,
  isSameProfile,
} from '../../../catalog/validation/pod/app-armor.ts'
import { containersOf } from '../../../catalog/validation/pod/windows.ts'
import type { JsonObject } from '../../../go/json-value.ts'
import type { LabelSelectorRequirementObject } from '../../../meta/label-selector-object.ts'
import type { WarningRecorder } from '../../../meta/warnings.ts'
import type { StrategyHooks } from '../../hooks.ts'
import { withValidation } from '../with-validation.ts'
import { dropDisabledPodFields } from './pod-features.ts'
import { qualityOfService } from './pod-quality.ts'
import { podSubresources } from './pod-subresources.ts'

type Labels = Readonly<Record<string, string>>

/** An affinity term or a topology spread constraint with label keys whose values are merged into its selector. */
type LabelKeyed = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>

function requirements(keys: readonly string[] | undefined, operator: string, labels: Labels): LabelSelectorRequirementObject[] {
  return (keys ?? []).flatMap((key) => {
    const value = labels[key]
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  })
}

/** Merges the values of the label keys into the selector. */
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

/** Copies the deprecated AppArmor annotation into securityContext.appArmorProfile, with a warning. */
function applyAppArmor({ metadata, spec }: Pod, warnings: WarningRecorder): void {
  const { annotations } = metadata
  if (annotations === undefined || spec.os?.name === 'windows') return
  for (const [container] of containersOf(spec, '')) {
    const annotation = annotations[`${appArmorAnnotation}${container.name}`]
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) continue
    const profile = appArmorProfileOf(annotation)
    if (isSameProfile(profile, spec.securityContext?.appArmorProfile)) continue
    if (profile !== undefined) container.securityContext = { ...container.securityContext, appArmorProfile: profile }
    warnings.add(`metadata.annotations${appArmorWarning(container.name)}`)
  }
}

function firstStatus({ spec, metadata, status }: Pod): Pod['status'] {
  const isGated = (spec.schedulingGates ?? []).length > 0
  return {
    phase: 'Pending',
    ...(isGated && { conditions: [{ ...gated, lastTransitionTime: metadata.creationTimestamp ?? null }] }),
    qosClass: status.qosClass || qualityOfService(spec),
  }
}

export const podHooks: StrategyHooks = {
  subresources: podSubresources,
  ...withValidation(validatePod, validatePodUpdate),
  prepareForCreate(object, { warnings }) {
    const pod = object as Pod
    dropDisabledPodFields(pod.spec)
    pod.status = firstStatus(pod)
    applyLabels(pod)
    applyAppArmor(pod, warnings)
  },
  prepareForUpdate(object, old) {
    dropDisabledPodFields((object as Pod).spec, (old as Pod).spec)
  },
  // A Pod's own requests may follow from those that a LimitRange has set in its containers.
  defaultOnRead(object) {
    if ((object as Pod).spec.resources !== undefined) setPodResources(object as unknown as JsonObject)
  },
  checkGracefulDelete(object, requested) {
    const { spec, status } = object as Pod
    if ((spec.nodeName ?? '') === '' || status.phase === 'Failed' || status.phase === 'Succeeded') return 0
    return requested ?? spec.terminationGracePeriodSeconds ?? 0
  },
}
