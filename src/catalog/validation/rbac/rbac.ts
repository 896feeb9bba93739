/** Checks of roles and bindings. Follows k8s.io/kubernetes/pkg/apis/rbac/validation. */
import { type FieldError, invalidValue } from '../../../meta/field-error.ts'
import { type LabelSelectorObject, labelSelectorFrom, validateLabelSelector } from '../../../meta/label-selector-object.ts'
import { isDns1123Subdomain, isPathSegmentName } from '../../../meta/names.ts'
import type { ClusterRole, PolicyRule, RoleBinding, Subject } from '../../generated/types/rbac.v1.ts'
import { Errors, isSame, itemsOf, validator } from '../checks.ts'

function checkRule(rule: PolicyRule, isNamespaced: boolean, field: string, errors: Errors): void {
  const { verbs, apiGroups = [], resources = [], nonResourceURLs = [] } = rule
  if ((verbs ?? []).length === 0) errors.required(`${field}.verbs`, 'verbs must contain at least one value')
  if (nonResourceURLs.length > 0) {
    if (isNamespaced) {
      errors.invalid(`${field}.nonResourceURLs`, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs')
    }
    if (apiGroups.length > 0 || resources.length > 0 || (rule.resourceNames ?? []).length > 0) {
      const text = 'rules cannot apply to both regular resources and non-resource URLs'
      errors.invalid(`${field}.nonResourceURLs`, nonResourceURLs, text)
    }
    return
  }
  if (apiGroups.length === 0) errors.required(`${field}.apiGroups`, 'resource rules must supply at least one api group')
  if (resources.length === 0) errors.required(`${field}.resources`, 'resource rules must supply at least one resource')
}

function checkRules(role: ClusterRole, isNamespaced: boolean, errors: Errors): void {
  for (const [index, rule] of (role.rules ?? []).entries()) checkRule(rule, isNamespaced, `rules[${index}]`, errors)
}

/** Validates a Role, except its metadata. */
export const validateRole = validator((errors, role: ClusterRole) => {
  checkRules(role, true, errors)
})

const hasBadSelector = (role: ClusterRole | undefined): boolean =>
  (role?.aggregationRule?.clusterRoleSelectors ?? []).some((selector) => validateLabelSelector(selector, '').length > 0)

function isSelector(selector: LabelSelectorObject): boolean {
  try {
    labelSelectorFrom(selector)
    return true
  } catch {
    return false
  }
}

/** Validates a ClusterRole, except its metadata. */
export const validateClusterRole = validator((errors, role: ClusterRole, old?: ClusterRole) => {
  checkRules(role, false, errors)
  const { aggregationRule } = role
  if (aggregationRule === undefined) return
  const field = 'aggregationRule.clusterRoleSelectors'
  const selectors = aggregationRule.clusterRoleSelectors ?? []
  if (selectors.length === 0) errors.required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')
  const check = hasBadSelector(old) ? 'unchecked' : 'checked'
  for (const [at, selector] of itemsOf(selectors, field)) {
    errors.push(...validateLabelSelector(selector, at, check))
    // kube-apiserver quotes the result of the failed conversion, which is null.
    if (!isSelector(selector)) errors.invalid(at, null, 'invalid label selector.')
  }
})

const group = 'rbac.authorization.k8s.io'

function checkAccount(
  { name, apiGroup = '', namespace = '' }: Subject,
  isNamespaced: boolean,
  field: string,
  errors: Errors,
): void {
  if (name !== '') errors.checkMessages(isDns1123Subdomain(name), name, `${field}.name`)
  if (apiGroup !== '') errors.textNotSupported(`${field}.apiGroup`, apiGroup, [''])
  if (!isNamespaced && namespace === '') errors.required(`${field}.namespace`)
}

function checkSubject(subject: Subject, isNamespaced: boolean, field: string, errors: Errors): void {
  const { kind, name, apiGroup = '' } = subject
  if (name === '') errors.required(`${field}.name`)
  if (kind === 'ServiceAccount') checkAccount(subject, isNamespaced, field, errors)
  else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== group) errors.textNotSupported(`${field}.apiGroup`, apiGroup, [group])
  } else errors.textNotSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])
}

function validateBinding({ roleRef, subjects = [] }: RoleBinding, kinds: readonly string[], isNamespaced: boolean): FieldError[] {
  const errors = new Errors()
  if (roleRef.apiGroup !== group) errors.textNotSupported('roleRef.apiGroup', roleRef.apiGroup, [group])
  if (!kinds.includes(roleRef.kind)) errors.textNotSupported('roleRef.kind', roleRef.kind, kinds)
  if (roleRef.name === '') errors.required('roleRef.name')
  else errors.checkMessages(isPathSegmentName(roleRef.name), roleRef.name, 'roleRef.name')
  for (const [index, subject] of subjects.entries()) checkSubject(subject, isNamespaced, `subjects[${index}]`, errors)
  return errors
}

/** Validates a RoleBinding, except its metadata. */
export const validateRoleBinding = (binding: RoleBinding): FieldError[] => validateBinding(binding, ['Role', 'ClusterRole'], true)

/** Validates a ClusterRoleBinding, except its metadata. */
export const validateClusterRoleBinding = (binding: RoleBinding): FieldError[] => validateBinding(binding, ['ClusterRole'], false)

/** Converts a roleRef to the internal form that error messages quote. */
const toInternal = ({ roleRef }: RoleBinding): unknown => ({ APIGroup: roleRef.apiGroup, Kind: roleRef.kind, Name: roleRef.name })

/** Validates the differences between the old and the new RoleBinding or ClusterRoleBinding. */
export const validateBindingChange = (binding: RoleBinding, old: RoleBinding): FieldError[] =>
  isSame(binding.roleRef, old.roleRef) ? [] : [invalidValue('roleRef', toInternal(binding), 'cannot change roleRef')]
