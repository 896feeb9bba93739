/** Checks of DaemonSets. Follows ValidateDaemonSetSpec of k8s.io/kubernetes/pkg/apis/apps/validation. */
import type { FieldError } from '../../../meta/field-error.ts'
import { validateLabelSelector } from '../../../meta/label-selector-object.ts'
import type { DaemonSet } from '../../generated/types/apps.v1.ts'
import type { Kind } from '../../kind.ts'
import { Errors, validator } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'
import {
  amountOf,
  checkAtMostWhole,
  checkIntOrPercent,
  checkPerpetual,
  checkTemplateLabels,
  internalStrategy,
  quoted,
  selects,
} from './template.ts'

type UpdateStrategy = DaemonSet['spec']['updateStrategy']

function checkStrategy(strategy: UpdateStrategy, errors: Errors): void {
  const { type, rollingUpdate } = strategy
  const field = 'spec.updateStrategy.rollingUpdate'
  if (type === 'OnDelete') return
  if (type !== 'RollingUpdate') {
    errors.notSupported('spec.updateStrategy', internalStrategy(strategy), ['RollingUpdate', 'OnDelete'])
    return
  }
  if (rollingUpdate === undefined) {
    errors.required(field)
    return
  }
  const { maxUnavailable, maxSurge } = rollingUpdate
  checkIntOrPercent(maxUnavailable, `${field}.maxUnavailable`, errors)
  checkIntOrPercent(maxSurge, `${field}.maxSurge`, errors)
  checkAtMostWhole(maxUnavailable, `${field}.maxUnavailable`, errors)
  checkAtMostWhole(maxSurge, `${field}.maxSurge`, errors)
  const hasSurge = amountOf(maxSurge) !== 0
  if (amountOf(maxUnavailable) === 0) {
    if (!hasSurge) errors.required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')
  } else if (hasSurge) {
    errors.invalid(`${field}.maxSurge`, quoted(maxSurge), 'may not be set when maxUnavailable is non-zero')
  }
}

/** Validates a DaemonSet, except its metadata. */
export const validateDaemonSet = validator((errors, { spec }: DaemonSet) => {
  const { selector, template } = spec
  errors.push(...validateLabelSelector(selector ?? undefined, 'spec.selector'))
  if (selects(selector, template) === false) checkTemplateLabels(template, errors)
  if (selector !== null && Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0) {
    errors.invalid('spec.selector', selector, 'empty selector is invalid for daemonset')
  }
  checkPodTemplate(template, 'spec.template', errors)
  checkPerpetual(template, 'DaemonSet', errors)
  errors.checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds')
  checkStrategy(spec.updateStrategy, errors)
  errors.checkNonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit')
})

/** Validates an update of a DaemonSet. The first version allows a change of the selector. */
export function validateDaemonSetUpdate(daemonSet: DaemonSet, old: DaemonSet, kind: Kind): FieldError[] {
  const errors = new Errors()
  if (kind.version !== 'v1beta1') errors.checkImmutable(daemonSet.spec.selector, old.spec.selector, 'spec.selector')
  return [...errors, ...validateDaemonSet(daemonSet)]
}
