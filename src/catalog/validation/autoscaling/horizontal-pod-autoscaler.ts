/** Checks of HorizontalPodAutoscalers, in autoscaling/v2. Follows k8s.io/kubernetes/pkg/apis/autoscaling/validation. */
import { type FieldError, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkMessages, type Errors } from '../checks.ts'

interface Reference {
  kind: string
  name: string
  apiVersion?: string
}

interface HorizontalPodAutoscaler extends KubernetesObject {
  spec: { minReplicas?: number; maxReplicas: number; scaleTargetRef: Reference; metrics?: { type: string }[] }
}

const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']

function checkReference({ kind, name }: Reference, field: string, errors: Errors): void {
  for (const [part, value] of [
    ['kind', kind],
    ['name', name],
  ] as const) {
    if (value === '') errors.push(required(`${field}.${part}`))
    else checkMessages(isPathSegmentName(value), value, `${field}.${part}`, errors)
  }
}

/** An empty group is the core group's, which has nothing to scale. */
function checkTarget(reference: Reference, errors: Errors): void {
  const field = 'spec.scaleTargetRef'
  checkReference(reference, field, errors)
  const { apiVersion = '', kind } = reference
  if (apiVersion.includes('/') || (apiVersion === 'v1' && kind === 'ReplicationController')) return
  errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'apiVersion must specify API group'))
}

/** What is wrong with a HorizontalPodAutoscaler, its metadata left out. */
export function validateHorizontalPodAutoscaler({ spec }: HorizontalPodAutoscaler): FieldError[] {
  const errors: Errors = []
  const { minReplicas, maxReplicas, metrics = [] } = spec
  if (minReplicas !== undefined && minReplicas < 1) {
    errors.push(invalidValue('spec.minReplicas', minReplicas, 'must be greater than or equal to 1'))
  }
  if (maxReplicas === 0) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'))
  else if (maxReplicas < 0) errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1'))
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'))
  }
  checkTarget(spec.scaleTargetRef, errors)
  for (const [index, { type }] of metrics.entries()) {
    const field = `spec.metrics[${index}].type`
    if (type === '') errors.push(required(field, 'must specify a metric source type'))
    // Told once of the type and once of the source that should go with it.
    else if (!metricTypes.includes(type))
      errors.push(notSupported(field, type, metricTypes), notSupported(field, type, metricTypes))
  }
  return errors
}
