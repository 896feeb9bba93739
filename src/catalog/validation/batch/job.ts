/** Checks of Jobs. Follows ValidateJob of k8s.io/kubernetes/pkg/apis/batch/validation. */
import type { JsonValue } from '../../../go/json-value.ts'
import { utf8Length } from '../../../go/text.ts'
import { type FieldError, invalidValue } from '../../../meta/field-error.ts'
import { labelSelectorFrom, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isDns1123Label, regexError } from '../../../meta/names.ts'
import { validateObjectMetaUpdate, validateStandardFinalizers } from '../../../meta/object-meta-validation.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import { type Job, type JobSpec, PodReplacementPolicy } from '../../generated/types/batch.v1.ts'
import type { Container, PodTemplateSpec } from '../../generated/types/core.v1.ts'
import { internalJson } from '../../internal-json.ts'
import { type Errors, isSame, validator } from '../checks.ts'
import { checkPodTemplate } from '../pod/pod-spec.ts'
import { checkFailurePolicy, checkSuccessPolicy } from './policies.ts'

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
const manyCompletions = 100_000
const longestManager = 63
const highestOfMany = 10_000

/**
 * Validates managedBy, the name of the controller that manages the Job instead of the Job controller: `example.com/controller`.
 */
function checkManager(manager: string | undefined, field: string, errors: Errors): void {
  if (manager === undefined) return
  if (manager === '') errors.required(field)
  else {
    const [, host = '', path = ''] = /^([^/]+)\/([\s\S]+)$/.exec(manager) ?? []
    if (host === '') errors.invalid(field, manager, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else {
      errors.checkDnsSubdomain(host, field)
      const pattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
      if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) errors.invalid(field, path, regexError('Invalid path', pattern))
    }
  }
  if (utf8Length(manager) > longestManager) errors.tooLong(field, longestManager)
}

/** Checks the stricter limits for Jobs with very many indexes and a backoffLimitPerIndex. */
function checkManyIndexes(spec: JobSpec, field: string, errors: Errors): void {
  const { completions = 0, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec
  if ((maxFailedIndexes ?? 0) > highestParallelism) {
    errors.push(
      invalidValue(`${field}.maxFailedIndexes`, maxFailedIndexes, `must be less than or equal to ${highestParallelism}`),
    )
  }
  if (completions <= manyCompletions || backoffLimitPerIndex === undefined) return
  const text = `must be less than or equal to ${highestOfMany} when completions are above ${manyCompletions} and used with backoff limit per index`
  if (maxFailedIndexes === undefined) {
    errors.required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${manyCompletions}`)
  }
  if (parallelism > highestOfMany) errors.invalid(`${field}.parallelism`, parallelism, text)
  if ((maxFailedIndexes ?? 0) > highestOfMany) errors.invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, text)
}

function checkIndexes(spec: JobSpec, field: string, errors: Errors): void {
  const { completionMode, completions, parallelism, backoffLimitPerIndex, maxFailedIndexes } = spec
  if (completionMode !== undefined) errors.checkSupported(completionMode, ['NonIndexed', 'Indexed'], `${field}.completionMode`)
  if (completionMode === 'Indexed') {
    if (completions === undefined) errors.required(`${field}.completions`, 'when completion mode is Indexed')
    if ((parallelism ?? 0) > highestParallelism) {
      const text = `must be less than or equal to ${highestParallelism} when completion mode is Indexed`
      errors.invalid(`${field}.parallelism`, parallelism, text)
    }
    if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
      errors.invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions')
    }
    checkManyIndexes(spec, field, errors)
  }
  if (completionMode !== undefined && completionMode !== 'NonIndexed') return
  const text = 'requires indexed completion mode'
  if (backoffLimitPerIndex !== undefined) errors.invalid(`${field}.backoffLimitPerIndex`, backoffLimitPerIndex, text)
  if (maxFailedIndexes !== undefined) errors.invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, text)
}

function checkReplacement({ podReplacementPolicy, podFailurePolicy }: JobSpec, field: string, errors: Errors): void {
  if (podReplacementPolicy === undefined) return
  const supported = podFailurePolicy === undefined ? PodReplacementPolicy : ['Failed']
  errors.checkSupported(podReplacementPolicy, supported, field)
}

function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, field: string, errors: Errors): void {
  const { restartPolicy = '' } = template.spec
  if (restartPolicy === 'Always' || restartPolicy === '') errors.required(field, 'valid values: "OnFailure", "Never"')
  else if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    errors.notSupported(field, restartPolicy, ['OnFailure', 'Never'])
  } else if (podFailurePolicy !== undefined && restartPolicy !== 'Never') {
    errors.invalid(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')
  }
}

/** Validates the fields that a Job and a CronJob's job template share. */
export function checkJobSpec(spec: JobSpec, field: string, errors: Errors): void {
  for (const name of counts) errors.checkNonNegative(spec[name], `${field}.${name}`)
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')
  }
  checkManager(spec.managedBy, `${field}.managedBy`, errors)
  checkIndexes(spec, field, errors)
  checkFailurePolicy(spec, `${field}.podFailurePolicy`, errors)
  checkSuccessPolicy(spec, `${field}.successPolicy`, errors)
  checkReplacement(spec, `${field}.podReplacementPolicy`, errors)
  checkPodTemplate(spec.template, `${field}.template`, errors)
  checkRestartPolicy(spec, `${field}.template.spec.restartPolicy`, errors)
}

function checkSelector({ selector, template }: JobSpec, errors: Errors): void {
  if (selector === undefined) errors.required('spec.selector')
  else errors.push(...validateLabelSelector(selector, 'spec.selector'))
  const { labels } = template.metadata
  try {
    if (labelSelectorFrom(selector).matches(labels ?? {})) return
  } catch {
    return
  }
  errors.push(
    invalidValue(
      'spec.template.metadata.labels',
      labels ?? explicitEmpty(template.metadata, 'labels') ?? null,
      '`selector` does not match template `labels`',
    ),
  )
}

const selectorError = '`selector` not auto-generated'

/** Checks a generated selector: it selects the Job's own uid, and the template has the matching labels. */
function checkGenerated({ metadata, spec }: Job, errors: Errors): void {
  const { name = '', uid = '' } = metadata
  if (spec.manualSelector === true || spec.selector === undefined) return
  const expected = {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  }
  const { labels = {} } = spec.template.metadata
  const field = 'spec.template.metadata.labels'
  for (const [key, value] of Object.entries(expected)) {
    const actual = labels[key]
    if (actual === undefined) errors.required(`${field}[${key}]`, `must be '${value}'`)
    else if (actual !== value) errors.invalid(`${field}[${key}]`, labels, `must be '${value}'`)
  }
  try {
    if (!labelSelectorFrom(spec.selector).matches(expected)) errors.invalid('spec.selector', spec.selector, selectorError)
  } catch {
    // checkSelector reports a selector that cannot be parsed.
  }
}

function checkPodNames({ metadata, spec }: Job, errors: Errors): void {
  const { name = '' } = metadata
  if (spec.completionMode !== 'Indexed' || (spec.completions ?? 0) <= 0) return
  const highest = `${name}-${(spec.completions ?? 0) - 1}`
  if (isDns1123Label(highest).length === 0) return
  errors.invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${highest}`)
}

/** Validates a Job, except its metadata. */
export const validateJob = validator((errors, job: Job) => {
  checkGenerated(job, errors)
  checkJobSpec(job.spec, 'spec', errors)
  checkSelector(job.spec, errors)
  checkPodNames(job, errors)
})

/** Whether parts of the template may change: before the Job has started, and while it is suspended. */
function mayChange({ spec, status }: Job): boolean {
  if (spec.suspend !== true || (status?.active ?? 0) !== 0) return false
  if (status?.startTime === undefined) return true
  return (status.conditions ?? []).some(({ type, status: value }) => type === 'Suspended' && value === 'True')
}

const replaced = ['nodeSelector', 'tolerations', 'schedulingGates'] as const

/** Returns the old template with the mutable fields of the new one. */
function allowed({ template }: JobSpec, { template: old }: JobSpec): PodTemplateSpec {
  const { labels, annotations } = template.metadata
  const { labels: _labels, annotations: _annotations, ...metadata } = old.metadata
  const spec = { ...old.spec }
  for (const name of replaced) {
    if (template.spec[name] === undefined) delete spec[name]
    else Object.assign(spec, { [name]: template.spec[name] })
  }
  const { nodeAffinity: _before, ...rest } = old.spec.affinity ?? {}
  const nodeAffinity = template.spec.affinity?.nodeAffinity
  const affinity = { ...(nodeAffinity !== undefined && { nodeAffinity }), ...rest }
  if (Object.keys(affinity).length > 0 || template.spec.affinity !== undefined) spec.affinity = affinity
  else delete spec.affinity
  spec.containers = withResources(old.spec.containers, template.spec.containers) ?? null
  const initContainers = withResources(old.spec.initContainers, template.spec.initContainers)
  if (initContainers !== undefined) spec.initContainers = initContainers
  return {
    metadata: { ...metadata, ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) },
    spec,
  }
}

function withResources(
  containers: readonly Container[] | null | undefined,
  from: readonly Container[] | null | undefined,
): Container[] | undefined {
  return containers?.map((container, index) => {
    const other = from?.length === containers.length ? from[index] : undefined
    return other?.name === container.name ? { ...container, resources: other.resources } : container
  })
}

function checkTemplateChange({ spec }: Job, old: Job, errors: Errors): void {
  const reported = internalJson('PodTemplateSpec', spec.template)
  if (!mayChange(old)) {
    if (!isSame(reported, internalJson('PodTemplateSpec', old.spec.template)))
      errors.invalid('spec.template', reported, immutable)
    return
  }
  const reportedSpec = internalJson('PodSpec', spec.template.spec)
  if (isSame(reportedSpec, internalJson('PodSpec', allowed(spec, old.spec).spec))) return
  errors.invalid('spec.template.spec', reportedSpec, immutable)
}

const immutable = 'field is immutable'

/** Validates an update of a Job. kube-apiserver validates the spec twice, so its errors appear twice. */
export function validateJobUpdate(job: Job, oldJob: Job): FieldError[] {
  const { metadata, spec } = job
  const { spec: old } = oldJob
  const errors = validateJob(job)
  errors.push(...validateObjectMetaUpdate(metadata, oldJob.metadata))
  errors.push(...validateStandardFinalizers(metadata.finalizers ?? [], 'metadata.finalizers'))
  checkJobSpec(spec, 'spec', errors)
  checkSelector(spec, errors)
  if (spec.completionMode !== 'Indexed') errors.checkImmutable(spec.completions, old.completions, 'spec.completions')
  else if (spec.completions !== old.completions && spec.completions !== undefined && spec.completions !== spec.parallelism) {
    errors.invalid('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism')
  }
  errors.checkImmutable(spec.selector, old.selector, 'spec.selector')
  checkTemplateChange(job, oldJob, errors)
  errors.checkImmutableChoice(spec.completionMode, old.completionMode, 'spec.completionMode')
  const checkPolicy = (name: 'podFailurePolicy' | 'successPolicy', type: string): void => {
    const toInternal = (value: unknown): JsonValue => (value === undefined ? null : internalJson(type, value))
    errors.checkImmutable(toInternal(spec[name]), toInternal(old[name]), `spec.${name}`)
  }
  checkPolicy('podFailurePolicy', 'PodFailurePolicy')
  errors.checkImmutable(spec.backoffLimitPerIndex, old.backoffLimitPerIndex, 'spec.backoffLimitPerIndex')
  errors.checkImmutableChoice(spec.managedBy, old.managedBy, 'spec.managedBy')
  checkPolicy('successPolicy', 'SuccessPolicy')
  return errors
}
