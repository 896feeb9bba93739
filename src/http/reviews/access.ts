/** SubjectAccessReview, SelfSubjectAccessReview, LocalSubjectAccessReview and SelfSubjectRulesReview. */
import type { Attributes } from '../../auth/attributes.ts'
import { fieldRequirements, labelRequirements, type SelectorRequirements } from '../../auth/selector-requirements.ts'
import type { JsonObject } from '../../go/json-value.ts'
import { badRequest, invalid } from '../../meta/errors.ts'
import { aggregateTexts, type FieldError } from '../../meta/field-error.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { User } from '../../meta/user.ts'
import type { ResourceContext } from '../context.ts'
import {
  type ReviewSpec,
  specOf,
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from './access-validation.ts'
import type { Reviewer } from './review.ts'

function attributesOf({ resourceAttributes, nonResourceAttributes }: ReviewSpec): Attributes {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {}
    return { isResource: false, path, verb }
  }
  const { verb = '', group = '', version = '', resource = '', subresource = '', namespace = '', name = '' } = resourceAttributes
  const { fieldSelector, labelSelector } = resourceAttributes
  const anyVersion = version === '' ? '*' : version
  return {
    isResource: true,
    verb,
    group,
    version: anyVersion,
    resource,
    subresource,
    namespace,
    name,
    fieldSelector,
    labelSelector,
  }
}

/** Returns the error about a selector of which parts cannot be read. */
function selectorErrors(field: string, { requirements, isIncomplete }: SelectorRequirements): string[] {
  const ignored = requirements.length > 0 ? 'partially ignored' : 'ignored'
  return isIncomplete ? [`spec.resourceAttributes.${field} ${ignored} due to parse error`] : []
}

/** Returns the evaluation error of a review: that of the authorizers and those of its selectors. */
function evaluationErrorOf({ resourceAttributes = {} }: ReviewSpec, error: string | undefined): string {
  const { fieldSelector = {}, labelSelector = {} } = resourceAttributes
  return [
    ...(error === undefined ? [] : [error]),
    ...selectorErrors('fieldSelector', fieldRequirements(fieldSelector)),
    ...selectorErrors('labelSelector', labelRequirements(labelSelector)),
  ].join('; ')
}

const namedUser = ({ user = '', uid = '', groups = [], extra = {} }: ReviewSpec): User => ({ name: user, uid, groups, extra })

/**
 * Makes the reviewer of an access review.
 * @param validate returns the validation errors of the review
 * @param userOf returns the user whose access is reviewed
 */
function accessReview(
  validate: (review: KubernetesObject) => FieldError[],
  userOf: (spec: ReviewSpec, context: ResourceContext) => User,
): Reviewer {
  return async (review, context) => {
    const errors = validate(review)
    if (errors.length > 0) throw invalid({ group: context.kind.group, kind: '' }, '', errors)
    const spec = specOf(review)
    const decision = await context.services.authorizer.authorize(userOf(spec, context), attributesOf(spec))
    const { allowed, denied = false, reason } = decision
    const evaluationError = evaluationErrorOf(spec, decision.error)
    const status = {
      allowed,
      ...(denied && { denied }),
      ...(reason !== '' && { reason }),
      ...(evaluationError !== '' && { evaluationError }),
    }
    return { ...review, status }
  }
}

export const subjectAccessReview = accessReview(validateSubjectAccessReview, namedUser)
export const localSubjectAccessReview = accessReview(validateLocalSubjectAccessReview, namedUser)
export const selfSubjectAccessReview = accessReview(validateSelfSubjectAccessReview, (_spec, { user }) => user)

/** Returns all rules that apply to the user in a namespace. The spec is not repeated, as in kube-apiserver. */
export const selfSubjectRulesReview: Reviewer = async (review, { services, user }) => {
  const { namespace = '' } = (review.spec ?? {}) as { readonly namespace?: string }
  if (namespace === '') throw badRequest('no namespace on request')
  const { rules, errors, isComplete } = await services.authorizer.rulesFor(user, namespace)
  const resourceRules = rules
    .filter(({ resources = [] }) => resources.length > 0)
    .map(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) => ({
      verbs: [...verbs],
      apiGroups: [...apiGroups],
      resources: [...resources],
      ...(resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
    }))
  const nonResourceRules = rules
    .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs = [] }) => ({ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] }))
  const evaluationError = errors.length === 0 ? {} : { evaluationError: aggregateTexts(errors) }
  const status: JsonObject = { resourceRules, nonResourceRules, incomplete: !isComplete, ...evaluationError }
  return { metadata: {}, spec: {}, status } as KubernetesObject
}
