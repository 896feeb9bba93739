/** Checks of StatefulSets. Follows ValidateStatefulSetSpec of k8s.io/kubernetes/pkg/apis/apps/validation. */
import { asJson, type FieldError } from '../../../meta/field-error.ts'
import { validateAnnotations, validateLabels } from '../../../meta/object-meta-validation.ts'
import { PodManagementPolicyType, type StatefulSet, type StatefulSetSpec } from '../../generated/types/apps.v1.ts'
import type { PodTemplateSpec, Volume } from '../../generated/types/core.v1.ts'
import { type Errors, isSame, validator } from '../checks.ts'
import { checkClaimSpec } from '../core/volume-claim.ts'
import { checkPodAnnotations } from '../pod/annotations.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'
import { checkPerpetual, checkSelector, checkTemplateLabels, selects } from './template.ts'

function checkStrategy({ updateStrategy: { type = '', rollingUpdate } }: StatefulSetSpec, errors: Errors): void {
  const field = 'spec.updateStrategy'
  const reported = rollingUpdate === undefined ? null : { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: null }
  if (type === '') errors.required(field)
  else if (type === 'RollingUpdate') errors.checkNonNegative(rollingUpdate?.partition, `${field}.rollingUpdate.partition`)
  else if (type !== 'OnDelete') {
    errors.invalid(field, { Type: type, RollingUpdate: reported }, "must be 'RollingUpdate' or 'OnDelete'")
  } else if (reported !== null) {
    errors.invalid(`${field}.rollingUpdate`, reported, "only allowed for updateStrategy 'RollingUpdate'")
  }
}

/**
 * Returns the template as it is validated: with a volume for each volume claim template, and without hostname and subdomain,
 * which each Pod gets for itself.
 */
function completed({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = template.spec
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata.name ?? ''))
  const claimed: Volume[] = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
  return {
    ...template,
    spec: { ...spec, volumes: [...claimed, ...(spec.volumes ?? []).filter((volume) => !names.has(volume.name))] },
  }
}

function checkTemplate(spec: StatefulSetSpec, errors: Errors): void {
  const isSelected = selects(spec.selector, spec.template)
  if (isSelected === undefined) {
    errors.invalid('spec.selector', spec.selector, '')
    return
  }
  if (!isSelected) checkTemplateLabels(spec.template, errors)
  const template = completed(spec)
  checkPodTemplate(template, 'spec.template', errors)
  const { labels = {}, annotations = {} } = template.metadata
  errors.push(...validateLabels(labels, 'spec.template.labels'), ...validateAnnotations(annotations, 'spec.template.annotations'))
  checkPodAnnotations(template.metadata, template.spec, 'spec.template.annotations', errors)
}

/** Validates the policies. volumeClaimTemplates are immutable and therefore validated only on create. */
function checkPolicies(spec: StatefulSetSpec, old: StatefulSet | undefined, errors: Errors): void {
  const { podManagementPolicy = '', persistentVolumeClaimRetentionPolicy: retention } = spec
  const field = 'spec.podManagementPolicy'
  if (podManagementPolicy === '') errors.required(field)
  else if (!PodManagementPolicyType.includes(podManagementPolicy)) {
    errors.invalid(field, asJson(podManagementPolicy), "must be 'OrderedReady' or 'Parallel'")
  }
  checkStrategy(spec, errors)
  for (const name of ['whenDeleted', 'whenScaled'] as const) {
    const value = retention?.[name]
    if (value === undefined) continue
    errors.checkSupported(value, ['Retain', 'Delete'], `spec.persistentVolumeClaimRetentionPolicy.${name}`)
  }
  if (old !== undefined) return
  for (const [index, claim] of (spec.volumeClaimTemplates ?? []).entries()) {
    checkClaimSpec(claim.spec, `spec.volumeClaimTemplates[${index}].spec`, errors)
  }
}

/** Validates a StatefulSet, except its metadata. */
export const validateStatefulSet = validator((errors, { spec }: StatefulSet, old?: StatefulSet) => {
  checkPolicies(spec, old, errors)
  errors.checkNonNegative(spec.replicas, 'spec.replicas')
  errors.checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds')
  errors.checkNonNegative(spec.ordinals?.start, 'spec.ordinals.start')
  const { serviceName = '' } = spec
  if (old === undefined && serviceName !== '') errors.checkDnsLabel(serviceName, 'spec.serviceName')
  checkSelector(spec.selector, 'statefulset', errors)
  checkTemplate(spec, errors)
  checkPerpetual(spec.template, 'StatefulSet', errors)
})

const mutable =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
const fixed = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy'] as const

/** Validates an update of a StatefulSet. */
export function validateStatefulSetUpdate(statefulSet: StatefulSet, old: StatefulSet): FieldError[] {
  const errors = validateStatefulSet(statefulSet, old)
  if (fixed.some((field) => !isSame(statefulSet.spec[field], old.spec[field]))) errors.forbidden('spec', mutable)
  return errors
}
