import { asJson } from '../../../meta/field-error.ts'
import { isPercent } from '../../../meta/identifiers.ts'
import { type LabelSelectorObject, labelSelectorFrom, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { PodTemplateSpec } from '../../generated/types/core.v1.ts'
import type { Errors } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'

const mismatch = '`selector` does not match template `labels`'

/** A number or a percentage. */
export type IntOrPercent = number | string

/** Validates a selector, which is required and must not be empty. `owner` is the kind's name in the error message. */
export function checkSelector(selector: LabelSelectorObject | null, owner: string, errors: Errors): void {
  if (selector === null || selector === undefined) {
    errors.required('spec.selector')
    return
  }
  errors.push(...validateLabelSelector(selector, 'spec.selector'))
  if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0) {
    errors.invalid('spec.selector', selector, `empty selector is invalid for ${owner}`)
  }
}

/** Returns whether the selector matches the template's labels, or undefined if the selector is invalid. */
export function selects(selector: LabelSelectorObject | null, template: PodTemplateSpec): boolean | undefined {
  try {
    return labelSelectorFrom(selector ?? undefined).matches(template.metadata.labels ?? {})
  } catch {
    return undefined
  }
}

/** Reports template labels that the selector does not match. */
export function checkTemplateLabels(template: PodTemplateSpec, errors: Errors): void {
  const { metadata } = template
  const labels = metadata.labels ?? explicitEmpty(metadata, 'labels') ?? null
  errors.invalid('spec.template.metadata.labels', labels, mismatch)
}

/**
 * Checks restartPolicy and activeDeadlineSeconds: a controller that replaces its Pods needs Pods that run forever. `owner` is the
 * kind's name in the error message.
 */
export function checkPerpetual(template: PodTemplateSpec, owner: string, errors: Errors): void {
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec
  if (restartPolicy !== 'Always') errors.notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always'])
  if (activeDeadlineSeconds !== undefined) {
    errors.forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${owner} is not Supported`)
  }
}

/** Validates the template of a ReplicaSet, or of a controller that creates ReplicaSets. */
export function checkReplicatedTemplate(selector: LabelSelectorObject | null, template: PodTemplateSpec, errors: Errors): void {
  const isSelected = selects(selector, template)
  if (isSelected === undefined) {
    errors.invalid('spec.selector', selector, 'invalid label selector')
    return
  }
  const isEmpty =
    selector !== null && Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0
  if (!isEmpty && !isSelected) checkTemplateLabels(template, errors)
  checkPodTemplate(template, 'spec.template', errors)
  checkPerpetual(template, 'ReplicaSet', errors)
}

/** Checks that the value is a number that is not negative, or a percentage. */
export function checkIntOrPercent(value: IntOrPercent | undefined, field: string, errors: Errors): void {
  if (typeof value === 'string') errors.checkMessages(isPercent(value), asJson(value), field)
  else errors.checkNonNegative(value, field)
}

/** Returns the value as messages show it: a number or a text as JSON. */
export const quoted = (value: IntOrPercent | undefined): unknown => (typeof value === 'string' ? asJson(value) : value)

/** Returns the number in an amount or in a percentage, also of a text without a percent sign; 0 for other texts. */
export const amountOf = (value: IntOrPercent | undefined): number =>
  typeof value === 'string' ? Number(/^(?:\d+(?=%$)|[+-]?\d+$)/.exec(value)?.[0] ?? 0) : (value ?? 0)

/** Checks that a percentage is at most 100%. */
export function checkAtMostWhole(value: IntOrPercent | undefined, field: string, errors: Errors): void {
  if (typeof value === 'string' && value.endsWith('%') && amountOf(value) > 100)
    errors.invalid(field, value, 'must not be greater than 100%')
}

/** A strategy with its type and the amounts of a rolling update. */
interface RollingStrategy {
  readonly type?: string
  readonly rollingUpdate?: { readonly maxUnavailable?: IntOrPercent; readonly maxSurge?: IntOrPercent }
}

/** Converts the strategy of a Deployment or DaemonSet to the internal form that messages quote. */
export function internalStrategy({ type = '', rollingUpdate }: RollingStrategy): unknown {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {}
  const reported = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge }
  return { Type: type, RollingUpdate: reported }
}
