/** Checks of Jobs. Follows ValidateJob of k8s.io/kubernetes/pkg/apis/batch/validation. */
import { type FieldError, invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { type LabelSelectorObject, labelSelectorFrom, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import type { PodTemplateSpec } from '../../shapes/pod.ts'
import { checkImmutable, checkNonNegative, checkSupported, type Errors, isSame } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'

/** The spec of a Job, or of what makes Jobs. */
export interface JobSpec {
  parallelism?: number
  completions?: number
  activeDeadlineSeconds?: number
  podFailurePolicy?: unknown
  successPolicy?: unknown
  backoffLimit?: number
  backoffLimitPerIndex?: number
  maxFailedIndexes?: number
  selector?: LabelSelectorObject
  manualSelector?: boolean
  template: PodTemplateSpec
  ttlSecondsAfterFinished?: number
  completionMode?: string
  suspend?: boolean
  podReplacementPolicy?: string
  managedBy?: string
}

interface Job extends KubernetesObject {
  spec: JobSpec
}

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const
const highestParallelism = 100_000

function checkIndexes(spec: JobSpec, field: string, errors: Errors): void {
  const { completionMode, completions, parallelism, backoffLimitPerIndex, maxFailedIndexes } = spec
  if (completionMode !== undefined) checkSupported(completionMode, ['NonIndexed', 'Indexed'], `${field}.completionMode`, errors)
  if (completionMode === 'Indexed') {
    if (completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'))
    if ((parallelism ?? 0) > highestParallelism) {
      const text = `must be less than or equal to ${highestParallelism} when completion mode is Indexed`
      errors.push(invalidValue(`${field}.parallelism`, parallelism, text))
    }
    if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
      errors.push(invalidValue(`${field}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions'))
    }
  }
  if (completionMode !== undefined && completionMode !== 'NonIndexed') return
  const text = 'requires indexed completion mode'
  if (backoffLimitPerIndex !== undefined) errors.push(invalidValue(`${field}.backoffLimitPerIndex`, backoffLimitPerIndex, text))
  if (maxFailedIndexes !== undefined) errors.push(invalidValue(`${field}.maxFailedIndexes`, maxFailedIndexes, text))
}

function checkReplacement({ podReplacementPolicy, podFailurePolicy }: JobSpec, field: string, errors: Errors): void {
  if (podReplacementPolicy === undefined) return
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
  checkSupported(podReplacementPolicy, supported, field, errors)
}

function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, field: string, errors: Errors): void {
  const { restartPolicy = '' } = template.spec
  if (restartPolicy === 'Always' || restartPolicy === '') errors.push(required(field, 'valid values: "OnFailure", "Never"'))
  else if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    errors.push(notSupported(field, restartPolicy, ['OnFailure', 'Never']))
  } else if (podFailurePolicy !== undefined && restartPolicy !== 'Never') {
    errors.push(invalidValue(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified'))
  }
}

/** What a Job and a CronJob's template have in common. */
export function checkJobSpec(spec: JobSpec, field: string, errors: Errors): void {
  for (const name of counts) checkNonNegative(spec[name], `${field}.${name}`, errors)
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
  }
  checkIndexes(spec, field, errors)
  checkReplacement(spec, `${field}.podReplacementPolicy`, errors)
  checkPodTemplate(spec.template, `${field}.template`, errors)
  checkRestartPolicy(spec, `${field}.template.spec.restartPolicy`, errors)
}

function checkSelector({ selector, template }: JobSpec, errors: Errors): void {
  if (selector === undefined) errors.push(required('spec.selector'))
  else errors.push(...validateLabelSelector(selector, 'spec.selector'))
  const { labels } = template.metadata
  try {
    if (labelSelectorFrom(selector).matches(labels ?? {})) return
  } catch {
    return
  }
  errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'))
}

const generatedNames = ['job-name', 'batch.kubernetes.io/job-name']
const generatedUids = ['controller-uid', 'batch.kubernetes.io/controller-uid']

/** A selector that is generated selects the Job's own uid, and the template carries it. */
function checkGenerated({ metadata, spec }: Job, errors: Errors): void {
  const { name = '', uid = '' } = metadata
  if (spec.manualSelector === true) return
  const { labels = {} } = spec.template.metadata
  const field = 'spec.template.metadata.labels'
  for (const [keys, value] of [
    [generatedUids, uid],
    [generatedNames, name],
  ] as const) {
    for (const key of keys) {
      if (labels[key] !== undefined && labels[key] !== value) {
        errors.push(invalidValue(`${field}[${key}]`, labels[key], `must be '${value}'`))
      }
    }
  }
}

function checkPodNames({ metadata, spec }: Job, errors: Errors): void {
  const { name = '' } = metadata
  if (spec.completionMode !== 'Indexed' || (spec.completions ?? 0) <= 0) return
  const highest = `${name}-${(spec.completions ?? 0) - 1}`
  if (isDns1123Label(highest).length === 0) return
  errors.push(invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${highest}`))
}

/** What is wrong with a Job, its metadata left out. */
export function validateJob(job: Job): FieldError[] {
  const errors: Errors = []
  checkGenerated(job, errors)
  checkJobSpec(job.spec, 'spec', errors)
  checkSelector(job.spec, errors)
  checkPodNames(job, errors)
  return errors
}

/** The template as it may be changed while the Job is suspended and has not begun. */
function frozen({ template }: JobSpec, from: JobSpec): unknown {
  const { metadata, spec } = template
  const { affinity, nodeSelector, tolerations, schedulingGates } = from.template.spec
  return {
    metadata: { ...metadata, labels: {}, annotations: {} },
    spec: { ...spec, affinity, nodeSelector, tolerations, schedulingGates },
  }
}

function checkTemplateChange(spec: JobSpec, old: JobSpec, errors: Errors): void {
  const mayChange = old.suspend === true
  const isFrozen = mayChange ? isSame(frozen(spec, old), frozen(old, old)) : isSame(spec.template, old.template)
  if (!isFrozen) errors.push(invalidValue('spec.template', spec.template, 'field is immutable'))
}

/** What is wrong with a change of a Job. */
export function validateJobUpdate({ spec }: Job, { spec: old }: Job): FieldError[] {
  const errors: Errors = []
  checkJobSpec(spec, 'spec', errors)
  checkSelector(spec, errors)
  if (spec.completionMode !== 'Indexed') checkImmutable(spec.completions, old.completions, 'spec.completions', errors)
  else if (spec.completions !== old.completions && spec.completions !== undefined && spec.completions !== spec.parallelism) {
    errors.push(invalidValue('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism'))
  }
  checkImmutable(spec.selector, old.selector, 'spec.selector', errors)
  checkTemplateChange(spec, old, errors)
  for (const name of ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const) {
    checkImmutable(spec[name], old[name], `spec.${name}`, errors)
  }
  return errors
}
