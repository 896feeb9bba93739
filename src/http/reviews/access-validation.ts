/** Validates access reviews. Follows k8s.io/kubernetes/pkg/apis/authorization/validation. */
import type { SelectorRequirement, SelectorSource } from '../../auth/selector-requirements.ts'
import { type FieldError, forbiddenValue, invalidValue, required } from '../../meta/field-error.ts'
import { isLabelValue } from '../../meta/names.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'
import { validateLabelKey } from '../../meta/object-meta-validation.ts'

type Requirement = Partial<SelectorRequirement>

/** The `spec` of access reviews. */
export interface ReviewSpec {
  readonly user?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly resourceAttributes?: {
    readonly namespace?: string
    readonly verb?: string
    readonly group?: string
    readonly version?: string
    readonly resource?: string
    readonly subresource?: string
    readonly name?: string
    readonly fieldSelector?: SelectorSource
    readonly labelSelector?: SelectorSource
  }
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

/** Returns the spec of a decoded review. */
export function specOf(review: KubernetesObject): ReviewSpec {
  return (review.spec ?? {}) as ReviewSpec
}

const field = 'spec.resourceAttributes'

type CheckRequirement = (requirement: Requirement, path: string) => FieldError[]

function operatorErrors({ operator = '', values = [] }: Requirement, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (['In', 'NotIn'].includes(operator) && values.length === 0) {
    errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  }
  if (['Exists', 'DoesNotExist'].includes(operator) && values.length > 0) {
    errors.push(forbiddenValue(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  }
  return errors
}

const fieldRequirementErrors: CheckRequirement = (requirement, path) => [
  ...((requirement.key ?? '') === '' ? [required(`${path}.key`, 'must be specified')] : []),
  ...operatorErrors(requirement, path),
]

const labelRequirementErrors: CheckRequirement = (requirement, path) => [
  ...operatorErrors(requirement, path),
  ...validateLabelKey(requirement.key ?? '', `${path}.key`),
  ...(requirement.values ?? []).flatMap((value, index) =>
    isLabelValue(value).map((text) => invalidValue(`${path}.values[${index}]`, value, text)),
  ),
]

function selectorErrors(selector: SelectorSource | undefined, path: string, check: CheckRequirement): FieldError[] {
  if (selector === undefined) return []
  const { rawSelector = '', requirements = [] } = selector
  const errors: FieldError[] = []
  if (rawSelector !== '' && requirements.length > 0) {
    errors.push(invalidValue(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'))
  }
  if (rawSelector === '' && requirements.length === 0) {
    errors.push(required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`))
  }
  return [...errors, ...requirements.flatMap((one, index) => check(one, `${path}.requirements[${index}]`))]
}

function metadataErrors(metadata: ObjectMeta, mayHave: 'nothing' | 'a namespace'): FieldError[] {
  const { managedFields: _managed, namespace, ...rest } = metadata
  const excess = Object.keys(rest).length > 0 || (mayHave === 'nothing' && namespace !== undefined)
  if (!excess) return []
  return [invalidValue('metadata', metadata, mayHave === 'nothing' ? 'must be empty' : 'must be empty except for namespace')]
}

/** Returns nonResourceAttributes with Go's names of the internal type's fields, which this error message contains. */
function internalAttributes({ path = '', verb = '' }: NonNullable<ReviewSpec['nonResourceAttributes']>): object {
  return { Path: path, Verb: verb }
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: ReviewSpec): FieldError[] {
  const both = 'cannot be specified in combination with resourceAttributes'
  const neither = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    return [invalidValue('spec.nonResourceAttributes', internalAttributes(nonResourceAttributes), both)]
  }
  return resourceAttributes === undefined && nonResourceAttributes === undefined ? [invalidValue(field, null, neither)] : []
}

function userErrors({ user = '', groups = [] }: ReviewSpec): FieldError[] {
  if (user !== '' || groups.length > 0) return []
  return [invalidValue('spec.user', user, 'at least one of user or group must be specified')]
}

function selectorsErrors({ resourceAttributes }: ReviewSpec): FieldError[] {
  return [
    ...selectorErrors(resourceAttributes?.fieldSelector, `${field}.fieldSelector`, fieldRequirementErrors),
    ...selectorErrors(resourceAttributes?.labelSelector, `${field}.labelSelector`, labelRequirementErrors),
  ]
}

/** Returns the validation errors of a SelfSubjectAccessReview. */
export function validateSelfSubjectAccessReview(review: KubernetesObject): FieldError[] {
  const spec = specOf(review)
  return [...attributeErrors(spec), ...selectorsErrors(spec), ...metadataErrors(review.metadata, 'nothing')]
}

/** Returns the validation errors of a SubjectAccessReview. */
export function validateSubjectAccessReview(review: KubernetesObject): FieldError[] {
  const spec = specOf(review)
  return [...attributeErrors(spec), ...userErrors(spec), ...selectorsErrors(spec), ...metadataErrors(review.metadata, 'nothing')]
}

/** Returns the validation errors of a LocalSubjectAccessReview. */
export function validateLocalSubjectAccessReview(review: KubernetesObject): FieldError[] {
  const spec = specOf(review)
  const { resourceAttributes, nonResourceAttributes } = spec
  const errors = [
    ...attributeErrors(spec),
    ...userErrors(spec),
    ...selectorsErrors(spec),
    ...metadataErrors(review.metadata, 'a namespace'),
  ]
  const { namespace = '' } = resourceAttributes ?? {}
  if (resourceAttributes !== undefined && namespace !== (review.metadata.namespace ?? '')) {
    errors.push(invalidValue(`${field}.namespace`, namespace, 'must match metadata.namespace'))
  }
  if (nonResourceAttributes !== undefined) {
    const why = 'disallowed on this kind of request'
    errors.push(invalidValue('spec.nonResourceAttributes', internalAttributes(nonResourceAttributes), why))
  }
  return errors
}
