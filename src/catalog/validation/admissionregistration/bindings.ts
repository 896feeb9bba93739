/** Checks of bindings of admission policies. Follows k8s.io/kubernetes/pkg/apis/admissionregistration/validation. */
import { asJson } from '../../../meta/field-error.ts'
import { validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isPathSegmentName } from '../../../meta/names.ts'
import * as admissionregistrationv1 from '../../generated/types/admissionregistration.v1.ts'
import { type Errors, validator } from '../checks.ts'
import { checkMatchResources, checkMutable } from './rules.ts'

const notFoundActions = ['Deny', 'Allow']
const field = 'spec.paramRef'

function checkParamRef(
  { name = '', selector, parameterNotFoundAction: action = '' }: admissionregistrationv1.ParamRef,
  errors: Errors,
): void {
  const exclusive = 'name and selector are mutually exclusive'
  if (name !== '') {
    errors.checkMessages(isPathSegmentName(name), name, `${field}.name`)
    if (selector !== undefined) errors.forbidden(`${field}.name`, exclusive)
  }
  errors.push(...validateLabelSelector(selector, `${field}.selector`))
  if (name !== '' && selector !== undefined) errors.forbidden(`${field}.selector`, exclusive)
  if (name === '' && selector === undefined) errors.required(field, 'one of name or selector must be specified')
  if (action === '') errors.required(`${field}.parameterNotFoundAction`)
  else errors.checkEnum(action, notFoundActions, `${field}.parameterNotFoundAction`)
}

function checkActions(actions: readonly string[], errors: Errors): void {
  const at = 'spec.validationActions'
  const seen = new Set<string>()
  for (const [index, action] of actions.entries()) {
    errors.checkEnum(action, admissionregistrationv1.ValidationAction, `${at}[${index}]`)
    errors.checkUnique(seen, action, `${at}[${index}]`, asJson(action))
  }
  if (seen.has('Deny') && seen.has('Warn')) {
    const text =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'
    errors.invalid(at, actions, text)
  }
  if (actions.length === 0) errors.required(at, 'at least one validation action is required')
}

function checkBinding({ spec }: admissionregistrationv1.ValidatingAdmissionPolicyBinding, errors: Errors): void {
  const { policyName = '', paramRef, matchResources } = spec
  if (policyName === '') errors.required('spec.policyName')
  else errors.checkDnsSubdomain(policyName, 'spec.policyName')
  if (paramRef !== undefined) checkParamRef(paramRef, errors)
  if (matchResources !== undefined) checkMatchResources(matchResources, 'spec.matchResources', errors)
}

/** Validates a ValidatingAdmissionPolicyBinding, except its metadata. */
export const validateValidatingBinding = validator(
  (errors, binding: admissionregistrationv1.ValidatingAdmissionPolicyBinding) => {
    checkBinding(binding, errors)
    checkActions(binding.spec.validationActions ?? [], errors)
  },
)

/** Validates a MutatingAdmissionPolicyBinding, except its metadata. */
export const validateMutatingBinding = validator((errors, binding: admissionregistrationv1.ValidatingAdmissionPolicyBinding) => {
  checkBinding(binding, errors)
  checkMutable(binding.spec.matchResources ?? {}, 'spec.matchResources', errors)
})
